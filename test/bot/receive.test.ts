import { Bot, HttpError, type Middleware } from 'grammy';
import { describe, expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { boundary } from '../../src/bot/middleware/boundary.ts';
import { privateOnly } from '../../src/bot/middleware/private-only.ts';
import { ChatBusy, transaction } from '../../src/bot/middleware/transaction.ts';
import { createReceiving } from '../../src/bot/receive.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { type ChatTransactions, StorageUnavailable } from '../../src/storage/storage.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, groupUpdate, standInBot, tapUpdate } from './stand-in-bot.ts';

const texts = createTexts();
const log = silentLog();
const away = () => Promise.reject(new StorageUnavailable('away'));

function receiving(...middleware: Middleware<BotContext>[]) {
  const standIn = standInBot(...middleware);
  const clock = { ms: 0 };
  return { ...standIn, ...createReceiving({ bot: standIn.bot, texts, log, now: () => clock.ms }), clock };
}

const receivingOver = (chats: Partial<ChatTransactions>, handler: Middleware<BotContext> = () => {}) =>
  receiving(
    transaction({ chats: { ...createMemoryStorage().chats, ...chats }, log }),
    boundary({ texts, log }),
    handler,
  );

test('what was handled is done', async () => {
  const { receive, calls } = receiving(() => {});
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
  expect(calls).toEqual([]);
});

test.each([
  ['a message', textUpdate(1, CHAT)],
  ['a tap', tapUpdate(1, 'energy:open')],
  ['a cancelled card', tapUpdate(1, 'operation:cancel:ABCD1234')],
])(
  'where the storage is gone, the author of %s is told that nothing was done, and the update is over',
  async (_, update) => {
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
  },
);

test('they are told in their language', async () => {
  const { receive, said } = receivingOver({ begin: away });
  const update = textUpdate(1, CHAT);
  if (update.message?.from) update.message.from.language_code = 'ru';
  await receive(update);
  expect(said()).toEqual([texts.in('ru').plain('fault-storage-message')]);
});

