import { BotError, type Middleware } from 'grammy';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { BotContext } from '../../../src/bot/context.ts';
import {
  ChatBusy,
  CommitUnclear,
  TransactionLost,
  transaction,
  UpdateNotBegun,
} from '../../../src/bot/middleware/transaction.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import type { ChatTransactions } from '../../../src/platform/storage.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { textUpdate } from '../../support/updates.ts';
import { CHAT, standInBot } from '../stand-in-bot.ts';

vi.mock('node:timers/promises', () => import('../../operations/promised-timers.ts'));

afterEach(() => void vi.useRealTimers());

type Handler = (ctx: BotContext) => Promise<void> | void;

/** Opens a bot whose handler runs in transactions over `chats`. */
function openBot(handler: Handler, chats: ChatTransactions = createMemoryStorage().chats) {
  const handled = vi.fn(handler);
  const { log, texts } = recordingLog();
  const last: Middleware<BotContext> = (ctx) => handled(ctx);
  return { ...standInBot(transaction({ chats, log }), last), chats, handled, log: texts };
}

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

describe('a transaction', () => {
  test('writes its changes, which the next one reads', async () => {
    const seen: unknown[] = [];
    const { handle } = openBot(({ tx }) => {
      seen.push([tx.attempt, tx.session, tx.conversation]);
      tx.saveSession('a session');
      tx.conversation = 'a conversation';
    });
    await handle(textUpdate(1, CHAT));
    await handle(textUpdate(2, CHAT));
    expect(seen).toEqual([
      [1, undefined, undefined],
      [1, 'a session', 'a conversation'],
    ]);
  });

  test('reads ahead together with its start, after the previous update has ended', async () => {
    const { chats } = createMemoryStorage();
    const order: string[] = [];
    const watched: ChatTransactions = {
      ...chats,
      begin(request) {
        order.push(`begin ${request.update}`);
        return chats.begin(request);
      },
      commit(request) {
        order.push(`commit ${request.update}`);
        return chats.commit(request);
      },
    };
    const { log } = recordingLog();
    const ahead = ({ update }: BotContext) => void order.push(`ahead ${update.update_id}`);
    const { handle } = standInBot(transaction({ chats: watched, prefetch: ahead, log }), () => undefined);
    await Promise.all([handle(textUpdate(1, CHAT)), handle(textUpdate(2, CHAT))]);
    expect(order).toEqual(['begin 1', 'ahead 1', 'commit 1', 'begin 2', 'ahead 2', 'commit 2']);
  });

  test('deletes a conversation that has ended', async () => {
    const { handle, chats } = openBot(({ tx, update }) => {
      tx.conversation = update.update_id === 1 ? 'open' : undefined;
    });
    await handle(textUpdate(1, CHAT));
    await handle(textUpdate(2, CHAT));
    expect(await begin(chats, 3)).toMatchObject({ conversation: undefined });
  });

  test('handles a repeated update once', async () => {
    const { handle, handled } = openBot(() => {});
    await Promise.all([1, 2, 3].map(() => handle(textUpdate(1, CHAT))));
    await handle(textUpdate(1, CHAT));
    expect(handled).toHaveBeenCalledOnce();
  });

  test('writes nothing if the handler fails, and a repetition counts as another attempt', async () => {
    const attempts: number[] = [];
    const { handle, chats } = openBot(({ tx }) => {
      attempts.push(tx.attempt);
      tx.saveSession('half done');
      tx.afterCommit(async () => void attempts.push(99));
      if (tx.attempt < 3) throw new Error('no');
    });
    expect(await thrownBy(handle(textUpdate(1, CHAT)))).toMatchObject({ message: 'no' });
    expect(await begin(chats, 9)).toMatchObject({ kind: 'granted', session: undefined });
    await chats.release({ chat: CHAT, token: 'another process' });
    await thrownBy(handle(textUpdate(1, CHAT)));
    await handle(textUpdate(1, CHAT));
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
    await handle(textUpdate(1, CHAT));
    expect(found).toEqual(['claimed']);
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
    expect(await thrownBy(handle(textUpdate(1, CHAT)))).toBeInstanceOf(TransactionLost);
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
    expect(await thrownBy(handle(textUpdate(1, CHAT)))).toBeInstanceOf(TransactionLost);
    expect(follows).not.toHaveBeenCalled();
    expect(await begin(chats, 2)).toMatchObject({ kind: 'granted', session: undefined });
  });

  test('throws CommitUnclear if the commit fails, and runs no after-commit function', async () => {
    const { chats } = createMemoryStorage();
    const follows = vi.fn(async () => {});
    const away = { ...chats, commit: () => Promise.reject(new Error('away')) };
    const { handle } = openBot(({ tx }) => tx.afterCommit(follows), away);
    expect(await thrownBy(handle(textUpdate(1, CHAT)))).toBeInstanceOf(CommitUnclear);
    expect(follows).not.toHaveBeenCalled();
  });

  test('releases its chat after a failed commit', async () => {
    const { chats } = createMemoryStorage();
    const refusing = { ...chats, commit: () => Promise.reject(new Error('no memory')) };
    const { handle } = openBot(() => {}, refusing);
    await thrownBy(handle(textUpdate(1, CHAT)));
    expect(await begin(chats, 2)).toMatchObject({ kind: 'granted' });
  });

  test('stays committed if an after-commit function fails', async () => {
    const follows = vi.fn(async () => {});
    const { handle, log } = openBot(({ tx }) => {
      tx.afterCommit(() => Promise.reject(new Error('the queue is away')));
      tx.afterCommit(follows);
    });
    await handle(textUpdate(1, CHAT));
    expect(follows).toHaveBeenCalledOnce();
    expect(log.join()).toContain('the queue is away');
  });

  test('runs no handler if it cannot begin', async () => {
    const { chats } = createMemoryStorage();
    const away = { ...chats, begin: () => Promise.reject(new Error('away')) };
    const { handle, handled } = openBot(() => {}, away);
    expect(await thrownBy(handle(textUpdate(1, CHAT)))).toBeInstanceOf(UpdateNotBegun);
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
    await handle(textUpdate(1, CHAT));
    await handle(textUpdate(1, CHAT));
    expect(handled).toHaveBeenCalledOnce();
    expect(await begin(chats, 2)).toMatchObject({ session: undefined, conversation: undefined });
    expect(await storage.get('operation')).toBe('draft');
    expect(follows).not.toHaveBeenCalled();
  });

  test('throws the error of the handler even if releasing the chat fails', async () => {
    const { chats } = createMemoryStorage();
    const away = { ...chats, release: () => Promise.reject(new Error('away')) };
    const { handle, log } = openBot(() => Promise.reject(new Error('no')), away);
    expect(await thrownBy(handle(textUpdate(1, CHAT)))).toMatchObject({ message: 'no' });
    expect(log.join()).toContain('a chat stays taken');
  });
});

