import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/clock.ts';
import { badRequest, startTelegram, useTelegram } from './telegram-server.ts';

const { call, clock, control, messages, send, upload, write } = useTelegram();

const BLOCKED = { status: 403, description: 'Forbidden: bot was blocked by the user' };
describe('a message of the bot', () => {
  it('is returned in the format of the Bot API', async () => {
    await write('/start');
    const { result } = await call('sendMessage', {
      chat_id: 501,
      text: 'Hello <b>you</b>',
      parse_mode: 'HTML',
    });
    expect(result).toEqual({
      message_id: 2,
      from: { id: 700, is_bot: true, first_name: 'Energy Rental', username: 'rental_demo_bot' },
      chat: { id: 501, type: 'private', first_name: 'Guest', username: 'demo_guest' },
      date: clock.now() / 1_000,
      text: 'Hello you',
      entities: [{ type: 'bold', offset: 6, length: 3 }],
    });
  });

  it('replies to a message, and is rejected if that is missing unless allowed', async () => {
    const { message_id } = await write('/start');
    const reply = (reply_parameters: object) =>
      call('sendMessage', { chat_id: 501, text: 'Hello', reply_parameters });
    expect((await reply({ message_id })).result).toMatchObject({ reply_to_message: { text: '/start' } });
    expect((await reply({ message_id: 99 })).description).toBe(
      'Bad Request: message to be replied not found',
    );
    const { result } = await reply({ message_id: 99, allow_sending_without_reply: true });
    expect(result).not.toHaveProperty('reply_to_message');
  });

  it.each([
    [{}, 400, 'Bad Request: chat_id is empty'],
    [{ chat_id: '' }, 400, 'Bad Request: chat_id is empty'],
    [{ chat_id: 77 }, 400, 'Bad Request: chat not found'],
    [{ chat_id: '@nobody' }, 400, 'Bad Request: chat not found'],
    [{ chat_id: 502 }, 403, "Forbidden: bot can't initiate conversation with a user"],
  ])('is rejected for %j', async (params, status, description) => {
    for (const method of ['sendMessage', 'sendChatAction', 'editMessageText']) {
      const answer = await call(method, { text: 'x', action: 'typing', message_id: 1, ...params });
      expect(answer).toMatchObject({ status, description });
    }
  });

  it.each(['sendMessage', 'editMessageText', 'editMessageReplyMarkup', 'sendChatAction'])(
    '%s is rejected while the user blocks the bot',
    async (method) => {
      const message_id = await send();
      const reply_markup = { inline_keyboard: [[{ text: 'a', callback_data: 'a' }]] };
      const attempt = () =>
        call(method, { chat_id: 501, message_id, text: 'x', action: 'typing', reply_markup });
      await control('POST /chats/501/block');
      expect(await attempt()).toMatchObject(BLOCKED);
      await control('POST /chats/501/unblock');
      expect((await attempt()).status).toBe(200);
    },
  );

  it('shows a chat action if it is valid', async () => {
    await write('/start');
    expect((await call('sendChatAction', { chat_id: 501, action: 'typing' })).status).toBe(200);
    expect((await call('sendChatAction', { chat_id: 501, action: 'thinking' })).description).toBe(
      'Bad Request: wrong parameter action in request',
    );
  });
});

