import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createTelegramSandbox } from '../../../src/sandbox/telegram/telegram-sandbox.ts';
import { readEvents } from '../../support/event-stream.ts';
import { createStillClock } from '../../support/still-clock.ts';
import { badRequest, START, TOKEN, useTelegram } from './telegram-server.ts';

const telegram = useTelegram();
const { call, clock, control, messages, send, write } = telegram;

/** Opens a stream and reads its events, as JSON. */
async function openStream(url: string) {
  const events = readEvents(await fetch(url));
  expect((await events.next()).value).toEqual({ data: '' });
  return {
    async next() {
      const { value } = await events.next();
      return value && { event: value.kind, data: JSON.parse(value.data) };
    },
  };
}

describe('a user', () => {
  it('is one of four, or a member of the group', async () => {
    expect(await control('GET /people')).toMatchObject([
      { id: 501, role: 'guest', language_code: 'en' },
      { id: 502, role: 'account holder', language_code: 'en' },
      { id: 503, role: 'merchant', language_code: 'ru' },
      { id: 504, role: 'admin', language_code: 'en' },
    ]);
  });

  it('writes to the bot, with message ids that are shared by both sides', async () => {
    const { message_id, update_id } = await write('/start pay_42');
    expect(message_id).toBe(1);
    const { result } = await call('sendMessage', { chat_id: 501, text: 'Hello' });
    expect(result?.message_id).toBe(2);
    expect((await write('and /help@rental_demo_bot')).message_id).toBe(3);
    expect((await call('getUpdates')).result).toEqual([
      {
        update_id,
        message: {
          message_id: 1,
          from: { id: 501, is_bot: false, first_name: 'Guest', username: 'demo_guest', language_code: 'en' },
          chat: { id: 501, type: 'private', first_name: 'Guest', username: 'demo_guest' },
          date: clock.now() / 1_000,
          text: '/start pay_42',
          entities: [{ type: 'bot_command', offset: 0, length: 6 }],
        },
      },
      expect.objectContaining({
        message: expect.objectContaining({ entities: [{ type: 'bot_command', offset: 4, length: 21 }] }),
      }),
    ]);
  });

  it('sees the chat as their client shows it', async () => {
    await send({ text: '<b>Hi</b>', parse_mode: 'HTML' });
    expect(await messages()).toEqual([
      {
        message_id: 1,
        date: clock.now() / 1_000,
        from: 'person',
        from_id: 501,
        text: '/start',
        entities: [{ type: 'bot_command', offset: 0, length: 6 }],
        html: '<span class="command" data-command="/start">/start</span>',
        edited: false,
      },
      {
        message_id: 2,
        date: clock.now() / 1_000,
        from: 'bot',
        from_id: 700,
        text: 'Hi',
        entities: [{ type: 'bold', offset: 0, length: 2 }],
        html: '<b>Hi</b>',
        edited: false,
      },
    ]);
  });

  it('can send any callback data', async () => {
    const message_id = await send();
    const { update_id, callback_id } = await control('POST /chats/501/taps', { message_id, data: 'made up' });
    const { result } = await call('getUpdates');
    expect((result as unknown as unknown[])[1]).toEqual({
      update_id,
      callback_query: {
        id: callback_id,
        from: expect.objectContaining({ id: 501 }),
        message: expect.objectContaining({ message_id, text: 'Hello' }),
        chat_instance: expect.stringMatching(/^\d+$/),
        data: 'made up',
      },
    });
  });

  it('receives one answer to a tap, if it is in time', async () => {
    const message_id = await send();
    const tap = async () => (await control('POST /chats/501/taps', { message_id, data: 'a' })).callback_id;
    const answer = (callback_query_id: unknown) => call('answerCallbackQuery', { callback_query_id });
    const first = await tap();
    expect((await answer(first)).result).toBe(true);
    const second = await answer(first);
    const late = await tap();
    clock.advance(150_001);
    for (const refused of [second, await answer(late), await answer('never'), await answer('')]) {
      expect(refused).toMatchObject(
        badRequest('query is too old and response timeout expired or query ID is invalid'),
      );
    }
  });

  it('blocks the bot, which is notified once, and can write again only after unblocking', async () => {
    await control('POST /chats/501/block');
    await control('POST /chats/501/block');
    expect(await write('hello?')).toMatchObject({ error: expect.any(String) });
    await control('POST /chats/501/unblock');
    expect((await call('getUpdates')).result).toMatchObject([
      {
        my_chat_member: {
          chat: { id: 501 },
          from: { id: 501 },
          old_chat_member: { user: { id: 700 }, status: 'member' },
          new_chat_member: { user: { id: 700 }, status: 'kicked' },
        },
      },
      { my_chat_member: { old_chat_member: { status: 'kicked' }, new_chat_member: { status: 'member' } } },
    ]);
    expect(await write('hello')).toMatchObject({ message_id: 1 });
  });

  it.each([
    ['POST /chats/77/messages', { text: 'x' }, 'There is no such chat.'],
    ['POST /chats/501/messages', { text: ' ' }, 'text'],
    ['POST /chats/501/messages', { text: 'x', from: 502 }, 'This person is not in the chat.'],
    ['POST /chats/501/taps', { message_id: 9, data: 'a' }, 'There is no such message.'],
    ['DELETE /chats/501/messages/9', undefined, 'There is no such message.'],
    ['POST /faults', { kind: 'fire' }, 'kind'],
    ['GET /photos/none.png', undefined, 'There is no such photo.'],
    ['GET /nothing', undefined, 'There is no such thing.'],
  ])('receives an error when %s is invalid', async (request, body, error) => {
    expect(await control(request, body)).toEqual({ error: expect.stringContaining(error) });
  });
});

