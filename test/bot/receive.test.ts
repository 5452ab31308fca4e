import { Bot, HttpError, type Middleware } from 'grammy';
import { describe, expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { errorBoundary } from '../../src/bot/middleware/error-boundary.ts';
import { privateOnly } from '../../src/bot/middleware/guards.ts';
import { ChatBusy, transaction } from '../../src/bot/middleware/transaction.ts';
import { createUpdateReceiver } from '../../src/bot/receive.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { type ChatTransactions, StorageUnavailable } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, groupUpdate, standInBot, tapUpdate } from './stand-in-bot.ts';

const texts = TEXTS;
const log = silentLog();
const away = () => Promise.reject(new StorageUnavailable('away'));

function receiving(...middleware: Middleware<BotContext>[]) {
  const standIn = standInBot(...middleware);
  const clock = { ms: 0 };
  return {
    ...standIn,
    ...createUpdateReceiver({ bot: standIn.bot, texts, log, now: () => clock.ms }),
    clock,
  };
}

const receivingOver = (chats: Partial<ChatTransactions>, handler: Middleware<BotContext> = () => {}) =>
  receiving(
    transaction({ chats: { ...createMemoryStorage().chats, ...chats }, log }),
    errorBoundary({ texts, log }),
    handler,
  );

test('returns done after a handled update', async () => {
  const { receive, calls } = receiving(() => {});
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
  expect(calls).toEqual([]);
});

test.each([
  ['a message', textUpdate(1, CHAT)],
  ['a tap', tapUpdate(1, 'energy:open')],
  ['a cancelled card', tapUpdate(1, 'operation:cancel:ABCD1234')],
])('if the storage is unavailable, replies to %s that nothing was done', async (_, update) => {
  const handler = vi.fn();
  const { receive, calls } = receivingOver({ begin: away }, handler);
  expect(await receive(update)).toEqual({ kind: 'done' });
  expect(calls).toMatchObject([
    {
      method: 'sendMessage',
      payload: { chat_id: CHAT, text: expect.stringContaining('Nothing was done') },
    },
  ]);
  expect(handler).not.toHaveBeenCalled();
});

test('replies in the language of the user', async () => {
  const { receive, said } = receivingOver({ begin: away });
  const update = textUpdate(1, CHAT);
  if (update.message?.from) update.message.from.language_code = 'ru';
  await receive(update);
  expect(said()).toEqual([texts.in('ru').plain('fault-storage-message')]);
});

test('fails the update if the reply cannot be sent, unless the user blocked the bot', async () => {
  const unreached = receivingOver({ begin: away });
  unreached.trouble('sendMessage', 'unreached');
  expect(await unreached.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  const blocked = receivingOver({ begin: away });
  blocked.trouble('sendMessage', { code: 403, description: 'Forbidden: bot was blocked by the user' });
  expect(await blocked.receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
});

test.each([
  ['429', { code: 429, description: 'Too Many Requests', retryAfter: 9 }, { kind: 'failed', afterMs: 9_000 }],
  ['a server error', { code: 502, description: 'Bad Gateway' }, { kind: 'failed' }],
])(
  'fails the update if Telegram rejects the reply with %s, and replies on the retry',
  async (_, trouble, received) => {
    for (const update of [textUpdate(1, CHAT), tapUpdate(1, 'operation:confirm:ABCD1234')]) {
      const bot = receivingOver({ begin: away });
      bot.trouble('sendMessage', trouble);
      expect(await bot.receive(update)).toEqual(received);
      bot.trouble('sendMessage', undefined);
      expect(await bot.receive(update)).toEqual({ kind: 'done' });
      expect(bot.said()).toHaveLength(2);
    }
  },
);

test('retries an update within a minute, even if a 429 asks for a longer delay', async () => {
  const bot = receivingOver({ begin: away });
  bot.trouble('sendMessage', { code: 429, description: 'Too Many Requests', retryAfter: 3_600 });
  expect(await bot.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed', afterMs: 60_000 });
});

test('ends the update if Telegram rejects the reply as invalid', async () => {
  const bot = receivingOver({ begin: away });
  bot.trouble('sendMessage', { code: 400, description: 'Bad Request: chat not found' });
  expect(await bot.receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
});

describe('an update that keeps failing', () => {
  const failing = () => receivingOver({}, () => Promise.reject(new HttpError('no answer', new Error('cut'))));
  const MINUTE = 60_000;

  test.each([
    ['a message', textUpdate(1, CHAT), 'fault-given-up-message'],
    ['a tap', tapUpdate(1, 'energy:open'), 'fault-given-up'],
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
    expect(said()).toEqual([texts.in('en').plain(words)]);
  });

  test('is retried for an hour while the reply cannot be sent', async () => {
    const { receive, clock, trouble } = failing();
    trouble('sendMessage', { code: 429, description: 'Too Many Requests' });
    for (const ms of [0, 3 * MINUTE, 60 * MINUTE]) {
      clock.ms = ms;
      expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
    }
    clock.ms += 1;
    expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
  });

  test('gets the full time again after a success', async () => {
    let broken = true;
    const bot = receivingOver({}, () =>
      broken ? Promise.reject(new HttpError('no', new Error('cut'))) : undefined,
    );
    expect(await bot.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
    broken = false;
    bot.clock.ms = MINUTE;
    expect(await bot.receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
    broken = true;
    bot.clock.ms = 3 * MINUTE;
    expect(await bot.receive(textUpdate(2, CHAT))).toEqual({ kind: 'failed' });
    expect(bot.said()).toEqual([]);
  });

  test('because its chat is busy is dropped in the same way', async () => {
    const { receive, said, clock } = receiving(() => Promise.reject(new ChatBusy()));
    expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'busy' });
    clock.ms = 2 * MINUTE + 1;
    expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
    expect(said()).toEqual([texts.in('en').plain('fault-given-up-message')]);
  });
});

test('fails the update without a reply if the commit fails', async () => {
  const { receive, calls } = receivingOver({ commit: away });
  expect(await receive(textUpdate(1, CHAT, '/start'))).toEqual({ kind: 'failed' });
  expect(calls).toEqual([]);
});

test.each([
  ['the typed word', textUpdate(1, CHAT, 'Confirm')],
  ["another feature's button", tapUpdate(1, 'energy:confirm:ABCD1234')],
  ['forged data', tapUpdate(1, 'confirm:ABCD1234')],
])('%s is not treated as a confirmation', async (_, update) => {
  const begun = receivingOver({ begin: away });
  expect(await begun.receive(update)).toEqual({ kind: 'done' });
  expect(begun.said().join()).toContain('Nothing was done');
  expect(await receivingOver({ commit: away }).receive(update)).toEqual({ kind: 'failed' });
});

describe('a confirmation', () => {
  const update = tapUpdate(1, 'operation:confirm:ABCD1234');

  test.each([
    ['begin', { begin: away }],
    ['commit', { commit: away }],
  ])('gets the reply that its outcome is unclear if %s failed', async (_, gone) => {
    const { receive, said } = receivingOver(gone);
    expect(await receive(update)).toEqual({ kind: 'done' });
    expect(said()).toEqual([texts.in('en').plain('fault-unclear')]);
    expect(said().join()).not.toContain('Nothing was done');
  });

  test('fails if the reply cannot be sent', async () => {
    const bot = receivingOver({ commit: away });
    bot.trouble('sendMessage', 'unreached');
    expect(await bot.receive(update)).toEqual({ kind: 'failed' });
  });

  test('is retried without a reply if the handler failed', async () => {
    const { receive, calls } = receivingOver({}, () => Promise.reject(new Error('no')));
    expect(await receive(update)).toEqual({ kind: 'failed' });
    expect(calls).toEqual([]);
  });
});

test('sends no reply if the storage becomes unavailable during the handler', async () => {
  const { receive, calls } = receivingOver({}, away);
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  expect(calls).toEqual([]);
});

test('is busy and handles nothing until the bot info is known', async () => {
  const { botInfo } = standInBot().bot;
  const handler = vi.fn();
  const bot = new Bot<BotContext>('700:stands-in-for-a-token');
  bot.use(handler);
  const { receive } = createUpdateReceiver({ bot, texts, log, now: () => 0 });
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'busy' });
  bot.botInfo = botInfo;
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
  expect(handler).toHaveBeenCalledOnce();
});

test('returns busy without a reply if the chat is busy', async () => {
  const { receive, calls } = receiving(() => Promise.reject(new ChatBusy()));
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'busy' });
  expect(calls).toEqual([]);
});

test('fails without a reply if the handler failed or its claim conflicted', async () => {
  const failing = receivingOver({}, () => Promise.reject(new Error('no')));
  expect(await failing.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  const lost = receivingOver({ commit: async () => 'conflict' });
  expect(await lost.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  expect([...failing.calls, ...lost.calls]).toEqual([]);
});

test('ends the update of a group in which the bot cannot write', async () => {
  const bot = receiving(privateOnly({ texts, log }));
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
  const received = receive(textUpdate(1, CHAT));
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