describe('an edit', () => {
  it('changes text and keyboard, and removes the keyboard if none is given', async () => {
    const keyboard = { inline_keyboard: [[{ text: 'a', callback_data: 'a' }]] };
    const message_id = await send({ text: 'one', reply_markup: keyboard });
    const { result } = await call('editMessageText', { chat_id: 501, message_id, text: 'two' });
    expect(result).toMatchObject({ message_id, text: 'two', edit_date: expect.any(Number) });
    expect(result).not.toHaveProperty('reply_markup');
    await call('editMessageReplyMarkup', { chat_id: 501, message_id, reply_markup: keyboard });
    expect((await messages())[1]).toMatchObject({
      message_id,
      text: 'two',
      edited: true,
      keyboard: [[{ text: 'a', kind: 'callback', data: 'a' }]],
    });
  });

  it.each([
    ['editMessageText', { text: ' Hello ' }],
    ['editMessageText', { text: '<b></b>Hello', parse_mode: 'HTML' }],
    ['editMessageReplyMarkup', {}],
    ['editMessageReplyMarkup', { reply_markup: { inline_keyboard: [] } }],
  ])('by %s with %j is rejected because it changes nothing', async (method, params) => {
    const message_id = await send();
    expect(await call(method, { chat_id: 501, message_id, ...params })).toMatchObject(
      badRequest(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      ),
    );
  });

  it('is accepted if it changes only a format', async () => {
    const message_id = await send();
    const edit = { chat_id: 501, message_id, text: '<b>Hello</b>', parse_mode: 'HTML' };
    expect((await call('editMessageText', edit)).status).toBe(200);
  });

  it.each([
    ['editMessageText', { text: 'x', message_id: 99 }, 'message to edit not found'],
    ['editMessageText', { text: 'x', message_id: undefined }, 'message identifier is not specified'],
    ['editMessageText', { text: 'x', message_id: 1 }, "message can't be edited"],
    ['editMessageCaption', { caption: 'x' }, 'there is no caption in the message to edit'],
    ['editMessageText', { text: 'x', reply_markup: { remove_keyboard: true } }, 'inline keyboard expected'],
    [
      'editMessageMedia',
      { media: { type: 'video', media: 'x' } },
      'can\'t parse InputMedia: type "video" is unsupported',
    ],
  ])('by %s with %j is rejected', async (method, params, problem) => {
    const message_id = await send();
    expect(await call(method, { chat_id: 501, message_id, ...params })).toMatchObject(badRequest(problem));
  });

  it('is rejected if the user has deleted the message', async () => {
    const message_id = await send();
    await control(`DELETE /chats/501/messages/${message_id}`);
    const { description } = await call('editMessageText', { chat_id: 501, message_id, text: 'x' });
    expect(description).toBe('Bad Request: message to edit not found');
  });
});

describe('deleting', () => {
  it('removes the bot’s own message, and the user’s in a private chat', async () => {
    const message_id = await send();
    expect((await call('deleteMessage', { chat_id: 501, message_id })).result).toBe(true);
    expect((await call('deleteMessage', { chat_id: 501, message_id: 1 })).result).toBe(true);
    expect(await messages()).toEqual([]);
    expect((await call('deleteMessage', { chat_id: 501, message_id })).description).toBe(
      'Bad Request: message to delete not found',
    );
  });

  it('is rejected after 48 hours', async () => {
    const message_id = await send();
    clock.advance(48 * HOUR_MS + 1);
    expect(await call('deleteMessage', { chat_id: 501, message_id })).toMatchObject(
      badRequest("message can't be deleted for everyone"),
    );
  });

  it('is rejected for a user’s message in a group', async () => {
    const { message_id } = await write('/start', -1001);
    expect((await call('deleteMessage', { chat_id: -1001, message_id })).description).toBe(
      "Bad Request: message can't be deleted",
    );
  });
});

describe('a chat', () => {
  it('is unknown to the bot until its user has written', async () => {
    expect((await call('getChat', { chat_id: 503 })).description).toBe('Bad Request: chat not found');
    await write('/start', 503);
    expect((await call('getChat', { chat_id: 503 })).result).toMatchObject({
      id: 503,
      type: 'private',
      first_name: 'Merchant',
    });
    expect((await call('getChat', { chat_id: -1001 })).result).toMatchObject({
      type: 'group',
      title: 'Demo group',
    });
  });
});

const KEYBOARD = { inline_keyboard: [[{ text: 'Open', callback_data: 'open' }]] };