test('where they can not be told either, the update comes again; where they can never be, it is over', async () => {
  const unreached = receivingOver({ begin: away });
  unreached.trouble('sendMessage', 'unreached');
  expect(await unreached.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  const blocked = receivingOver({ begin: away });
  blocked.trouble('sendMessage', { code: 403, description: 'Forbidden: bot was blocked by the user' });
  expect(await blocked.receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
});

test.each([
  ['429', { code: 429, description: 'Too Many Requests', retryAfter: 9 }, { kind: 'failed', afterMs: 9_000 }],
  ['a fault of its own', { code: 502, description: 'Bad Gateway' }, { kind: 'failed' }],
])(
  'a word that Telegram refuses for now with %s is not taken as said: the update comes again, and is told then',
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

test('tries an update again within a minute, however long a 429 asks to wait', async () => {
  const bot = receivingOver({ begin: away });
  bot.trouble('sendMessage', { code: 429, description: 'Too Many Requests', retryAfter: 3_600 });
  expect(await bot.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed', afterMs: 60_000 });
});

test('a word that Telegram refuses as wrong is never said, and its update is over', async () => {
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
  ] as const)('is given up after two minutes, and the author of %s is told', async (_, update, words) => {
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

  test('goes on failing while its author can not be told, for an hour', async () => {
    const { receive, clock, trouble } = failing();
    trouble('sendMessage', { code: 429, description: 'Too Many Requests' });
    for (const ms of [0, 3 * MINUTE, 60 * MINUTE]) {
      clock.ms = ms;
      expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
    }
    clock.ms += 1;
    expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
  });

  test('is given as much time when it comes anew as any other', async () => {
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

  test('as its chat is busy is given up in the same way', async () => {
    const { receive, said, clock } = receiving(() => Promise.reject(new ChatBusy()));
    expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'busy' });
    clock.ms = 2 * MINUTE + 1;
    expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
    expect(said()).toEqual([texts.in('en').plain('fault-given-up-message')]);
  });
});

test('where the commit was not answered, the update comes again, and nothing is said yet', async () => {
  const { receive, calls } = receivingOver({ commit: away });
  expect(await receive(textUpdate(1, CHAT, '/start'))).toEqual({ kind: 'failed' });
  expect(calls).toEqual([]);
});

test.each([
  ['the word for it', textUpdate(1, CHAT, 'Confirm')],
  ["another feature's button", tapUpdate(1, 'energy:confirm:ABCD1234')],
  ['made-up data', tapUpdate(1, 'confirm:ABCD1234')],
])('%s is no confirmation: nothing can have been bought by it', async (_, update) => {
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
  ])(
    'whose %s was not answered may stand: it is said that nobody can tell, and it is over',
    async (_, gone) => {
      const { receive, said } = receivingOver(gone);
      expect(await receive(update)).toEqual({ kind: 'done' });
      expect(said()).toEqual([texts.in('en').plain('fault-unclear')]);
      expect(said().join()).not.toContain('Nothing was done');
    },
  );

  test('of which its author can not be told either comes again', async () => {
    const bot = receivingOver({ commit: away });
    bot.trouble('sendMessage', 'unreached');
    expect(await bot.receive(update)).toEqual({ kind: 'failed' });
  });

  test('whose handler failed comes again, and nothing is said yet', async () => {
    const { receive, calls } = receivingOver({}, () => Promise.reject(new Error('no')));
    expect(await receive(update)).toEqual({ kind: 'failed' });
    expect(calls).toEqual([]);
  });
});

test('a storage that goes while a handler works is no reason to say that nothing was done', async () => {
  const { receive, calls } = receivingOver({}, away);
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  expect(calls).toEqual([]);
});

test('before Telegram has said who the bot is, nothing is handled, and the update comes again', async () => {
  const { botInfo } = standInBot().bot;
  const handler = vi.fn();
  const bot = new Bot<BotContext>('700:stands-in-for-a-token');
  bot.use(handler);
  const { receive } = createReceiving({ bot, texts, log, now: () => 0 });
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'busy' });
  bot.botInfo = botInfo;
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'done' });
  expect(handler).toHaveBeenCalledOnce();
});

test('where the chat is busy, the update comes again soon, and nothing is said', async () => {
  const { receive, calls } = receiving(() => Promise.reject(new ChatBusy()));
  expect(await receive(textUpdate(1, CHAT))).toEqual({ kind: 'busy' });
  expect(calls).toEqual([]);
});

test('where a handler failed or lost its claim, the update comes again, and nothing is said yet', async () => {
  const failing = receivingOver({}, () => Promise.reject(new Error('no')));
  expect(await failing.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  const lost = receivingOver({ commit: async () => 'conflict' });
  expect(await lost.receive(textUpdate(1, CHAT))).toEqual({ kind: 'failed' });
  expect([...failing.calls, ...lost.calls]).toEqual([]);
});

test('a group in which the bot may not write does not bring its update back for ever', async () => {
  const bot = receiving(privateOnly({ texts, log }));
  bot.trouble('sendMessage', {
    code: 403,
    description: 'Forbidden: bot was kicked from the supergroup chat',
  });
  expect(await bot.receive(groupUpdate(1, '/start'))).toEqual({ kind: 'done' });
});

test('it is idle once no update is under way, also when one failed', async () => {
  const ends: (() => void)[] = [];
  const { receive, idle } = receiving(async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    throw new Error('no');
  });
  await idle();
  const received = receive(textUpdate(1, CHAT));
  let isIdle = false;
  const idling = idle().then(() => {
    isIdle = true;
  });
  await eventually(() => expect(ends).toHaveLength(1));
  expect(isIdle).toBe(false);
  ends[0]?.();
  await idling;
  expect(await received).toEqual({ kind: 'failed' });
});