describe('in the group', () => {
  it.each([
    ['/start', true],
    ['/buy@rental_demo_bot now', true],
    ['hello @Rental_Demo_Bot', true],
    ['/start@another_bot', false],
    ['hello everybody', false],
    ['not a /command at its beginning', false],
    ['mail@rental_demo_bot', false],
  ])('sends the bot in privacy mode %j: %s', async (text, isHeard) => {
    const { message_id, update_id } = await write(text, -1001, 502);
    expect(message_id).toBe(1);
    expect(update_id).toEqual(isHeard ? expect.any(Number) : null);
    const { result } = await call('getUpdates');
    expect(result).toMatchObject(
      isHeard ? [{ message: { text, from: { id: 502 }, chat: { id: -1001, type: 'group' } } }] : [],
    );
  });

  it('lets the bot write first, and any member tap', async () => {
    const { result } = await call('sendMessage', { chat_id: -1001, text: 'Hello all' });
    await control('POST /chats/-1001/taps', { message_id: result?.message_id, data: 'a', from: 503 });
    expect((await call('getUpdates')).result).toMatchObject([
      { callback_query: { from: { id: 503 }, message: { chat: { id: -1001 } } } },
    ]);
  });
});

describe("a chat's stream", () => {
  it('reports the events of its chat only', async () => {
    const stream = await openStream(`${telegram.server.origin}/sandbox/telegram/chats/501/stream`);
    await write('elsewhere', 502);
    await write('/start');
    expect(await stream.next()).toMatchObject({ event: 'message', data: { from: 'person', text: '/start' } });
    const { result } = await call('sendMessage', { chat_id: 501, text: 'one' });
    expect(await stream.next()).toMatchObject({ event: 'message', data: { from: 'bot', html: 'one' } });
    const message_id = result?.message_id;
    await call('editMessageText', { chat_id: 501, message_id, text: 'two' });
    expect(await stream.next()).toMatchObject({
      event: 'edit',
      data: { message_id, html: 'two', edited: true },
    });
    const { callback_id } = await control('POST /chats/501/taps', { message_id, data: 'a' });
    await call('answerCallbackQuery', { callback_query_id: callback_id, text: 'Done', show_alert: true });
    expect(await stream.next()).toEqual({ event: 'toast', data: { callback_id, text: 'Done', alert: true } });
    await call('deleteMessage', { chat_id: 501, message_id });
    expect(await stream.next()).toEqual({ event: 'delete', data: { message_id } });
    await control('POST /reset');
    expect(await stream.next()).toEqual({ event: 'chat', data: {} });
  });

  it('ends when the sandbox is stopped', async () => {
    const stream = await openStream(`${telegram.server.origin}/sandbox/telegram/chats/501/stream`);
    telegram.server.sandbox.stop();
    expect(await stream.next()).toBeUndefined();
  });
});

describe('a reset', () => {
  it('clears chats, queue, journal and faults, but keeps webhook, commands and id counters', async () => {
    await call('setMyCommands', { commands: [{ command: 'start', description: 'Begin' }] });
    const before = await write('/start');
    await control('POST /faults', { kind: 'error', times: 9 });
    await control('POST /reset');
    expect(await messages()).toEqual([]);
    expect(await control('GET /pending')).toBe(0);
    expect(await control('GET /calls')).toEqual([]);
    expect((await call('sendMessage', { chat_id: 501, text: 'x' })).status).toBe(403);
    expect(await control('GET /bot')).toMatchObject({ commands: [{ command: 'start' }] });
    const after = await write('/start');
    expect(after.message_id).toBeGreaterThan(before.message_id);
    expect(after.update_id).toBeGreaterThan(before.update_id ?? 0);
  });
});

