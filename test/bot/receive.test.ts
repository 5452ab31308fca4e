import { Bot, BotError, HttpError, type Middleware } from 'grammy';
import type { Update } from 'grammy/types';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { privateOnly } from '../../src/bot/middleware.ts';
import {
  ChatBusy,
  CommitUnclear,
  createUpdateReceiver,
  errorBoundary,
  session,
  TransactionLost,
  transaction,
  UpdateNotBegun,
} from '../../src/bot/receive.ts';
import type { Operations } from '../../src/operations/operations.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { type ChatTransactions, type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import type { Received } from '../../src/telegram/updates.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog, silentLog } from '../support/log-lines.ts';
import { NO_OPERATOR } from '../support/no-operator.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, groupUpdate, standInBot, tapUpdate } from './stand-in-bot.ts';

vi.mock('node:timers/promises', () => import('../operations/promised-timers.ts'));

afterEach(() => void vi.useRealTimers());

type Handler = (ctx: BotContext) => Promise<unknown> | unknown;

const MESSAGE = textUpdate(1, CHAT);
const log = silentLog();
/** Cancels cards for the error boundary. These chats have none. */
const NO_CARDS = { operations: {} as Operations, card: async () => ({ html: '', keyboard: [] }) };

/** Returns a promise and the function that resolves it. */
function deferred() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end: () => end() };
}

/** Opens a bot whose handler runs in transactions over `chats`. */
function openBot(handler: Handler, chats: ChatTransactions = createMemoryStorage().chats) {
  const handled = vi.fn(handler);
  const recording = recordingLog();
  const above = transaction({ chats, log: recording.log });
  return { ...standInBot(above, (ctx) => handled(ctx)), chats, handled, log: recording.texts };
}

