import { expect, it } from 'vitest';
import { MESSAGE_KINDS } from '../../../src/sandbox/telegram/messages.ts';
import { PIXEL, useTelegram } from './telegram-server.ts';

const { attach, call, clock, control, messages, send, write } = useTelegram();

const SHAPE = { width: '640', height: '360', duration: '9' };
const POST = 'POST /chats/501/messages';

async function updates() {
  const { result } = await call('getUpdates');
  return result as unknown as Record<string, Record<string, unknown>>[];
}

it('passes a user’s formats to the bot as entities', async () => {
  const html = ' <b>News</b> of <a href="https://example.com/">us</a>, /help ';
  const { message_id, update_id } = await control(POST, { html });
  const [update] = await updates();
  expect(update).toMatchObject({ update_id, message: { message_id, text: 'News of us, /help' } });
  expect(update?.message?.entities).toEqual([
    { type: 'bold', offset: 0, length: 4 },
    { type: 'text_link', offset: 8, length: 2, url: 'https://example.com/' },
    { type: 'bot_command', offset: 12, length: 5 },
  ]);
  expect(await messages()).toMatchObject([{ from: 'person', html: expect.stringContaining('<b>News') }]);
});

it.each([
  ['photo', [{ width: 1, height: 1, file_size: PIXEL.length }]],
  ['video', { width: 640, height: 360, duration: 9, file_name: 'video.bin', mime_type: 'video/mp4' }],
  ['document', { file_name: 'document.bin', file_size: PIXEL.length }],
] as const)('sends a user’s %s with a caption, as a part of an album', async (part, expected) => {
  const fields = { caption_html: '<i>Look</i>', media_group_id: '77', ...SHAPE };
  const { message_id, update_id } = await attach(part, PIXEL, fields);
  const [update] = await updates();
  const caption = { caption: 'Look', caption_entities: [{ type: 'italic', offset: 0, length: 4 }] };
  expect(update).toMatchObject({
    update_id,
    message: { message_id, from: { id: 501 }, media_group_id: '77', [part]: expected, ...caption },
  });
  expect(update?.message).not.toHaveProperty('text');
  expect(await messages()).toMatchObject([
    { from: 'person', caption: 'Look', media_group_id: '77', [part]: { url: expect.any(String) } },
  ]);
});

it('treats a caption as plain text unless it is HTML, and as optional', async () => {
  await attach('document', PIXEL, { caption: '<b>a</b>' });
  await attach('document', PIXEL);
  const [plain, none] = await updates();
  expect(plain?.message).toMatchObject({ caption: '<b>a</b>' });
  expect(plain?.message).not.toHaveProperty('caption_entities');
  expect(none?.message).not.toHaveProperty('caption');
  expect(none?.message).not.toHaveProperty('media_group_id');
});

it('forwards another user’s text or file', async () => {
  await control(POST, { text: 'As he says', forward_from: 503 });
  await attach('photo', PIXEL, { forward_from: '503' });
  const date = clock.now() / 1_000;
  const forward_origin = { type: 'user', sender_user: { id: 503, first_name: 'Merchant' }, date };
  expect(await updates()).toMatchObject([
    { message: { from: { id: 501 }, text: 'As he says', forward_origin } },
    { message: { photo: [{}], forward_origin } },
  ]);
  expect(await messages()).toMatchObject([
    { forwarded_from: 'Merchant', from_id: 501 },
    { forwarded_from: 'Merchant' },
  ]);
});

it('omits the author and the album in a copy of a forwarded message', async () => {
  const { message_id } = await attach('photo', PIXEL, { forward_from: '503', media_group_id: '7' });
  await call('copyMessage', { chat_id: 501, from_chat_id: 501, message_id });
  const [, copy] = await messages();
  expect(copy).toMatchObject({ from: 'bot', photo: {} });
  expect(copy).not.toHaveProperty('forwarded_from');
  expect(copy).not.toHaveProperty('media_group_id');
});