describe('a handler that takes more than eight seconds', () => {
  test('is aborted; its changes are dropped and its chat is released once it ends', async () => {
    vi.useFakeTimers();
    const follows = vi.fn(async () => {});
    let end = () => {};
    const { handle, chats } = openBot(async ({ tx }) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      tx.saveSession('too late');
      tx.afterCommit(follows);
    });
    const thrown = thrownBy(handle(textUpdate(1, CHAT)));
    await vi.advanceTimersByTimeAsync(7_999);
    expect(await begin(chats, 2)).toMatchObject({ kind: 'busy' });
    await vi.advanceTimersByTimeAsync(1);
    expect(await thrown).toBeInstanceOf(TransactionLost);
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(await begin(chats, 2)).toMatchObject({ kind: 'granted' });
    await chats.release({ chat: CHAT, token: 'another process' });
    expect(await begin(chats, 3)).toMatchObject({ session: undefined });
    expect(follows).not.toHaveBeenCalled();
  });
});

describe('an aborted handler', () => {
  /** Opens a bot whose handler is aborted while it waits. `end` lets it continue with `goOn`. */
  async function cutOff(goOn: (ctx: BotContext) => Promise<unknown>) {
    vi.useFakeTimers();
    let end = () => {};
    const went = vi.fn();
    const bot = openBot(async (ctx) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      await goOn(ctx).then(
        () => went('done'),
        (error: unknown) => went(error),
      );
    });
    const thrown = thrownBy(bot.handle(textUpdate(1, CHAT)));
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await thrown).toBeInstanceOf(TransactionLost);
    return { ...bot, went, end: () => end() };
  }

  test.each<[string, (ctx: BotContext) => Promise<unknown>]>([
    ['a message', (ctx) => ctx.reply('too late')],
    ['a deletion', (ctx) => ctx.deleteMessage()],
    ['a write that checks the signal', async ({ tx }) => tx.signal.throwIfAborted()],
  ])('has no effect afterwards: %s', async (_, goOn) => {
    const { went, end, calls } = await cutOff(goOn);
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(went.mock.calls).toEqual([[expect.any(TransactionLost)]]);
    expect(calls).toEqual([]);
  });

  test('keeps its chat leased until it has ended', async () => {
    const { chats, end } = await cutOff(async () => {});
    expect(await begin(chats, 1)).toMatchObject({ kind: 'busy' });
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(await begin(chats, 1)).toMatchObject({ kind: 'granted', attempt: 2 });
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
    const thrown = thrownBy(bot.handle(textUpdate(1, CHAT)));
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
    const done = handle(textUpdate(1, CHAT));
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
    const thrown = thrownBy(handle(textUpdate(1, CHAT)));
    await vi.advanceTimersByTimeAsync(5_200);
    expect(await thrown).toBeInstanceOf(ChatBusy);
    expect(handled).not.toHaveBeenCalled();
  });
});

test('handles updates of one chat in order, and different chats in parallel', async () => {
  const events: string[] = [];
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { chats } = createMemoryStorage();
  const begun = vi.spyOn(chats, 'begin');
  const { handle } = openBot(async ({ update }) => {
    events.push(`${update.update_id} begins`);
    if (update.update_id === 1) await held;
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