describe('the update receiver', () => {
  const away = () => Promise.reject(new StorageUnavailable('away'));

  function receiving(...middleware: Middleware<BotContext>[]) {
    const standIn = standInBot(...middleware);
    const clock = { ms: 0 };
    return {
      ...standIn,
      ...createUpdateReceiver(standIn.bot, { texts: TEXTS, log, now: () => clock.ms }),
      clock,
    };
  }

  const receivingOver = (chats: Partial<ChatTransactions>, handler: Middleware<BotContext> = () => {}) =>
    receiving(
      transaction({ chats: { ...createMemoryStorage().chats, ...chats }, log }),
      errorBoundary({ texts: TEXTS, log, ...NO_CARDS }),
      handler,
    );

  test('returns done after a handled update', async () => {
    const { receive, calls } = receiving(() => {});
    expect(await receive(MESSAGE)).toEqual({ kind: 'done' });
    expect(calls).toEqual([]);
  });

  test.each([
    ['a message', MESSAGE],
    ['a tap', tapUpdate(1, 'energy:open')],
    ['a cancelled card', tapUpdate(1, 'operation:cancel:ABCD1234')],
  ])('if the storage is unavailable, replies to %s that nothing was charged', async (_, update) => {
    const handler = vi.fn();
    const { receive, calls } = receivingOver({ begin: away }, handler);
    expect(await receive(update)).toEqual({ kind: 'done' });
    expect(calls).toMatchObject([
      {
        method: 'sendMessage',
        payload: { chat_id: CHAT, text: expect.stringContaining('Nothing was charged') },
      },
    ]);
    expect(handler).not.toHaveBeenCalled();
  });

  test('replies in the language of the user', async () => {
    const { receive, said } = receivingOver({ begin: away });
    const update = textUpdate(1, CHAT);
    if (update.message?.from) update.message.from.language_code = 'ru';
    await receive(update);
    expect(said()).toEqual([TEXTS.in('ru').plain('fault-message')]);
  });

  test.each<[string, Parameters<ReturnType<typeof standInBot>['trouble']>[1], Received]>([
    ['nobody', 'unreached', { kind: 'failed' }],
    ['a server error', { code: 502, description: 'Bad Gateway' }, { kind: 'failed' }],
    ['a 429', { code: 429, description: '', retryAfter: 9 }, { kind: 'failed', afterMs: 9_000 }],
    [
      'a 429 for an hour',
      { code: 429, description: '', retryAfter: 3_600 },
      { kind: 'failed', afterMs: 60_000 },
    ],
    ['a blocked bot', { code: 403, description: 'Forbidden: bot was blocked by the user' }, { kind: 'done' }],
    ['an invalid chat', { code: 400, description: 'Bad Request: chat not found' }, { kind: 'done' }],
  ])('replies again if Telegram may accept the reply later: %s', async (_, trouble, received) => {
    for (const update of [MESSAGE, tapUpdate(1, 'operation:confirm:ABCD1234')]) {
      const bot = receivingOver({ begin: away });
      bot.trouble('sendMessage', trouble);
      expect(await bot.receive(update)).toEqual(received);
      bot.trouble('sendMessage', undefined);
      expect(await bot.receive(update)).toEqual({ kind: 'done' });
      expect(bot.said()).toHaveLength(2);
    }
  });

  describe('an update that keeps failing', () => {
    const failing = () =>
      receivingOver({}, () => Promise.reject(new HttpError('no answer', new Error('cut'))));
    const MINUTE = 60_000;

    test.each([
      ['a message', MESSAGE, 'fault-message'],
      ['a tap', tapUpdate(1, 'energy:open'), 'fault-tap'],
      ['a confirmation', tapUpdate(1, 'operation:confirm:ABCD1234'), 'fault-unclear'],
    ] as const)('is dropped after two minutes, with a reply to %s', async (_, update, words) => {
      const { receive, said, clock } = failing();
      for (const ms of [0, MINUTE, 2 * MINUTE]) {
        clock.ms = ms;
        expect(await receive(update)).toEqual({ kind: 'failed' });
      }
      expect(said()).toEqual([]);
      clock.ms += 1;
      expect(await receive(update)).toEqual({ kind: 'done' });
      expect(said()).toEqual([TEXTS.in('en').plain(words)]);
    });

    test('is retried for an hour while the reply cannot be sent', async () => {
      const { receive, clock, trouble } = failing();
      trouble('sendMessage', { code: 429, description: 'Too Many Requests' });
      for (const ms of [0, 3 * MINUTE, 60 * MINUTE]) {
        clock.ms = ms;
        expect(await receive(MESSAGE)).toEqual({ kind: 'failed' });
      }
      clock.ms += 1;
      expect(await receive(MESSAGE)).toEqual({ kind: 'done' });
    });

    test('gets the full time again after a success', async () => {
      let broken = true;
      const bot = receivingOver({}, () =>
        broken ? Promise.reject(new HttpError('no', new Error('cut'))) : undefined,
      );
      expect(await bot.receive(MESSAGE)).toEqual({ kind: 'failed' });
      broken = false;
      bot.clock.ms = MINUTE;
      expect(await bot.receive(MESSAGE)).toEqual({ kind: 'done' });
      broken = true;
      bot.clock.ms = 3 * MINUTE;
      expect(await bot.receive(textUpdate(2, CHAT))).toEqual({ kind: 'failed' });
      expect(bot.said()).toEqual([]);
    });

    test('gets the full time if its id was that of an update more than an hour ago', async () => {
      const { receive, clock } = failing();
      await receive(MESSAGE);
      clock.ms = 60 * MINUTE + 1;
      await receive(textUpdate(2, CHAT));
      expect(await receive(MESSAGE)).toEqual({ kind: 'failed' });
    });

    test('because its chat is busy is dropped in the same way', async () => {
      const { receive, calls, said, clock } = receiving(() => Promise.reject(new ChatBusy()));
      expect(await receive(MESSAGE)).toEqual({ kind: 'busy' });
      expect(calls).toEqual([]);
      clock.ms = 2 * MINUTE + 1;
      expect(await receive(MESSAGE)).toEqual({ kind: 'done' });
      expect(said()).toEqual([TEXTS.in('en').plain('fault-message')]);
    });
  });

  const CONFIRMATION = tapUpdate(1, 'operation:confirm:ABCD1234');
  const no = () => Promise.reject(new Error('no'));
  test.each<[string, Update, Partial<ChatTransactions>, Middleware<BotContext>?]>([
    ['the commit fails', MESSAGE, { commit: away }],
    ['its claim conflicts', MESSAGE, { commit: async () => 'conflict' }],
    ['the handler fails', MESSAGE, {}, no],
    ['the storage becomes unavailable during the handler', MESSAGE, {}, away],
    ['the handler of a confirmation fails', CONFIRMATION, {}, no],
  ])('fails an update without a reply if %s', async (_, update, chats, handler) => {
    const { receive, calls } = receivingOver(chats, handler);
    expect(await receive(update)).toEqual({ kind: 'failed' });
    expect(calls).toEqual([]);
  });

  test.each([
    ['the typed word', textUpdate(1, CHAT, 'Confirm')],
    ["another feature's button", tapUpdate(1, 'energy:confirm:ABCD1234')],
    ['forged data', tapUpdate(1, 'confirm:ABCD1234')],
  ])('%s is not treated as a confirmation', async (_, update) => {
    const begun = receivingOver({ begin: away });
    expect(await begun.receive(update)).toEqual({ kind: 'done' });
    expect(begun.said().join()).toContain('Nothing was charged');
    expect(await receivingOver({ commit: away }).receive(update)).toEqual({ kind: 'failed' });
  });

  describe('a confirmation', () => {
    test.each([
      ['begin', { begin: away }],
      ['commit', { commit: away }],
    ])('gets the reply that its outcome is unclear if %s failed', async (_, gone) => {
      const { receive, said } = receivingOver(gone);
      expect(await receive(CONFIRMATION)).toEqual({ kind: 'done' });
      expect(said()).toEqual([TEXTS.in('en').plain('fault-unclear')]);
      expect(said().join()).not.toContain('Nothing was charged');
    });
  });

  test('is busy and handles nothing until the bot info is known', async () => {
    const { botInfo } = standInBot().bot;
    const handler = vi.fn();
    const bot = new Bot<BotContext>('700:stands-in-for-a-token');
    bot.use(handler);
    const { receive } = createUpdateReceiver(bot, { texts: TEXTS, log, now: () => 0 });
    expect(await receive(MESSAGE)).toEqual({ kind: 'busy' });
    bot.botInfo = botInfo;
    expect(await receive(MESSAGE)).toEqual({ kind: 'done' });
    expect(handler).toHaveBeenCalledOnce();
  });

  test('ends the update of a group in which the bot cannot write', async () => {
    const adminAlerts = { operatorKeySent: vi.fn() };
    const bot = receiving(privateOnly({ texts: TEXTS, operator: NO_OPERATOR, adminAlerts, log }));
    bot.trouble('sendMessage', {
      code: 403,
      description: 'Forbidden: bot was kicked from the supergroup chat',
    });
    expect(await bot.receive(groupUpdate(1, '/start'))).toEqual({ kind: 'done' });
  });

  test('idle resolves once no update is in progress, even after a failure', async () => {
    const ends: (() => void)[] = [];
    const { receive, whenIdle } = receiving(async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      throw new Error('no');
    });
    await whenIdle();
    const received = receive(MESSAGE);
    let isIdle = false;
    const idling = whenIdle().then(() => {
      isIdle = true;
    });
    await eventually(() => expect(ends).toHaveLength(1));
    expect(isIdle).toBe(false);
    ends[0]?.();
    await idling;
    expect(await received).toEqual({ kind: 'failed' });
  });
});