const FIRST = 10_001;

let message_id: number;

/** Creates a crowd. The admin has written the message that is copied to it. */
async function started(order: object = { count: 10 }) {
  ({ message_id } = await write('What everybody is to read', 504));
  expect(await control('POST /crowd', { first_id: FIRST, ...order })).toEqual({ ok: true });
}

const copy = (chat_id: number) => call('copyMessage', { chat_id, from_chat_id: 504, message_id });
const figures = () => control('GET /crowd?missed=1');

it('creates chats that have started the bot, and counts the messages of each', async () => {
  await started();
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
  await started({ count: 12, blocked_every: 4, deactivated_every: 6 });
  const descriptions: unknown[] = [];
  for (let at = 0; at < 12; at += 1) descriptions.push((await copy(FIRST + at)).description);
  const [blocked, gone] = ['Forbidden: bot was blocked by the user', 'Forbidden: user is deactivated'];
  expect([3, 7].map((at) => descriptions[at])).toEqual([blocked, blocked]);
  expect([5, 11].map((at) => descriptions[at])).toEqual([gone, gone]);
  expect(descriptions.filter(Boolean)).toHaveLength(4);
  expect(await figures()).toMatchObject({ count: 12, reached: 8, messages: 8, missed_count: 0, missed: [] });
});

it('does not count later blocks as missed, and lists missed chats only on request', async () => {
  await started({ count: 3 });
  await control(`POST /chats/${FIRST + 1}/block`);
  expect(await figures()).toMatchObject({ missed_count: 2, missed: [FIRST, FIRST + 2] });
  const listed = await control('GET /crowd');
  expect(listed).toEqual({ count: 3, reached: 0, messages: 0, more: [], missed_count: 2 });
});

it('lets a crowd’s user write, tap and delete, in their language', async () => {
  await started({ count: 2, language_code: 'ru' });
  const chat = FIRST + 1;
  await call('getUpdates', { offset: -1 });
  await write('/start', chat);
  const { result } = await call('sendMessage', {
    chat_id: chat,
    text: 'Menu',
    reply_parameters: { message_id: 1 },
  });
  const tap = { message_id: result?.message_id, data: 'a' };
  const { callback_id } = await control(`POST /chats/${chat}/taps`, tap);
  expect((await call('getUpdates')).result).toMatchObject([
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
  expect(await messages(chat)).toMatchObject([
    { from: 'person', text: '/start' },
    { from: 'bot', text: 'Menu', reply_to: 1 },
  ]);
  await call('editMessageText', { chat_id: chat, message_id: 2, text: 'Other menu' });
  await call('deleteMessage', { chat_id: chat, message_id: 1 });
  expect(await messages(chat)).toMatchObject([{ text: 'Other menu', edited: true }]);
  expect(await figures()).toMatchObject({ reached: 1, messages: 1, more: [] });
});

it('keeps the latest message of each side in a crowd’s chat', async () => {
  await started();
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
  await started();
  expect(await control('POST /crowd', order)).toEqual({ error: expect.stringContaining(problem) });
  expect(await control('POST /crowd', { first_id: FIRST + 10, count: 5 })).toEqual({ ok: true });
  expect(await control('GET /crowd')).toMatchObject({ count: 15 });
});

it('removes a crowd at a reset', async () => {
  await started();
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
  const sandbox = createTelegramSandbox({ clock: createStillClock(START), token: TOKEN, limits: false });
  const post = async (app: typeof sandbox.control | typeof sandbox.api, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  };
  const { message_id } = (await post(sandbox.control, '/chats/504/messages', {
    html: `<b>News</b> ${'x'.repeat(1_000)}`,
  })) as { message_id: number };
  const reach = async (from: number, to: number) => {
    for (let chat_id = from; chat_id < to; chat_id += 1) {
      await post(sandbox.api, `/bot${TOKEN}/copyMessage`, { chat_id, from_chat_id: 504, message_id });
    }
  };
  await post(sandbox.control, '/crowd', { first_id: 1_000_000, count: 6_000 });
  // The call journal is full from here on.
  await reach(1_000_000, 1_006_000);

  const before = used();
  await post(sandbox.control, '/crowd', { first_id: 2_000_000, count: 1_000_000 });
  expect(used() - before).toBeLessThan(1_000_000);
  await reach(2_000_000, 2_003_000);
  expect((used() - before) / 3_000).toBeLessThan(1_000);
  sandbox.stop();
});
