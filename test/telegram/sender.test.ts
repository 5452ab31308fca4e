import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChatHolds, createSender, type Sender, type Sent } from '../../src/telegram/sender.ts';
import { type StubAnswer, startTelegramStub, type TelegramStub } from '../support/telegram-stub.ts';

let stub: TelegramStub;
let sender: Sender;
let clock: { now: number };

beforeEach(async () => {
  stub = await startTelegramStub();
  clock = { now: 1_000_000 };
  sender = createSender({
    api: stub.newsApi,
    holds: createChatHolds({ now: () => clock.now }),
    now: () => clock.now,
  });
});

afterEach(() => stub.close());

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

describe('distinguishes responses of Telegram:', () => {
  const bad = (description: string): StubAnswer => ({
    error: 400,
    description: `Bad Request: ${description}`,
  });

  const answers: [string, StubAnswer, Sent][] = [
    [
      'an unchanged message',
      bad('message is not modified: specified new message content and reply markup are exactly the same'),
      { kind: 'unchanged' },
    ],
    [
      'a user who blocked the bot',
      { error: 403, description: 'Forbidden: bot was blocked by the user' },
      { kind: 'blocked' },
    ],
    [
      'a deactivated user',
      { error: 403, description: 'Forbidden: user is deactivated' },
      { kind: 'blocked' },
    ],
    ['an unknown chat', bad('chat not found'), { kind: 'gone' }],
    ['an unknown message', bad('message to edit not found'), { kind: 'gone' }],
    ['a message too old to edit', bad("message can't be edited"), { kind: 'gone' }],
    [
      'a limit',
      { error: 429, description: 'Too Many Requests: retry after 17', parameters: { retry_after: 17 } },
      { kind: 'later', afterMs: 5_000 },
    ],
    [
      'a broken text',
      bad("can't parse entities: Unsupported start tag"),
      { kind: 'refused', reason: "Bad Request: can't parse entities: Unsupported start tag" },
    ],
    [
      'an unknown error',
      bad('NEW_RULE_OF_TOMORROW'),
      { kind: 'refused', reason: 'Bad Request: NEW_RULE_OF_TOMORROW' },
    ],
    [
      'a text that is too long',
      { error: 413, description: 'Request Entity Too Large' },
      { kind: 'refused', reason: 'Request Entity Too Large' },
    ],
    [
      'an invalid token',
      { error: 401, description: 'Unauthorized' },
      { kind: 'failed', reason: 'Unauthorized' },
    ],
    [
      'a server error',
      { error: 500, description: 'Internal Server Error' },
      { kind: 'failed', reason: 'Internal Server Error' },
    ],
    [
      'a limit of one second',
      { error: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 } },
      { kind: 'later', afterMs: 1_000 },
    ],
    ['a page of a proxy', { status: 502, text: '<html>' }, { kind: 'unclear', reason: 'SyntaxError' }],
    [
      'a JSON page of a proxy',
      { status: 502, text: '{"message":"Bad Gateway"}' },
      { kind: 'unclear', reason: 'ZodError' },
    ],
    ['a null response', { status: 200, text: 'null' }, { kind: 'unclear', reason: 'ZodError' }],
    [
      'a success without a result',
      { status: 200, text: '{"ok":true}' },
      { kind: 'unclear', reason: 'ZodError' },
    ],
    ['an empty answer', { status: 200, text: '' }, { kind: 'unclear', reason: 'SyntaxError' }],
    ['a cut connection', 'cut', { kind: 'unclear', reason: 'UND_ERR_SOCKET' }],
  ];

  test.each(answers)('%s', async (_, answer, expected) => {
    stub.plan('*', answer, 2);
    await expect(sender.edit(501, 7, { html: 'Done' })).resolves.toEqual(expected);
    clock.now += 17_000;
    await expect(sender.send(501, { html: 'Done' })).resolves.toEqual(expected);
    expect(stub.calls).toHaveLength(2);
  });
});

