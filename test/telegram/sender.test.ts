import { afterEach, beforeEach, describe, expect, type Mock, test, vi } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { BulkLimit } from '../../src/telegram/bulk-limit.ts';
import { createApi, createTelegramTransport, UnreadableResponse } from '../../src/telegram/fetch.ts';
import {
  type ChatHolds,
  type Copied,
  type Copier,
  createChatHolds,
  createCopier,
  createSender,
  type Sender,
  type Sent,
} from '../../src/telegram/sender.ts';
import { openBulkLimit } from '../support/bulk-limit.ts';
import { silentLog } from '../support/log-lines.ts';
import {
  badRequest,
  forbidden,
  refusal,
  SERVER_ERROR,
  type StubAnswer,
  startTelegramStub,
  type TelegramStub,
  TOKEN,
  tooManyRequests,
} from '../support/telegram-stub.ts';

let stub: TelegramStub;
let sender: Sender;
let copier: Copier;
let holds: ChatHolds;
let onDelivered: Mock<ChatHolds['onDelivered']>;
let bulkLimit: BulkLimit;
let clock: { now: number };

beforeEach(async () => {
  stub = await startTelegramStub();
  clock = { now: 1_000_000 };
  const now = () => clock.now;
  holds = createChatHolds({ now });
  onDelivered = vi.fn();
  const wait = async (ms: number) => {
    clock.now += ms;
  };
  bulkLimit = openBulkLimit({ storage: createMemoryStorage({ now }), now, wait });
  sender = createSender({ api: stub.newsApi, holds, bulkLimit });
  copier = createCopier({ api: stub.newsApi, holds: { onDelivered }, bulkLimit, now });
});

afterEach(() => stub.close());

const from = { chat: 504, message: 9 };
const keyboard = [[{ text: 'Back', callback_data: 'menu' }]];

test('sends HTML with buttons and without link previews', async () => {
  stub.plan('sendMessage', { result: { message_id: 42 } });
  const sent = await sender.send(501, { html: '<b>Hello</b>', keyboard });
  expect(sent).toEqual({ kind: 'sent', messageId: 42 });
  expect(stub.calls).toMatchObject([
    {
      method: 'sendMessage',
      params: {
        chat_id: 501,
        text: '<b>Hello</b>',
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        reply_markup: { inline_keyboard: keyboard },
      },
    },
  ]);
});

test('sends a reply even if the original message was deleted', async () => {
  await sender.send(501, { html: 'Hello' }, 7);
  expect(stub.callsOf('sendMessage')).toMatchObject([
    { params: { reply_parameters: { message_id: 7, allow_sending_without_reply: true } } },
  ]);
});

test('replaces the message’s text and buttons', async () => {
  const sent = await sender.edit(501, 7, { html: 'Done' });
  expect(sent).toEqual({ kind: 'sent', messageId: 7 });
  const [call] = stub.callsOf('editMessageText');
  expect(call?.params).toMatchObject({ chat_id: 501, message_id: 7, text: 'Done', parse_mode: 'HTML' });
  expect(call?.params).not.toHaveProperty('reply_markup');
});

test('replaces the caption and buttons of a picture, and the picture unless it is kept', async () => {
  const content = { html: 'Paid', keyboard, photo: Buffer.from('a picture') };
  await sender.editPhoto(501, 7, content, true);
  await sender.editPhoto(501, 7, content, false);
  const params = { message_id: 7, caption: 'Paid', reply_markup: { inline_keyboard: keyboard } };
  expect(stub.calls).toMatchObject([
    { method: 'editMessageCaption', params },
    { method: 'editMessageMedia' },
  ]);
});

