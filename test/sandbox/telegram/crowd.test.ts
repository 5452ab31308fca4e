import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createTelegramSandbox } from '../../../src/sandbox/telegram/telegram-sandbox.ts';
import { createStillClock } from './still-clock.ts';
import { startTelegram, TOKEN } from './telegram-server.ts';

const FIRST = 10_001;

async function started(order: object = { count: 10 }) {
  const server = await startTelegram();
  const { message_id } = await server.write('What everybody is to read', 504);
  expect(await server.control('POST /crowd', { first_id: FIRST, ...order })).toEqual({ ok: true });
  const copy = (chat_id: number) => server.call('copyMessage', { chat_id, from_chat_id: 504, message_id });
  const figures = () => server.control('GET /crowd?missed=1');
  return { ...server, copy, figures };
}

it('creates chats that have started the bot, and counts the messages of each', async () => {
  const { copy, figures, call } = await started();
  expect((await call('getUpdates', { offset: -1 })).result).toMatchObject([
    { message: { chat: { id: 504 } } },
  ]);
  for (const chat of [FIRST, FIRST, FIRST, FIRST + 1, FIRST + 9, FIRST + 9]) {
    expect((await copy(chat)).status).toBe(200);
  }
  expect(await figures()).toEqual({
    ...{ count: 10, reached: 3, messages: 6, missed_count: 7 },
    more: [
      [FIRST, 3],
      [FIRST + 9, 2],
    ],
    missed: [2, 3, 4, 5, 6, 7, 8].map((at) => FIRST + at),
  });
  expect((await copy(FIRST + 10)).description).toBe('Bad Request: chat not found');
  expect((await copy(FIRST + 0.5)).description).toBe('Bad Request: chat not found');
});

it('makes some users block the bot or delete their account, who do not count as missed', async () => {
  const { copy, figures } = await started({ count: 12, blocked_every: 4, deactivated_every: 6 });
  const descriptions: unknown[] = [];
  for (let at = 0; at < 12; at += 1) descriptions.push((await copy(FIRST + at)).description);
  const [blocked, gone] = ['Forbidden: bot was blocked by the user', 'Forbidden: user is deactivated'];
  expect([3, 7].map((at) => descriptions[at])).toEqual([blocked, blocked]);
  expect([5, 11].map((at) => descriptions[at])).toEqual([gone, gone]);
  expect(descriptions.filter(Boolean)).toHaveLength(4);
  expect(await figures()).toMatchObject({ count: 12, reached: 8, messages: 8, missed_count: 0, missed: [] });
});

it('does not count later blocks as missed, and lists missed chats only on request', async () => {
  const { control, figures } = await started({ count: 3 });
  await control(`POST /chats/${FIRST + 1}/block`);
  expect(await figures()).toMatchObject({ missed_count: 2, missed: [FIRST, FIRST + 2] });
  const listed = await control('GET /crowd');
  expect(listed).toEqual({ count: 3, reached: 0, messages: 0, more: [], missed_count: 2 });
});

it('lets a crowd’s user write, tap and delete, in their language', async () => {
  const server = await started({ count: 2, language_code: 'ru' });
  const chat = FIRST + 1;
  await server.call('getUpdates', { offset: -1 });
  await server.write('/start', chat);
  const { result } = await server.call('sendMessage', {
    chat_id: chat,
    text: 'Menu',
    reply_parameters: { message_id: 1 },
  });
  const tap = { message_id: result?.message_id, data: 'a' };
  const { callback_id } = await server.control(`POST /chats/${chat}/taps`, tap);
  expect((await server.call('getUpdates')).result).toMatchObject([
    { message: { chat: { id: 504 } } },
    {
      message: {
        text: '/start',
        from: { id: chat, language_code: 'ru' },
        chat: { id: chat, type: 'private' },
      },
    },
    { callback_query: { id: callback_id, from: { id: chat }, message: { text: 'Menu' } } },
  ]);
  expect(await server.messages(chat)).toMatchObject([
    { from: 'person', text: '/start' },
    { from: 'bot', text: 'Menu', reply_to: 1 },
  ]);
  await server.call('editMessageText', { chat_id: chat, message_id: 2, text: 'Other menu' });
  await server.call('deleteMessage', { chat_id: chat, message_id: 1 });
  expect(await server.messages(chat)).toMatchObject([{ text: 'Other menu', edited: true }]);
  expect(await server.figures()).toMatchObject({ reached: 1, messages: 1, more: [] });
});

it('keeps the latest message of each side in a crowd’s chat', async () => {
  const { call, write, messages, copy } = await started();
  for (const text of ['one', 'two']) {
    await write(text, FIRST);
    await call('sendMessage', { chat_id: FIRST, text: `${text}, too` });
  }
  expect(await messages(FIRST)).toMatchObject([
    { message_id: 3, text: 'two' },
    { message_id: 4, text: 'two, too' },
  ]);
  await copy(FIRST);
  const old = await call('editMessageText', { chat_id: FIRST, message_id: 4, text: 'x' });
  expect(old.description).toBe('Bad Request: message to edit not found');
});

it.each([
  [{ first_id: 502, count: 1 }, 'already'],
  [{ first_id: 690, count: 11 }, 'already'],
  [{ first_id: FIRST + 9, count: 5 }, 'already'],
  [{ first_id: FIRST - 4, count: 5 }, 'already'],
  [{ first_id: 0, count: 5 }, 'first_id'],
  [{ first_id: 1, count: 1_000_001 }, 'count'],
  [{ first_id: 1, count: 5, blocked_every: 0 }, 'blocked_every'],
])('rejects a crowd with %j', async (order, problem) => {
  const { control } = await started();
  expect(await control('POST /crowd', order)).toEqual({ error: expect.stringContaining(problem) });
  expect(await control('POST /crowd', { first_id: FIRST + 10, count: 5 })).toEqual({ ok: true });
  expect(await control('GET /crowd')).toMatchObject({ count: 15 });
});

it('removes a crowd at a reset', async () => {
  const { copy, control, figures } = await started();
  await copy(FIRST);
  await control('POST /reset');
  expect(await figures()).toMatchObject({ count: 0, reached: 0, messages: 0, missed_count: 0 });
  expect((await copy(FIRST)).description).toBe('Bad Request: chat not found');
});

it('uses less than a kilobyte per user who received a message, and none for others', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const telegram = createTelegramSandbox({ clock: createStillClock(), token: TOKEN, limits: false });
  const post = async (app: typeof telegram.control | typeof telegram.api, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  };
  const { message_id } = (await post(telegram.control, '/chats/504/messages', {
    html: `<b>News</b> ${'x'.repeat(1_000)}`,
  })) as { message_id: number };
  const reach = async (from: number, to: number) => {
    for (let chat_id = from; chat_id < to; chat_id += 1) {
      await post(telegram.api, `/bot${TOKEN}/copyMessage`, { chat_id, from_chat_id: 504, message_id });
    }
  };
  await post(telegram.control, '/crowd', { first_id: 1_000_000, count: 6_000 });
  // The call journal is full from here on.
  await reach(1_000_000, 1_006_000);

  const before = used();
  await post(telegram.control, '/crowd', { first_id: 2_000_000, count: 1_000_000 });
  expect(used() - before).toBeLessThan(1_000_000);
  await reach(2_000_000, 2_010_000);
  expect((used() - before) / 10_000).toBeLessThan(1_000);
  telegram.stop();
});
