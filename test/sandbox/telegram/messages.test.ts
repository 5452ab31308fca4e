import { describe, expect, it } from 'vitest';
import { startTelegram } from './telegram-server.ts';

const HOUR_MS = 60 * 60 * 1_000;
describe('a message of the bot', () => {
  it('is returned in the format of the Bot API', async () => {
    const { call, write, clock } = await startTelegram();
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
    const { call, write } = await startTelegram();
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
    const { call } = await startTelegram();
    for (const method of ['sendMessage', 'sendChatAction', 'editMessageText']) {
      const answer = await call(method, { text: 'x', action: 'typing', message_id: 1, ...params });
      expect(answer).toMatchObject({ status, description });
    }
  });

  it.each(['sendMessage', 'editMessageText', 'editMessageReplyMarkup', 'sendChatAction'])(
    '%s is rejected while the user blocks the bot',
    async (method) => {
      const { call, control, send } = await startTelegram();
      const message_id = await send();
      const reply_markup = { inline_keyboard: [[{ text: 'a', callback_data: 'a' }]] };
      const attempt = () =>
        call(method, { chat_id: 501, message_id, text: 'x', action: 'typing', reply_markup });
      await control('POST /chats/501/block');
      expect(await attempt()).toMatchObject({
        status: 403,
        description: 'Forbidden: bot was blocked by the user',
      });
      await control('POST /chats/501/unblock');
      expect((await attempt()).status).toBe(200);
    },
  );

  it('shows a chat action if it is valid', async () => {
    const { call, write } = await startTelegram();
    await write('/start');
    expect((await call('sendChatAction', { chat_id: 501, action: 'typing' })).status).toBe(200);
    expect((await call('sendChatAction', { chat_id: 501, action: 'thinking' })).description).toBe(
      'Bad Request: wrong parameter action in request',
    );
  });
});

describe('an edit', () => {
  it('changes text and keyboard, and removes the keyboard if none is given', async () => {
    const { call, send, messages } = await startTelegram();
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
    const { call, send } = await startTelegram();
    const message_id = await send();
    expect(await call(method, { chat_id: 501, message_id, ...params })).toMatchObject({
      status: 400,
      description:
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    });
  });

  it('is accepted if it changes only a format', async () => {
    const { call, send } = await startTelegram();
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
    const { call, send } = await startTelegram();
    const message_id = await send();
    expect(await call(method, { chat_id: 501, message_id, ...params })).toMatchObject({
      status: 400,
      description: `Bad Request: ${problem}`,
    });
  });

  it('is rejected if the user has deleted the message', async () => {
    const { call, control, send } = await startTelegram();
    const message_id = await send();
    await control(`DELETE /chats/501/messages/${message_id}`);
    const { description } = await call('editMessageText', { chat_id: 501, message_id, text: 'x' });
    expect(description).toBe('Bad Request: message to edit not found');
  });
});

describe('deleting', () => {
  it('removes the bot’s own message, and the user’s in a private chat', async () => {
    const { call, send, messages } = await startTelegram();
    const message_id = await send();
    expect((await call('deleteMessage', { chat_id: 501, message_id })).result).toBe(true);
    expect((await call('deleteMessage', { chat_id: 501, message_id: 1 })).result).toBe(true);
    expect(await messages()).toEqual([]);
    expect((await call('deleteMessage', { chat_id: 501, message_id })).description).toBe(
      'Bad Request: message to delete not found',
    );
  });

  it('is rejected after 48 hours', async () => {
    const { call, send, clock } = await startTelegram();
    const message_id = await send();
    clock.advance(48 * HOUR_MS + 1);
    expect(await call('deleteMessage', { chat_id: 501, message_id })).toMatchObject({
      status: 400,
      description: "Bad Request: message can't be deleted for everyone",
    });
  });

  it('is rejected for a user’s message in a group', async () => {
    const { call, write } = await startTelegram();
    const { message_id } = await write('/start', -1001);
    expect((await call('deleteMessage', { chat_id: -1001, message_id })).description).toBe(
      "Bad Request: message can't be deleted",
    );
  });
});

describe('a chat', () => {
  it('is unknown to the bot until its user has written', async () => {
    const { call, write } = await startTelegram();
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