describe('distinguishes responses to messages and edits:', () => {
  const unreadable = (got: string): Sent => ({
    kind: 'unclear',
    reason: new UnreadableResponse(got).message,
  });

  test.each<[string, StubAnswer, Sent]>([
    [
      'an unchanged message',
      badRequest('message is not modified: specified new message content and reply markup are the same'),
      { kind: 'unchanged' },
    ],
    ['a user who blocked the bot', forbidden('bot was blocked by the user'), { kind: 'blocked' }],
    ['a deactivated user', forbidden('user is deactivated'), { kind: 'blocked' }],
    ['an unknown chat', badRequest('chat not found'), { kind: 'gone' }],
    ['an unknown message', badRequest('message to edit not found'), { kind: 'gone' }],
    ['a message too old to edit', badRequest("message can't be edited"), { kind: 'gone' }],
    ['a limit', tooManyRequests(17), { kind: 'later', afterMs: 5_000 }],
    [
      'a limit without a number',
      { error: 429, description: 'Too Many Requests', parameters: { retry_after: 'soon' } },
      { kind: 'later', afterMs: 1_000 },
    ],
    ['a limit of one second', tooManyRequests(1), { kind: 'later', afterMs: 1_000 }],
    ['a broken text', badRequest("can't parse"), { kind: 'refused', reason: "Bad Request: can't parse" }],
    ['an unknown error', badRequest('NEW_RULE'), { kind: 'refused', reason: 'Bad Request: NEW_RULE' }],
    ['a text that is too long', refusal(413, 'Too Large'), { kind: 'refused', reason: 'Too Large' }],
    ['an invalid token', refusal(401, 'Unauthorized'), { kind: 'failed', reason: 'Unauthorized' }],
    ['a server error', SERVER_ERROR, { kind: 'failed', reason: 'Internal Server Error' }],
    ['a page of a proxy', { status: 502, text: '<html>' }, unreadable('502 without a media type')],
    ['JSON of a proxy', { status: 502, text: '{"no":1}' }, unreadable('502 without a media type')],
    ['a null response', { status: 200, text: 'null' }, unreadable('200 without a media type')],
    ['no result', { status: 200, text: '{"ok":true}' }, unreadable('200 without a media type')],
    ['an empty answer', { status: 200, text: '' }, unreadable('200 without a media type')],
    ['a cut connection', 'cut', { kind: 'unclear', reason: expect.stringMatching(/^the other side closed/) }],
  ])('%s', async (_, answer, expected) => {
    stub.plan('*', answer, 2);
    await expect(sender.edit(501, 7, { html: 'Done' })).resolves.toEqual(expected);
    clock.now += 17_000;
    await expect(sender.send(501, { html: 'Done' })).resolves.toEqual(expected);
    expect(stub.calls).toHaveLength(2);
  });
});

test.each<[boolean, string, StubAnswer]>([
  [true, 'the chat', { result: { id: 501, type: 'private' } }],
  [true, 'a refusal', badRequest('chat not found')],
  [true, 'an error because the bot is blocked', forbidden('bot was blocked by the user')],
  [false, 'a server error', SERVER_ERROR],
  [false, 'a page of a proxy', { status: 502, text: '<html>' }],
  [false, 'a limit', tooManyRequests(1)],
  [false, 'nothing', 'cut'],
])('returns %s for whether Telegram responds after %s', async (isAnswered, _, answer) => {
  stub.plan('getChat', answer);
  expect(await sender.canReach(501)).toBe(isAnswered);
  expect(stub.calls.map(({ method }) => method)).toEqual(['getChat']);
});

test('reports `away` if the connection is refused', async () => {
  const apiRoot = 'http://127.0.0.1:1';
  const { notificationClient } = createTelegramTransport({ token: TOKEN, log: silentLog(), apiRoot });
  const deps = { api: createApi(TOKEN, notificationClient), holds, bulkLimit, now: Date.now };
  expect(await createSender(deps).send(501, { html: 'Done' })).toMatchObject({ kind: 'away' });
  expect(await createSender(deps).edit(501, 7, { html: 'Done' })).toMatchObject({ kind: 'away' });
  expect(await createCopier(deps).copy(501, from, keyboard)).toEqual({ kind: 'away' });
});