describe('the transaction of an update', () => {
  /** Returns the error of a failed update, unwrapped from grammY's `BotError`. */
  async function thrownBy(update: Promise<void>): Promise<unknown> {
    const thrown = await update.then(
      () => undefined,
      (error: unknown) => error,
    );
    return thrown instanceof BotError ? thrown.error : thrown;
  }

  const begin = (chats: ChatTransactions, update: number, token = 'another process') =>
    chats.begin({ chat: CHAT, update, token, leaseMs: 15_000 });

  const failingAt = (step: keyof ChatTransactions): ChatTransactions => ({
    ...createMemoryStorage().chats,
    [step]: () => Promise.reject(new Error('away')),
  });

  describe('a transaction', () => {
    test('writes its changes, which the next one reads', async () => {
      const seen: unknown[] = [];
      const { handle } = openBot(({ tx }) => {
        seen.push([tx.attempt, tx.session, tx.conversation]);
        tx.saveSession('a session');
        tx.conversation = 'a conversation';
      });
      await handle(MESSAGE);
      await handle(textUpdate(2, CHAT));
      expect(seen).toEqual([
        [1, undefined, undefined],
        [1, 'a session', 'a conversation'],
      ]);
    });

    test('reads ahead together with its start, after the previous update has ended', async () => {
      const { chats } = createMemoryStorage();
      const order: string[] = [];
      const watched = (step: 'begin' | 'commit') => (request: { update: number }) => {
        order.push(`${step} ${request.update}`);
        return chats[step](request as never);
      };
      const seen = { ...chats, begin: watched('begin'), commit: watched('commit') } as ChatTransactions;
      const ahead = ({ update }: BotContext) => void order.push(`ahead ${update.update_id}`);
      const { handle } = standInBot(transaction({ chats: seen, log }, ahead), () => undefined);
      await Promise.all([handle(MESSAGE), handle(textUpdate(2, CHAT))]);
      expect(order).toEqual(['begin 1', 'ahead 1', 'commit 1', 'begin 2', 'ahead 2', 'commit 2']);
    });

    test('deletes a conversation that has ended', async () => {
      const { handle, chats } = openBot(({ tx, update }) => {
        tx.conversation = update.update_id === 1 ? 'open' : undefined;
      });
      await handle(MESSAGE);
      await handle(textUpdate(2, CHAT));
      expect(await begin(chats, 3)).toMatchObject({ conversation: undefined });
    });

    test('writes nothing if the handler fails, and a repetition counts as another attempt', async () => {
      const attempts: number[] = [];
      const { handle, chats } = openBot(({ tx }) => {
        attempts.push(tx.attempt);
        tx.saveSession('half done');
        tx.afterCommit(async () => void attempts.push(99));
        if (tx.attempt < 3) throw new Error('no');
      });
      expect(await thrownBy(handle(MESSAGE))).toMatchObject({ message: 'no' });
      expect(await begin(chats, 9)).toMatchObject({ kind: 'granted', session: undefined });
      await chats.release({ chat: CHAT, token: 'another process' });
      await thrownBy(handle(MESSAGE));
      await handle(MESSAGE);
      expect(attempts).toEqual([1, 2, 3, 99]);
    });

    test('commits a claim before it runs the after-commit functions', async () => {
      const storage = createMemoryStorage();
      await storage.set('operation', 'draft');
      const found: unknown[] = [];
      const { handle } = openBot(({ tx }) => {
        tx.claim({ key: 'operation', expected: 'draft', value: 'claimed' });
        tx.afterCommit(async () => void found.push(await storage.get('operation')));
      }, storage.chats);
      await handle(MESSAGE);
      expect(found).toEqual(['claimed']);
    });

    test('rejects a second claim in the same update', async () => {
      const { handle } = openBot(({ tx }) => {
        for (const key of ['one', 'another']) tx.claim({ key, expected: 'draft', value: 'claimed' });
      });
      expect(await thrownBy(handle(MESSAGE))).toMatchObject({ message: expect.stringContaining('at most') });
    });

    test('writes nothing if its claim conflicts, and releases the chat for a retry', async () => {
      const storage = createMemoryStorage();
      await storage.set('operation', 'claimed by another');
      const follows = vi.fn(async () => {});
      const { handle, chats } = openBot(({ tx }) => {
        tx.claim({ key: 'operation', expected: 'draft', value: 'claimed' });
        tx.saveSession('a session');
        tx.afterCommit(follows);
      }, storage.chats);
      expect(await thrownBy(handle(MESSAGE))).toBeInstanceOf(TransactionLost);
      expect(await storage.get('operation')).toBe('claimed by another');
      expect(follows).not.toHaveBeenCalled();
      expect(await begin(chats, 1)).toEqual({
        kind: 'granted',
        attempt: 2,
        session: undefined,
        conversation: undefined,
      });
    });

    test('writes nothing if it lost its lease', async () => {
      const clock = { now: 0 };
      const { chats } = createMemoryStorage({ now: () => clock.now });
      const follows = vi.fn(async () => {});
      const { handle } = openBot(async ({ tx }) => {
        tx.saveSession('too late');
        tx.afterCommit(follows);
        clock.now += 15_001;
        await begin(chats, 2);
      }, chats);
      expect(await thrownBy(handle(MESSAGE))).toBeInstanceOf(TransactionLost);
      expect(follows).not.toHaveBeenCalled();
      expect(await begin(chats, 2)).toMatchObject({ kind: 'granted', session: undefined });
    });

    test('throws CommitUnclear if the commit fails, releases its chat and runs no after-commit function', async () => {
      const follows = vi.fn(async () => {});
      const { handle, chats } = openBot(({ tx }) => tx.afterCommit(follows), failingAt('commit'));
      expect(await thrownBy(handle(MESSAGE))).toBeInstanceOf(CommitUnclear);
      expect(follows).not.toHaveBeenCalled();
      expect(await begin(chats, 2)).toMatchObject({ kind: 'granted' });
    });

    test('runs its after-commit functions beside each other, and before the next update of the chat', async () => {
      const { ended, end } = deferred();
      const follows = vi.fn(async () => {});
      const { handle, handled } = openBot(({ tx, update }) => {
        if (update.update_id > 1) return;
        tx.afterCommit(() => ended);
        tx.afterCommit(follows);
      });
      const both = [handle(MESSAGE), handle(textUpdate(2, CHAT))];
      await eventually(() => expect(follows).toHaveBeenCalledOnce());
      await new Promise(setImmediate);
      expect(handled).toHaveBeenCalledOnce();
      end();
      await Promise.all(both);
      expect(handled).toHaveBeenCalledTimes(2);
    });

    test('stays committed if an after-commit function fails', async () => {
      const follows = vi.fn(async () => {});
      const { handle, log } = openBot(({ tx }) => {
        tx.afterCommit(() => Promise.reject(new Error('the queue is away')));
        tx.afterCommit(follows);
      });
      await handle(MESSAGE);
      expect(follows).toHaveBeenCalledOnce();
      expect(log.join()).toContain('the queue is away');
    });

    test('runs no handler if it cannot begin', async () => {
      const { handle, handled } = openBot(() => {}, failingAt('begin'));
      expect(await thrownBy(handle(MESSAGE))).toBeInstanceOf(UpdateNotBegun);
      expect(handled).not.toHaveBeenCalled();
    });

    test('only marks its update as handled if its changes are discarded', async () => {
      const storage = createMemoryStorage();
      await storage.set('operation', 'draft');
      const follows = vi.fn(async () => {});
      const { handle, handled, chats } = openBot(({ tx }) => {
        tx.saveSession('a session');
        tx.conversation = 'a conversation';
        tx.claim({ key: 'operation', expected: 'draft', value: 'claimed' });
        tx.afterCommit(follows);
        tx.discard();
      }, storage.chats);
      await handle(MESSAGE);
      await handle(MESSAGE);
      expect(handled).toHaveBeenCalledOnce();
      expect(await begin(chats, 2)).toMatchObject({ session: undefined, conversation: undefined });
      expect(await storage.get('operation')).toBe('draft');
      expect(follows).not.toHaveBeenCalled();
    });

    test('throws the error of the handler even if releasing the chat fails', async () => {
      const { handle, log } = openBot(() => Promise.reject(new Error('no')), failingAt('release'));
      expect(await thrownBy(handle(MESSAGE))).toMatchObject({ message: 'no' });
      expect(log.join()).toContain('a chat could not be released');
    });
  });

  describe('a handler that takes more than eight seconds', () => {
    /** Opens a bot whose handler is aborted while it waits. `end` lets it continue with `goOn`. */
    async function cutOff(goOn: (ctx: BotContext) => Promise<unknown>) {
      vi.useFakeTimers();
      const { ended, end } = deferred();
      const went = vi.fn();
      const bot = openBot(async (ctx) => {
        await ended;
        await goOn(ctx).then(() => went('done'), went);
      });
      const thrown = thrownBy(bot.handle(MESSAGE));
      await vi.advanceTimersByTimeAsync(7_999);
      expect(await begin(bot.chats, 2)).toMatchObject({ kind: 'busy' });
      await vi.advanceTimersByTimeAsync(1);
      expect(await thrown).toBeInstanceOf(TransactionLost);
      const endNow = async () => {
        end();
        await vi.advanceTimersByTimeAsync(0);
      };
      return { ...bot, went, end: endNow };
    }

    test.each<[string, (ctx: BotContext) => Promise<unknown>]>([
      ['a message', (ctx) => ctx.reply('too late')],
      ['a deletion', (ctx) => ctx.deleteMessage()],
      ['a write that checks the signal', async ({ tx }) => tx.signal.throwIfAborted()],
    ])('has no effect afterwards: %s', async (_, goOn) => {
      const { went, end, calls } = await cutOff(goOn);
      await end();
      expect(went.mock.calls).toEqual([[expect.any(TransactionLost)]]);
      expect(calls).toEqual([]);
    });

    test('keeps its chat leased until it has ended, and its changes are dropped', async () => {
      const follows = vi.fn(async () => {});
      const { chats, end } = await cutOff(async ({ tx }) => {
        tx.saveSession('too late');
        tx.afterCommit(follows);
      });
      expect(await begin(chats, 1)).toMatchObject({ kind: 'busy' });
      await end();
      expect(await begin(chats, 1)).toMatchObject({ kind: 'granted', attempt: 2, session: undefined });
      expect(follows).not.toHaveBeenCalled();
    });

    test('aborts its call in flight', async () => {
      vi.useFakeTimers();
      const given: (AbortSignal | undefined)[] = [];
      const bot = openBot(async (ctx) => {
        await ctx.reply('slow');
      });
      bot.bot.api.config.use((_call, _method, _payload, signal) => {
        given.push(signal as AbortSignal | undefined);
        return new Promise(() => undefined);
      });
      const thrown = thrownBy(bot.handle(MESSAGE));
      await vi.advanceTimersByTimeAsync(7_999);
      expect(given.map((signal) => signal?.aborted)).toEqual([false]);
      await vi.advanceTimersByTimeAsync(1);
      expect(await thrown).toBeInstanceOf(TransactionLost);
      expect(given.map((signal) => signal?.aborted)).toEqual([true]);
    });
  });

  describe('a chat that another process has leased', () => {
    test('is handled once it is released', async () => {
      vi.useFakeTimers();
      const { handle, handled, chats } = openBot(() => {});
      await begin(chats, 9);
      const done = handle(MESSAGE);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(handled).not.toHaveBeenCalled();
      await chats.commit({ chat: CHAT, update: 9, token: 'another process', changes: {} });
      await vi.advanceTimersByTimeAsync(100);
      await done;
      expect(handled).toHaveBeenCalledOnce();
    });

    test('fails as busy after five seconds', async () => {
      vi.useFakeTimers();
      const { handle, handled, chats } = openBot(() => {});
      await begin(chats, 9);
      const thrown = thrownBy(handle(MESSAGE));
      await vi.advanceTimersByTimeAsync(5_200);
      expect(await thrown).toBeInstanceOf(ChatBusy);
      expect(handled).not.toHaveBeenCalled();
    });
  });

  describe('a refresh after the commit', () => {
    /** Opens a bot whose first update prepares a reply until `prepare` is called. */
    function openWithRefresh() {
      const { ended, end } = deferred();
      const bot = openBot((ctx) => {
        if (ctx.update.update_id === 1) ctx.tx.refresh(ended.then(() => () => ctx.reply('refreshed')));
      });
      return { ...bot, prepare: end };
    }

    test('runs after the commit without delaying later updates of other chats', async () => {
      const { handle, prepare, said } = openWithRefresh();
      await handle(MESSAGE);
      await handle(textUpdate(2, CHAT + 1));
      expect(said()).toEqual([]);
      prepare();
      await eventually(() => expect(said()).toEqual(['refreshed']));
    });

    test('is left out if another update of the chat was handled, here or in another process', async () => {
      const here = openWithRefresh();
      await here.handle(MESSAGE);
      await here.handle(textUpdate(2, CHAT));
      const elsewhere = openWithRefresh();
      await elsewhere.handle(MESSAGE);
      await begin(elsewhere.chats, 2);
      for (const { prepare, said } of [here, elsewhere]) {
        prepare();
        // Nothing waits for a refresh, so this waits until all work in memory has ended.
        await new Promise(setImmediate);
        expect(said()).toEqual([]);
      }
    });

    test('is left out if its update is discarded or fails, or its preparation does', async () => {
      const { handle, said, log } = openBot((ctx) => {
        const { tx, update } = ctx;
        const isPreparable = update.update_id > 2;
        tx.refresh(
          isPreparable
            ? Promise.resolve(() => ctx.reply('refreshed'))
            : Promise.reject(new Error('not prepared')),
        );
        if (update.update_id % 2 === 0) throw new Error('no');
        if (isPreparable) tx.discard();
      });
      await handle(MESSAGE);
      await eventually(() => expect(log.join()).toContain('not prepared'));
      for (const update of [2, 3, 4]) await thrownBy(handle(textUpdate(update, CHAT)));
      await new Promise(setImmediate);
      expect(said()).toEqual([]);
    });

    test('is aborted after a second, so that the next update is handled', async () => {
      vi.useFakeTimers();
      const { handle, prepare, bot, handled } = openWithRefresh();
      let given: AbortSignal | undefined;
      bot.api.config.use((_call, _method, _payload, signal) => {
        given = signal as AbortSignal | undefined;
        return new Promise(() => undefined);
      });
      await handle(MESSAGE);
      prepare();
      await vi.advanceTimersByTimeAsync(0);
      const next = handle(textUpdate(2, CHAT));
      await vi.advanceTimersByTimeAsync(999);
      expect([given?.aborted, handled.mock.calls.length]).toEqual([false, 1]);
      await vi.advanceTimersByTimeAsync(1);
      await next;
      expect([given?.aborted, handled.mock.calls.length]).toEqual([true, 2]);
    });
  });

  describe('a later change of a chat', () => {
    test('sends and stores nothing once it was cut off, and keeps its chat leased until it ends', async () => {
      vi.useFakeTimers();
      const { ended, end } = deferred();
      const afterCommit = vi.fn(async () => {});
      const { handle, chats, said, log } = openBot((ctx) =>
        ctx.tx.changeLater(async () => async () => {
          await ended;
          await ctx.reply('a card');
          return { session: { language: 'ru' }, afterCommit };
        }),
      );
      await handle(MESSAGE);
      await vi.advanceTimersByTimeAsync(8_000);
      expect(await begin(chats, 2)).toMatchObject({ kind: 'busy' });
      end();
      await vi.advanceTimersByTimeAsync(0);
      expect(await begin(chats, 2)).toMatchObject({ kind: 'granted', session: undefined });
      expect([said(), afterCommit.mock.calls]).toEqual([[], []]);
      expect(log.join()).toContain('the handler took more than');
    });

    test('is in progress until it is committed, so that a stop can wait for it', async () => {
      const { ended, end } = deferred();
      const { chats } = createMemoryStorage();
      const changes = new Set<Promise<void>>();
      const { handle } = standInBot(transaction({ chats, log }, undefined, changes), ({ tx }) =>
        tx.changeLater(async () => {
          await ended;
          return async () => ({ session: { language: 'ru' }, afterCommit: async () => {} });
        }),
      );
      await handle(MESSAGE);
      expect(changes.size).toBe(1);
      end();
      await Promise.all(changes);
      expect(await begin(chats, 2)).toMatchObject({ session: '{"language":"ru"}' });
      expect(changes.size).toBe(0);
    });

    test('follows each other one of the same update', async () => {
      const { handle, chats } = openBot(({ tx }) => {
        tx.changeLater(async () => async ({ session }) => ({
          session: { ...session, language: 'ru' },
          afterCommit: async () => {},
        }));
        tx.changeLater(async () => async ({ session }) => ({
          session: { ...session, question: 7 },
          afterCommit: async () => {},
        }));
      });
      await handle(MESSAGE);
      await new Promise(setImmediate);
      const { session } = (await begin(chats, 2)) as { session?: string };
      expect(JSON.parse(session ?? '')).toEqual({ language: 'ru', question: 7 });
    });
  });

  test('handles updates of one chat in order, and different chats in parallel', async () => {
    const events: string[] = [];
    const { ended, end } = deferred();
    const { chats } = createMemoryStorage();
    const begun = vi.spyOn(chats, 'begin');
    const { handle } = openBot(async ({ update }) => {
      events.push(`${update.update_id} begins`);
      if (update.update_id === 1) await ended;
      events.push(`${update.update_id} ends`);
    }, chats);
    const first = [1, 2].map((id) => handle(textUpdate(id, CHAT)));
    await handle(textUpdate(3, CHAT + 1));
    expect(events).toEqual(['1 begins', '3 begins', '3 ends']);
    end();
    await Promise.all(first);
    expect(events.slice(3)).toEqual(['1 ends', '2 begins', '2 ends']);
    expect(begun).toHaveBeenCalledTimes(3);
  });

  test('ignores an update without a chat', async () => {
    const { handle, handled } = openBot(() => {});
    await handle({ update_id: 1 });
    expect(handled).not.toHaveBeenCalled();
  });
});