test.each<[boolean, string, StubAnswer]>([
  [true, 'the chat', { result: { id: 501, type: 'private' } }],
  [true, 'a refusal', { error: 400, description: 'Bad Request: chat not found' }],
  [
    true,
    'an error because the bot is blocked',
    { error: 403, description: 'Forbidden: bot was blocked by the user' },
  ],
  [false, 'a server error', { error: 500, description: 'Internal Server Error' }],
  [false, 'a page of a proxy', { status: 502, text: '<html>' }],
  [false, 'a limit', { error: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } }],
  [false, 'nothing', 'cut'],
])('returns %s for whether Telegram responds after %s', async (isAnswered, _, answer) => {
  stub.plan('getChat', answer);
  expect(await sender.canReach(501)).toBe(isAnswered);
  expect(stub.calls.map(({ method }) => method)).toEqual(['getChat']);
});

test('reports `away` if the connection is refused', async () => {
  const away = await startTelegramStub();
  await away.close();
  const nobody = createSender({
    api: away.newsApi,
    holds: createChatHolds({ now: Date.now }),
    now: Date.now,
  });
  await expect(nobody.send(501, { html: 'Done' })).resolves.toMatchObject({ kind: 'away' });
  await expect(nobody.edit(501, 7, { html: 'Done' })).resolves.toMatchObject({ kind: 'away' });
});

describe('after a 429', () => {
  const tooMany = (seconds: number): StubAnswer => ({
    error: 429,
    description: `Too Many Requests: retry after ${seconds}`,
    parameters: { retry_after: seconds },
  });
  const photo = Buffer.from('a picture');
  const calls: [string, () => Promise<Sent>][] = [
    ['a message', () => sender.send(501, { html: 'x' })],
    ['an edit', () => sender.edit(501, 7, { html: 'x' })],
    ['a picture', () => sender.sendPhoto(501, { html: 'x', photo })],
    ['an edit of a picture', () => sender.editPhoto(501, 7, { html: 'x', photo }, false)],
    ['an edit below a picture', () => sender.editPhoto(501, 7, { html: 'x', photo }, true)],
  ];

  test.each(calls)('to %s, calls nothing for its chat before the requested time', async (_, call) => {
    stub.plan('*', tooMany(20));
    expect(await call()).toEqual({ kind: 'later', afterMs: 5_000 });
    clock.now += 19_999;
    for (const [, each] of calls) expect(await each()).toEqual({ kind: 'later', afterMs: 1 });
    expect(stub.calls).toHaveLength(1);
    clock.now += 1;
    expect(await call()).toMatchObject({ kind: 'sent' });
  });

  test('sends to other chats', async () => {
    stub.plan('sendMessage', tooMany(20));
    await sender.send(501, { html: 'x' });
    expect(await sender.send(502, { html: 'x' })).toMatchObject({ kind: 'sent' });
    expect(await sender.edit(502, 7, { html: 'x' })).toMatchObject({ kind: 'sent' });
  });

  describe('to more than five chats', () => {
    const few = [501, 502, 503, 504, 505, 506];
    const sendTo = (chat: number) => sender.send(chat, { html: 'x' });

    test('delays messages, but not edits', async () => {
      stub.plan('sendMessage', tooMany(1), few.length);
      for (const chat of few) await sendTo(chat);
      expect(await sendTo(507)).toMatchObject({ kind: 'later' });
      for (let chat = 507; chat < 600; chat += 1)
        expect(await sender.edit(chat, 7, { html: 'x' })).toMatchObject({ kind: 'sent' });
      expect(stub.callsOf('sendMessage')).toHaveLength(few.length);
    });

    test('does not count waiting chats against others', async () => {
      stub.plan('sendMessage', tooMany(20), few.length);
      for (const chat of few) await sendTo(chat);
      for (const chat of few) expect(await sendTo(chat)).toEqual({ kind: 'later', afterMs: 5_000 });
      expect(await sendTo(507)).toEqual({ kind: 'later', afterMs: 1_000 });
      clock.now += 1_000;
      for (const chat of few) expect(await sendTo(chat)).toEqual({ kind: 'later', afterMs: 5_000 });
      expect(await sendTo(507)).toMatchObject({ kind: 'sent' });
    });
  });
});

test('throws programming errors', async () => {
  const broken = createSender({
    api: Object.assign(stub.newsApi, { sendMessage: () => Promise.reject(new TypeError('no such thing')) }),
    holds: createChatHolds({ now: Date.now }),
    now: Date.now,
  });
  await expect(broken.send(501, { html: 'x' })).rejects.toThrow(TypeError);
});