describe('after a 429', () => {
  const photo = Buffer.from('a picture');
  const calls: [string, () => Promise<Sent>][] = [
    ['a message', () => sender.send(501, { html: 'x' })],
    ['a message in bulk', () => sender.sendInBulk(501, { html: 'x' })],
    ['an edit', () => sender.edit(501, 7, { html: 'x' })],
    ['a picture', () => sender.sendPhoto(501, { html: 'x', photo })],
    ['a deletion', () => sender.delete(501, 7)],
    ['an edit of a picture', () => sender.editPhoto(501, 7, { html: 'x', photo }, false)],
    ['an edit below a picture', () => sender.editPhoto(501, 7, { html: 'x', photo }, true)],
  ];

  test.each(calls)('to %s, calls nothing for its chat before the requested time', async (_, call) => {
    stub.plan('*', tooManyRequests(20));
    expect(await call()).toEqual({ kind: 'later', afterMs: 5_000 });
    clock.now += 19_999;
    for (const [, each] of calls) expect(await each()).toEqual({ kind: 'later', afterMs: 1 });
    expect(stub.calls).toHaveLength(1);
    clock.now += 1;
    expect(await call()).toMatchObject({ kind: 'sent' });
  });

  test('sends to other chats', async () => {
    stub.plan('sendMessage', tooManyRequests(20));
    await sender.send(501, { html: 'x' });
    expect(await sender.send(502, { html: 'x' })).toMatchObject({ kind: 'sent' });
    expect(await sender.edit(502, 7, { html: 'x' })).toMatchObject({ kind: 'sent' });
  });

  test('does not count held messages against the limit of messages in bulk', async () => {
    holds.hold(501, 3_000);
    const { now } = clock;
    for (let count = 0; count < 9; count += 1) await sender.sendInBulk(501, { html: 'x' });
    expect(await sender.sendInBulk(502, { html: 'x' })).toMatchObject({ kind: 'sent' });
    expect(clock.now).toBe(now);
  });

  test('holds the chat whose 429 arrives while a message in bulk waits', async () => {
    const limit = { ...bulkLimit, acquireSoon: async () => 0 };
    const waiting = createSender({ api: stub.newsApi, holds, bulkLimit: limit });
    limit.acquireSoon = async () => {
      holds.hold(501, 3_000);
      return 0;
    };
    expect(await waiting.sendInBulk(501, { html: 'x' })).toEqual({ kind: 'later', afterMs: 3_000 });
    expect(stub.calls).toEqual([]);
  });

  describe('in more than five chats', () => {
    const refusing = [501, 502, 503, 504, 505, 506];

    test.each<[string, (chat: number) => Promise<unknown>]>([
      ['messages in bulk', (chat) => sender.sendInBulk(chat, { html: 'x' })],
      ['replies', (chat) => sender.send(chat, { html: 'x' })],
      ['copies', (chat) => copier.copy(chat, from, keyboard)],
    ])('to %s, delays messages in bulk, but neither replies nor edits', async (_, call) => {
      stub.plan('*', tooManyRequests(20), refusing.length);
      for (const chat of refusing) await call(chat);
      expect(await sender.sendInBulk(507, { html: 'x' })).toEqual({ kind: 'later', afterMs: 20_000 });
      expect(await bulkLimit.acquire()).toBe(20_000);
      expect(stub.calls).toHaveLength(refusing.length);
      expect(await sender.send(507, { html: 'x' })).toMatchObject({ kind: 'sent' });
      expect(await sender.edit(508, 7, { html: 'x' })).toMatchObject({ kind: 'sent' });
      clock.now += 20_000;
      expect(await sender.sendInBulk(507, { html: 'x' })).toMatchObject({ kind: 'sent' });
    });
  });
});

test('copies to chats that do not exist do not delay other messages in bulk', async () => {
  stub.plan('copyMessage', badRequest('chat not found'), 9);
  for (let chat = 501; chat < 510; chat += 1) await copier.copy(chat, from, keyboard);
  expect(await bulkLimit.acquire()).toBe(0);
});

describe('while the limit of messages in bulk is reached', () => {
  beforeEach(async () => {
    while ((await bulkLimit.acquire()) === 0);
  });

  test('sends replies, pictures and edits at once', async () => {
    const { now } = clock;
    const photo = Buffer.from('a picture');
    expect(await sender.send(501, { html: 'x' })).toMatchObject({ kind: 'sent' });
    expect(await sender.sendPhoto(502, { html: 'x', photo })).toMatchObject({ kind: 'sent' });
    expect(await sender.edit(503, 7, { html: 'x' })).toMatchObject({ kind: 'sent' });
    expect(clock.now).toBe(now);
  });

  test('sends a message in bulk once there is capacity', async () => {
    const { now } = clock;
    expect(await sender.sendInBulk(501, { html: 'x' }, 7)).toMatchObject({ kind: 'sent' });
    expect(clock.now).toBeGreaterThan(now);
    expect(stub.callsOf('sendMessage')).toMatchObject([
      { params: { chat_id: 501, text: 'x', reply_parameters: { message_id: 7 } } },
    ]);
  });
});