describe('the error boundary', () => {
  const DROPPED = TEXTS.in('en').plain('fault-dropped');

  let storage: Storage;

  beforeEach(() => {
    storage = createMemoryStorage();
  });

  function openGuarded(handler: Handler) {
    const handled = vi.fn(handler);
    const deps = { chats: storage.chats, texts: TEXTS, log, ...NO_CARDS };
    const above = [transaction(deps), errorBoundary(deps), session(deps)];
    const bot = standInBot(...above, (ctx) => handled(ctx));
    const fails = (id: number) => expect(bot.handle(textUpdate(id, CHAT))).rejects.toThrow();
    return { ...bot, handled, fails };
  }

  /** Opens a bot that handles the first update with `handler` and fails at all later ones. */
  async function openFailing(handler: Handler) {
    const bot = openGuarded(async (ctx) => {
      await handler(ctx);
      if (ctx.update.update_id > 1) throw new Error('always');
    });
    await bot.handle(MESSAGE);
    /** Delivers the second update until it is dropped. */
    async function drop(): Promise<void> {
      for (let attempt = 1; attempt < 3; attempt++) await bot.fails(2);
      expect(bot.said()).toEqual([]);
      await bot.handle(textUpdate(2, CHAT));
    }
    return { ...bot, drop };
  }

  const kept = () => storage.chats.begin({ chat: CHAT, update: 99, token: 'a look', leaseMs: 0 });

  test('a failing update is dropped after three attempts; its flow is closed and its user notified', async () => {
    const { handle, handled, said, drop } = await openFailing((ctx) => {
      ctx.tx.conversation = 'half a step further';
      ctx.session.card = { operation: 'ABCD1234', message: 40 };
    });
    expect(await kept()).toMatchObject({
      conversation: 'half a step further',
      session: expect.stringContaining('ABCD1234'),
    });
    await drop();
    expect(said()).toEqual([DROPPED]);
    expect(await kept()).toMatchObject({ conversation: undefined, session: undefined });
    await handle(textUpdate(2, CHAT));
    expect(handled).toHaveBeenCalledTimes(4);
  });

  test('an update that timed out three times is dropped without running the handler', async () => {
    for (const token of ['first', 'second', 'third']) {
      await storage.chats.begin({ chat: CHAT, update: 1, token, leaseMs: 15_000 });
      await storage.chats.release({ chat: CHAT, token });
    }
    const { handle, handled, said } = openGuarded(async () => {});
    await handle(MESSAGE);
    expect(handled).not.toHaveBeenCalled();
    expect(said()).toEqual([DROPPED]);
  });

  test('a dropped update claims no operation', async () => {
    await storage.set('operation', 'draft');
    const sendClaim = vi.fn(async () => {});
    const { said, drop } = await openFailing(({ tx, update }) => {
      if (update.update_id === 1) return;
      tx.claim({ key: 'operation', expected: 'draft', value: 'claimed' });
      tx.afterCommit(sendClaim);
    });
    await drop();
    expect(said()).toEqual([DROPPED]);
    expect(await storage.get('operation')).toBe('draft');
    expect(sendClaim).not.toHaveBeenCalled();
  });

  test('keeps the chosen language of the user', async () => {
    const { said, drop } = await openFailing(({ session }) => Object.assign(session, { language: 'ru' }));
    await drop();
    expect(said()).toEqual([TEXTS.in('ru').plain('fault-dropped')]);
    expect(await kept()).toMatchObject({ session: '{"language":"ru"}' });
  });

  test('asks the user to delete the key if the bot was waiting for one', async () => {
    const { said, drop } = await openFailing(({ session }) => Object.assign(session, { awaiting: 'link' }));
    await drop();
    expect(said()).toEqual([TEXTS.in('en').html('link-delete-failed')]);
  });

  test('does not retry the update of a user who blocked the bot', async () => {
    await storage.set('operation', 'draft');
    const bot = openGuarded(async (ctx) => {
      ctx.tx.claim({ key: 'operation', expected: 'draft', value: 'claimed' });
      await ctx.reply('hello');
    });
    bot.trouble('sendMessage', { code: 403, description: 'Forbidden: bot was blocked by the user' });
    await bot.handle(MESSAGE);
    await bot.handle(MESSAGE);
    expect(bot.handled).toHaveBeenCalledOnce();
    expect(await storage.get('operation')).toBe('draft');
  });

  test.each([
    ['a 429', { code: 429, description: 'Too Many Requests' }],
    ['a server error of Telegram', { code: 502, description: 'Bad Gateway' }],
    ['a network failure', 'unreached' as const],
  ])('does not count %s as an attempt, and the flow continues at its question', async (_, trouble) => {
    const found: unknown[] = [];
    const bot = openGuarded(async (ctx) => {
      found.push(ctx.tx.conversation);
      ctx.tx.conversation = `${ctx.update.update_id} steps`;
      await ctx.reply('the next question');
    });
    await bot.handle(MESSAGE);
    bot.trouble('sendMessage', trouble);
    for (let time = 0; time < 5; time++) await bot.fails(2);
    bot.trouble('sendMessage', undefined);
    await bot.handle(textUpdate(2, CHAT));
    expect(found).toEqual([undefined, ...Array(6).fill('1 steps')]);
    expect(await kept()).toMatchObject({ conversation: '2 steps' });
  });

  test('drops an update only once its user has been notified', async () => {
    const bot = await openFailing(({ tx }) => Object.assign(tx, { conversation: 'open' }));
    bot.trouble('sendMessage', { code: 429, description: 'Too Many Requests' });
    for (let time = 0; time < 5; time++) await bot.fails(2);
    expect(await kept()).toMatchObject({ conversation: 'open' });
    bot.trouble('sendMessage', undefined);
    await bot.handle(textUpdate(2, CHAT));
    expect(bot.said().at(-1)).toBe(DROPPED);
    expect(await kept()).toMatchObject({ conversation: undefined });
  });

  test('drops an update whose user can never be notified', async () => {
    const bot = openGuarded(() => Promise.reject(new Error('always')));
    bot.trouble('sendMessage', { code: 400, description: 'Bad Request: chat not found' });
    await bot.fails(1);
    await bot.fails(1);
    await bot.handle(MESSAGE);
    await bot.handle(MESSAGE);
    expect(bot.handled).toHaveBeenCalledTimes(3);
  });
});

