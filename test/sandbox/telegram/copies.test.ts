import { describe, expect, it } from 'vitest';
import { startTelegram } from './telegram-server.ts';
import { upload } from './upload.ts';

const KEYBOARD = { inline_keyboard: [[{ text: 'Open', callback_data: 'open' }]] };

/** Starts the bot as guest and account holder. The bot has sent the guest a message. */
async function started(params: object = { text: '<b>News</b>, /help', parse_mode: 'HTML' }) {
  const server = await startTelegram();
  const message_id = await server.send({ reply_markup: KEYBOARD, ...params });
  await server.write('/start', 502);
  const source = { chat_id: 502, from_chat_id: 501, message_id };
  const copy = (more: object = {}) => server.call('copyMessage', { ...source, ...more });
  const copied = async () => (await server.messages(502)).at(-1);
  return { ...server, message_id, source, copy, copied };
}

describe('a copy of a message', () => {
  it('has the text and formats of the original, and nothing else', async () => {
    const { copy, messages, copied } = await started();
    const { result } = await copy();
    const [, original] = await messages(501);
    const { keyboard, ...rest } = original ?? {};
    expect(keyboard).toBeDefined();
    expect(await copied()).toEqual({ ...rest, message_id: result?.message_id });
    expect(result).toEqual({ message_id: 2 });
  });

  it('has the given keyboard and is a reply if requested', async () => {
    const { copy, copied } = await started();
    await copy({ reply_markup: KEYBOARD, reply_parameters: { message_id: 1 }, caption: 'Not for a text' });
    expect(await copied()).toMatchObject({
      text: 'News, /help',
      keyboard: [[{ data: 'open' }]],
      reply_to: 1,
    });
  });

  it('belongs to the bot if it copies a user’s message', async () => {
    const { source, call, write, copied } = await started();
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
    const server = await started();
    const fields = { chat_id: 501, caption: '<b>Pay</b>', parse_mode: 'HTML' };
    const { result } = await upload(server, 'sendDocument', fields, Buffer.from('x'), 'document', 'x.txt');
    await server.call('copyMessage', { ...server.source, message_id: result.message_id, ...more });
    const document = { name: 'x.txt', url: expect.stringMatching(/\.txt$/) };
    expect(await server.copied()).toMatchObject({ ...expected, document });
  });

  it('remains when its original is deleted, which cannot be copied afterwards', async () => {
    const { copy, call, copied, source } = await started();
    await copy();
    await call('deleteMessage', { chat_id: 501, message_id: source.message_id });
    expect(await copied()).toMatchObject({ text: 'News, /help' });
    expect(await copy()).toMatchObject({
      status: 400,
      description: 'Bad Request: message to copy not found',
    });
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
    const { copy } = await started();
    expect(await copy(more)).toMatchObject({ status, description });
  });

  it('is rejected if the bot was blocked', async () => {
    const { copy, control } = await started();
    await control('POST /chats/502/block');
    expect(await copy()).toMatchObject({
      status: 403,
      description: 'Forbidden: bot was blocked by the user',
    });
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