test('counts messages and pictures to users as replies, but not messages in bulk', async () => {
  const countReply = vi.spyOn(bulkLimit, 'countReply');
  await sender.sendInBulk(501, { html: 'x' });
  await sender.edit(501, 7, { html: 'x' });
  expect(countReply).not.toHaveBeenCalled();
  await sender.send(501, { html: 'x' });
  await sender.sendPhoto(501, { html: 'x', photo: Buffer.from('a picture') });
  expect(countReply).toHaveBeenCalledTimes(2);
});

test('throws programming errors', async () => {
  const api = Object.assign(stub.newsApi, {
    sendMessage: () => Promise.reject(new TypeError('no such thing')),
  });
  const broken = createSender({ api, holds, bulkLimit });
  await expect(broken.send(501, { html: 'x' })).rejects.toThrow(TypeError);
});

describe('copying a message', () => {
  test('adds the given buttons', async () => {
    expect(await copier.copy(501, from, keyboard)).toEqual({ kind: 'sent' });
    const reply_markup = { inline_keyboard: keyboard };
    const params = { chat_id: 501, from_chat_id: 504, message_id: 9, reply_markup };
    expect(stub.calls).toMatchObject([{ method: 'copyMessage', params }]);
  });

  test.each<[what: string, StubAnswer, Copied]>([
    ['blocked', forbidden('bot was blocked by the user'), { kind: 'unwritable', why: 'blocked' }],
    ['deactivated', forbidden('user is deactivated'), { kind: 'unwritable', why: 'deactivated' }],
    ['never met', forbidden("bot can't initiate"), { kind: 'unwritable', why: 'unreachable' }],
    ['unknown chat', badRequest('chat not found'), { kind: 'unwritable', why: 'unreachable' }],
    ['unknown message', badRequest('message to copy not found'), { kind: 'no-source' }],
    ['bad button', badRequest('BAD_URL'), { kind: 'refused', reason: 'Bad Request: BAD_URL' }],
    ['too large', refusal(413, 'Too Large'), { kind: 'refused', reason: 'Too Large' }],
    ['invalid token', refusal(401, 'Unauthorized'), { kind: 'no-bot', reason: 'Unauthorized' }],
    ['server error', SERVER_ERROR, { kind: 'failed', reason: 'Internal Server Error' }],
    ['a limit', tooManyRequests(2), { kind: 'later', afterMs: 2_000 }],
    ['a cut connection', 'cut', { kind: 'unclear' }],
  ])('distinguishes responses and does not retry: %s', async (_, answer, expected) => {
    stub.plan('copyMessage', answer);
    expect(await copier.copy(501, from, keyboard)).toEqual(expected);
    expect(stub.calls).toHaveLength(1);
  });

  test('reports accepted copies as delivered, but not refused ones', async () => {
    stub.plan('copyMessage', badRequest('chat not found'));
    await copier.copy(501, from, keyboard);
    expect(onDelivered).not.toHaveBeenCalled();
    await copier.copy(501, from, keyboard);
    expect(onDelivered.mock.calls).toEqual([[501, 1_000_000]]);
  });
});

describe('the hold of a chat', () => {
  test('lasts for the longer of two times', () => {
    holds.hold(501, 3_000);
    holds.hold(501, 1_000);
    expect(holds.remainingMs(501)).toBe(3_000);
    holds.hold(501, 4_000);
    expect(holds.remainingMs(501)).toBe(4_000);
  });

  test('ends with a message that was started after the refusal, but not with an earlier one', () => {
    const before = clock.now;
    clock.now += 100;
    holds.hold(501, 3_000);
    clock.now += 100;
    holds.onDelivered(501, before);
    holds.onDelivered(502, clock.now);
    expect(holds.remainingMs(501)).toBe(2_900);
    holds.onDelivered(501, clock.now);
    expect(holds.remainingMs(501)).toBe(0);
  });

  test('ends if there are ten thousand later ones', () => {
    for (let chat = 1; chat <= 10_500; chat += 1) holds.hold(chat, 3_000);
    expect([holds.remainingMs(500), holds.remainingMs(501), holds.remainingMs(10_500)]).toEqual([
      0, 3_000, 3_000,
    ]);
  });

  test('stays while expired ones make space', () => {
    holds.hold(501, 4_000);
    for (let chat = 1_001; chat < 11_000; chat += 1) holds.hold(chat, 1_000);
    clock.now += 1_000;
    holds.hold(502, 4_000);
    expect([holds.remainingMs(501), holds.remainingMs(502)]).toEqual([3_000, 4_000]);
  });
});