describe('the session', () => {
  /** Opens a bot whose stored session is `text`. */
  async function openStored(text: string, handler: Handler) {
    const { chats } = createMemoryStorage();
    await chats.begin({ chat: CHAT, update: 1, token: 'before', leaseMs: 1_000 });
    await chats.commit({ chat: CHAT, update: 1, token: 'before', changes: { session: text } });
    const { log, lines } = recordingLog();
    const deps = { chats, texts: TEXTS, log };
    return {
      ...standInBot(transaction(deps), session(deps), async (ctx) => void (await handler(ctx))),
      chats,
      lines,
    };
  }

  test.each(['no JSON', 'null', '[]', '"text"', '{"language":'])(
    'drops the invalid session %j, logs it and continues',
    async (text) => {
      const { handle, said, lines } = await openStored(text, async (ctx) => {
        await ctx.reply(String(ctx.session.language));
        ctx.session.language = 'ru';
      });
      for (const update of [2, 3]) await handle(textUpdate(update, CHAT, '/start'));
      expect(said()).toEqual(['undefined', 'ru']);
      expect(lines()).toMatchObject([{ level: 'warn', msg: 'a session was invalid and is replaced' }]);
    },
  );

  test('does not read a dropped session again, even if nothing was stored since', async () => {
    const { handle, lines } = await openStored('no JSON', () => {});
    for (const update of [2, 3]) await handle(textUpdate(update, CHAT, '/start'));
    expect(lines()).toHaveLength(1);
  });

  test.each(['{"question":40}', '{}'])('stores no session if it is empty: %s', async (text) => {
    const { handle, chats } = await openStored(text, (ctx) => void delete ctx.session.question);
    await handle(textUpdate(2, CHAT, 'hello'));
    const kept = await chats.begin({ chat: CHAT, update: 3, token: 'after', leaseMs: 0 });
    expect(kept).toMatchObject({ kind: 'granted', session: undefined });
  });
});