it.each(MESSAGE_KINDS)('sends and copies a %s, whose text cannot be edited', async (kind) => {
  const { message_id } = await control(POST, { kind });
  const [update] = await updates();
  expect(update?.message).toMatchObject({ message_id, [kind]: expect.any(Object) });
  expect(update?.message).not.toHaveProperty('text');
  const { result } = await call('copyMessage', { chat_id: 501, from_chat_id: 501, message_id });
  expect(await messages()).toMatchObject([{ kind }, { kind, from: 'bot' }]);

  const copy = { chat_id: 501, message_id: result?.message_id };
  const reply_markup = { inline_keyboard: [[{ text: 'Open', callback_data: 'open' }]] };
  const edited = await call('editMessageReplyMarkup', { ...copy, reply_markup });
  expect(edited.result).toMatchObject({ [kind]: expect.any(Object), reply_markup });
  expect((await call('editMessageText', { ...copy, text: 'x' })).description).toBe(
    'Bad Request: there is no text in the message to edit',
  );
});

it.each([
  [{}, 'Expected one of text, html, kind'],
  [{ text: 'a', html: 'a' }, 'Expected one of text, html, kind'],
  [{ html: '<b>a' }, 'can\'t parse entities: Can\'t find end tag corresponding to start tag "b"'],
  [{ html: '<b></b>' }, 'text must be non-empty'],
  [{ kind: 'dice' }, 'kind'],
  [{ text: 'a', forward_from: 77 }, 'There is no such person.'],
  [{ text: 'a', forward_from: -1001 }, 'There is no such person.'],
])('rejects %j as a message', async (body, problem) => {
  expect(await control(POST, body)).toEqual({ error: expect.stringContaining(problem) });
  expect(await messages()).toEqual([]);
});

it.each([
  ['sticker', PIXEL, {}, 'expected a file named photo, video, document'],
  ['photo', Buffer.from('no picture'), {}, 'IMAGE_PROCESS_FAILED'],
  ['document', Buffer.alloc(0), {}, 'file must be non-empty'],
  ['document', PIXEL, { caption: 'x'.repeat(1_025) }, 'message caption is too long'],
  ['document', PIXEL, { caption_html: '<b>' }, "can't parse entities"],
  ['document', PIXEL, { forward_from: '77' }, 'There is no such person.'],
  ['document', PIXEL, { from: '502' }, 'This person is not in the chat.'],
])('rejects a form with a %s that no client would send (case %#)', async (part, file, fields, problem) => {
  expect(await attach(part, file, { ...fields })).toEqual({ error: expect.stringContaining(problem) });
  expect(await messages()).toEqual([]);
});

it('sends inline queries to the bot', async () => {
  const asked = await control('POST /inline-queries', { from: 502, query: 'energy' });
  expect(await updates()).toEqual([
    {
      update_id: asked.update_id,
      inline_query: expect.objectContaining({
        id: asked.inline_query_id,
        from: expect.objectContaining({ id: 502 }),
        query: 'energy',
        offset: '',
      }),
    },
  ]);
  expect(await control('POST /inline-queries', { from: 77 })).toHaveProperty('error');
});

it('rejects messages to and from a user who deleted their account', async () => {
  const message_id = await send();
  await control('POST /chats/501/block');
  expect(await control('POST /chats/501/deactivate')).toEqual({ ok: true });
  const refused = { status: 403, description: 'Forbidden: user is deactivated' };
  const copy = { chat_id: 501, from_chat_id: 501, message_id };
  expect(await call('copyMessage', copy)).toMatchObject(refused);
  expect(await call('sendMessage', { chat_id: 501, text: 'x' })).toMatchObject(refused);
  await control('POST /chats/501/unblock');
  expect(await write('hello?')).toEqual({ error: 'This person has deleted their account.' });
  expect(await control('POST /chats/-1001/deactivate')).toEqual({ error: 'This is a group.' });

  await control('POST /reset');
  await write('/start');
  expect((await call('sendMessage', { chat_id: 501, text: 'x' })).status).toBe(200);
});