describe('a copy of a message', () => {
  let source: { chat_id: number; from_chat_id: number; message_id: number };

  /** Sends a message of the bot to the guest, after guest and account holder have started the bot. */
  beforeEach(async () => {
    const text = { text: '<b>News</b>, /help', parse_mode: 'HTML' };
    const message_id = await send({ reply_markup: KEYBOARD, ...text });
    await write('/start', 502);
    source = { chat_id: 502, from_chat_id: 501, message_id };
  });

  const copy = (more: object = {}) => call('copyMessage', { ...source, ...more });
  const copied = async () => (await messages(502)).at(-1);

  it('has the text and formats of the original, and nothing else', async () => {
    const { result } = await copy();
    const [, original] = await messages(501);
    const { keyboard, ...rest } = original ?? {};
    expect(keyboard).toBeDefined();
    expect(await copied()).toEqual({ ...rest, message_id: result?.message_id });
    expect(result).toEqual({ message_id: 2 });
  });

  it('has the given keyboard and is a reply if requested', async () => {
    await copy({ reply_markup: KEYBOARD, reply_parameters: { message_id: 1 }, caption: 'Not for a text' });
    expect(await copied()).toMatchObject({
      text: 'News, /help',
      keyboard: [[{ data: 'open' }]],
      reply_to: 1,
    });
  });

  it('belongs to the bot if it copies a user’s message', async () => {
    const { message_id } = await write('hello https://example.com', 501);
    await call('copyMessage', { ...source, message_id });
    expect(await copied()).toMatchObject({ from: 'bot', text: 'hello https://example.com' });
  });

  it.each([
    [{}, { caption: 'Pay', entities: [{ type: 'bold', offset: 0, length: 3 }] }],
    [
      { caption: '<i>Paid</i>', parse_mode: 'HTML' },
      { caption: 'Paid', entities: [{ type: 'italic' }] },
    ],
    [{ caption: '' }, { caption: '', entities: [] }],
  ])('keeps the caption of a file unless another is given: %j', async (more, expected) => {
    const fields = { chat_id: 501, caption: '<b>Pay</b>', parse_mode: 'HTML' };
    const { result } = await upload('sendDocument', fields, Buffer.from('x'), 'document', 'x.txt');
    await call('copyMessage', { ...source, message_id: result.message_id, ...more });
    const document = { name: 'x.txt', url: expect.stringMatching(/\.txt$/) };
    expect(await copied()).toMatchObject({ ...expected, document });
  });

  it('remains when its original is deleted, which cannot be copied afterwards', async () => {
    await copy();
    await call('deleteMessage', { chat_id: 501, message_id: source.message_id });
    expect(await copied()).toMatchObject({ text: 'News, /help' });
    expect(await copy()).toMatchObject(badRequest('message to copy not found'));
  });

  it.each([
    [{ chat_id: '' }, 400, 'Bad Request: chat_id is empty'],
    [{ chat_id: 77 }, 400, 'Bad Request: chat not found'],
    [{ from_chat_id: 77 }, 400, 'Bad Request: chat not found'],
    [{ message_id: 77 }, 400, 'Bad Request: message to copy not found'],
    [{ message_id: undefined }, 400, 'Bad Request: message identifier is not specified'],
    [{ chat_id: 503 }, 403, "Forbidden: bot can't initiate conversation with a user"],
    [{ reply_parameters: { message_id: 77 } }, 400, 'Bad Request: message to be replied not found'],
    [{ caption: 'x'.repeat(1_025) }, 400, 'Bad Request: message caption is too long'],
    [{ reply_markup: { inline_keyboard: [[{}]] } }, 400, expect.stringContaining('inline keyboard button')],
  ])('is rejected with %j', async (more, status, description) => {
    expect(await copy(more)).toMatchObject({ status, description });
  });

  it('is rejected if the bot was blocked', async () => {
    await control('POST /chats/502/block');
    expect(await copy()).toMatchObject(BLOCKED);
  });

  it('counts as a new message', async () => {
    const { call, write } = await startTelegram({});
    const { message_id } = await write('/start');
    const copy = async () => {
      const { status } = await call('copyMessage', { chat_id: 501, from_chat_id: 501, message_id });
      return status;
    };
    expect([await copy(), await copy(), await copy(), await copy()]).toEqual([200, 200, 200, 429]);
  });
});

const share = { from: 503, url: 'https://t.me/rental_demo_bot?start=inv_7', text: 'Pay, please' };

it('keeps a share for its recipient until it is dismissed, without notifying the bot', async () => {
  const { id } = await control('POST /chats/501/shares', share);
  expect(await control('GET /chats/501/shares')).toEqual([{ id, ...share }]);
  expect(await control('GET /chats/502/shares')).toEqual([]);
  expect(await control('GET /pending')).toBe(0);
  expect(await messages()).toEqual([]);
  await control(`DELETE /chats/501/shares/${id}`);
  expect(await control('GET /chats/501/shares')).toEqual([]);
  expect(await control(`DELETE /chats/501/shares/${id}`)).toEqual({ error: 'That was not shared.' });
});

it('removes shares at a reset', async () => {
  await control('POST /chats/501/shares', share);
  await control('POST /reset');
  expect(await control('GET /chats/501/shares')).toEqual([]);
});

it.each([
  ['501', { ...share, url: 'javascript:alert(1)' }, 'expected a link'],
  ['501', { ...share, from: 77 }, 'There is no such person.'],
  ['-1001', share, 'Nothing can be shared with a group here.'],
  ['77', share, 'There is no such chat.'],
])('rejects an invalid share with %s (case %#)', async (chat, body, error) => {
  expect(await control(`POST /chats/${chat}/shares`, body)).toEqual({
    error: expect.stringContaining(error),
  });
});
