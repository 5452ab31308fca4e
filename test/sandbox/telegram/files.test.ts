import { deflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { badRequest, TOKEN, useTelegram } from './telegram-server.ts';

const telegram = useTelegram();
const { call, control, messages, send, upload, write } = telegram;

/** Returns the start of a picture, as far as it is parsed: a header with this size. */
function png(width: number, height: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n', 'latin1');
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return Buffer.concat([header, deflateSync(Buffer.alloc(8))]);
}
const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0001108001000200301220002110103110100',
  'hex',
);
const CSV = Buffer.from('number,amount\n1,2.32\n');
const VIDEO = Buffer.from('00000018667479706d703432000000006d7034326d703431', 'hex');
const SHAPE = { width: 320, height: 180, duration: 5 };
const PICTURE = { type: 'photo', media: 'attach://x' };
const KEYBOARD = { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] };
const NO_TEXT = badRequest('there is no text in the message to edit');

const sendPhoto = (fields: object = {}, file = png(8, 8)) =>
  upload('sendPhoto', { chat_id: 501, ...fields }, file);
const sendVideo = (fields: object = {}, name = 'tour.mp4') =>
  upload('sendVideo', { chat_id: 501, ...fields }, VIDEO, 'video', name);
const sendDocument = (fields: object = {}, name = 'invoices.csv', file = CSV) =>
  upload('sendDocument', { chat_id: 501, ...fields }, file, 'document', name);
/** Replaces the file of a message by a picture of 9 x 9 pixels. */
const replaceMedia = (message_id: unknown, media: unknown = PICTURE) =>
  upload(
    'editMessageMedia',
    { chat_id: 501, message_id, ...(media !== undefined && { media }) },
    png(9, 9),
    'x',
  );

const idOf = (media: unknown) => ([media].flat()[0] as { file_id: string }).file_id;
const shown = async (kind: string) => {
  const view = (await messages()).at(-1) as Record<string, { url: string }>;
  return { view, url: telegram.server.origin + view[kind]?.url };
};

beforeEach(() => write('/start'));

describe('a file', () => {
  it.each([
    ['photo', 'image/png', () => sendPhoto({}, png(320, 200)), png(320, 200), /png$/],
    ['photo', 'image/jpeg', () => sendPhoto({}, JPEG), JPEG, /./],
    ['video', 'video/mp4', sendVideo, VIDEO, /^videos\/.*\.mp4$/],
    ['document', 'text/csv', sendDocument, CSV, /^documents\/.*\.csv$/],
  ])('as a %s of %s is served to its user and to the bot', async (kind, mime, sendFile, bytes, path) => {
    const { result } = await sendFile();
    const { result: found } = await call('getFile', { file_id: idOf(result[kind]) });
    expect(found?.file_path).toMatch(path);
    const { url } = await shown(kind);
    for (const address of [url, `${telegram.server.apiRoot}/file/bot${TOKEN}/${found?.file_path}`]) {
      const served = await fetch(address);
      expect(served.headers.get('content-type')).toBe(mime);
      expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
    }
  });

  it.each([
    ['photo', sendPhoto],
    ['video', sendVideo],
    ['document', sendDocument],
  ])('as a %s has a caption with formats, which can be edited, but no text', async (kind, sendFile) => {
    const { result } = await sendFile({ caption: '<b>One</b>', parse_mode: 'HTML' });
    const caption_entities = [{ type: 'bold', offset: 0, length: 3 }];
    expect(result).toMatchObject({ caption: 'One', caption_entities });
    const { view } = await shown(kind);
    expect(view).toMatchObject({ caption: 'One', html: '<b>One</b>' });
    expect(view).not.toHaveProperty('text');

    const target = { chat_id: 501, message_id: result.message_id };
    const edited = await call('editMessageCaption', { ...target, caption: 'two' });
    expect(edited.result).toMatchObject({ caption: 'two', [kind]: result[kind] });
    const again = await call('editMessageCaption', { ...target, caption: 'two' });
    expect(again.description).toContain('message is not modified');
    expect(await call('editMessageText', { ...target, text: 'x' })).toMatchObject(NO_TEXT);
  });

  it.each([
    ['photo', 'sendPhoto', sendPhoto],
    ['video', 'sendVideo', sendVideo],
    ['document', 'sendDocument', sendDocument],
  ])(
    'as a %s is sent again by its file_id, with a keyboard and as a reply',
    async (kind, method, sendFile) => {
      const { result } = await sendFile();
      const reply_parameters = { message_id: result.message_id };
      const file = { [kind]: idOf(result[kind]), reply_parameters, reply_markup: KEYBOARD };
      expect((await call(method, { chat_id: 501, ...file })).result?.[kind]).toEqual(result[kind]);
      const keyboard = [[{ text: 'More' }]];
      expect((await messages()).at(-1)).toMatchObject({ keyboard, reply_to: result.message_id });
    },
  );

  it.each([
    ['sendPhoto', 'photo', '', 'there is no photo in the request'],
    ['sendPhoto', 'photo', 'attach://none', 'there is no photo in the request'],
    ['sendPhoto', 'photo', 'none', 'wrong remote file identifier specified: Wrong string length'],
    ['sendPhoto', 'photo', 'http://127.0.0.1:1/picture.png', 'failed to get HTTP URL content'],
    ['sendVideo', 'video', undefined, 'there is no video in the request'],
    ['sendDocument', 'document', '', 'there is no document in the request'],
    ['sendDocument', 'document', 'attach://none', 'there is no document in the request'],
    ['sendDocument', 'document', 'none', 'wrong remote file identifier specified: Wrong string length'],
    ['sendDocument', 'document', 'http://127.0.0.1:1/a.csv', 'failed to get HTTP URL content'],
    ['getFile', 'file_id', 'none', 'wrong file_id or the file is temporarily unavailable'],
  ])('is rejected by %s if its %s is %j', async (method, field, value, problem) => {
    expect(await call(method, { chat_id: 501, [field]: value })).toMatchObject(badRequest(problem));
  });

  it.each([
    ['document', sendDocument, 'sendPhoto', 'photo', "can't use file of type Document as Photo"],
    ['video', sendVideo, 'sendDocument', 'document', "can't use file of type Video as Document"],
  ])('is not accepted as another kind if it is a %s', async (kind, sendFile, method, field, problem) => {
    const { result } = await sendFile();
    const answer = await call(method, { chat_id: 501, [field]: idOf(result[kind]) });
    expect(answer).toMatchObject(badRequest(problem));
  });

  it.each([
    ['an empty photo', () => sendPhoto({}, Buffer.alloc(0)), 'file must be non-empty'],
    ['a text as a photo', () => sendPhoto({}, Buffer.from('no picture')), 'IMAGE_PROCESS_FAILED'],
    ['a strip', () => sendPhoto({}, png(2_100, 100)), 'PHOTO_INVALID_DIMENSIONS'],
    ['a poster', () => sendPhoto({}, png(5_001, 5_000)), 'PHOTO_INVALID_DIMENSIONS'],
    [
      'a photo of 11 MB',
      () => sendPhoto({}, Buffer.concat([png(9, 9), Buffer.alloc(11 * 1024 * 1024)])),
      'file is too big for a photo',
    ],
    ['an empty document', () => sendDocument({}, 'a.csv', Buffer.alloc(0)), 'file must be non-empty'],
    ['a long caption', () => sendDocument({ caption: 'x'.repeat(1_025) }), 'message caption is too long'],
  ])('is rejected if it is %s', async (_, sendFile, problem) => {
    expect(await sendFile()).toMatchObject({ ok: false, description: `Bad Request: ${problem}` });
  });

  it('may have a caption of 1024 characters', async () => {
    expect((await sendDocument({ caption: 'x'.repeat(1_024) })).ok).toBe(true);
  });
});

describe('a photo', () => {
  it.each([
    ['PNG', png(320, 200), 320, 200],
    ['JPEG', JPEG, 32, 16],
  ])('in %s has its size', async (_, file, width, height) => {
    const { result } = await sendPhoto({}, file);
    expect(result.photo).toMatchObject([{ width, height, file_size: file.length }]);
  });

  it('is sent as an attachment by name and from a URL', async () => {
    await upload('sendPhoto', { chat_id: 501, photo: 'attach://x' }, png(8, 8), 'x');
    const fetched = await call('sendPhoto', { chat_id: 501, photo: (await shown('photo')).url });
    expect(fetched.result?.photo).toMatchObject([{ width: 8, height: 8 }]);
  });
});

describe('an edit of the file', () => {
  it('replaces the picture and its caption', async () => {
    const { result } = await sendPhoto({ caption: 'one' });
    const media = { ...PICTURE, caption: 'two' };
    const edited = await replaceMedia(result.message_id, media);
    expect(edited.result).toMatchObject({ caption: 'two', photo: [{ width: 9 }] });
    const same = await replaceMedia(result.message_id, { ...media, media: idOf(edited.result.photo) });
    expect(same.description).toContain('message is not modified');
  });

  it('removes the keyboard and the caption if it omits them', async () => {
    const { result } = await sendPhoto({ caption: 'Pay', reply_markup: KEYBOARD });
    const edited = await replaceMedia(result.message_id);
    expect(edited.result).not.toHaveProperty('reply_markup');
    expect(edited.result).not.toHaveProperty('caption');
  });

  it('replaces a photo by a document, and vice versa', async () => {
    const { result } = await sendPhoto();
    const document = await replaceMedia(result.message_id, { ...PICTURE, type: 'document' });
    expect(document.result).toMatchObject({ document: { file_name: 'picture' } });
    expect(document.result).not.toHaveProperty('photo');
    expect((await replaceMedia(result.message_id)).result).toMatchObject({ photo: [{ width: 9 }] });
  });

  it('replaces the text of a message', async () => {
    const message_id = await send();
    const { result } = await replaceMedia(message_id);
    expect(result).toMatchObject({ message_id, photo: [{ width: 9 }] });
    expect(result).not.toHaveProperty('text');
    const text = await call('editMessageText', { chat_id: 501, message_id, text: 'back' });
    expect(text).toMatchObject(NO_TEXT);
  });

  it.each([
    [undefined, 'parameter "media" is required'],
    ['{', "can't parse input media JSON object"],
    [7, "can't parse InputMedia: expected an Object"],
    [{ media: 'attach://x' }, 'can\'t parse InputMedia: Can\'t find field "type"'],
    [{ type: 7, media: 'attach://x' }, 'can\'t parse InputMedia: Field "type" must be of type String'],
    [{ type: 'photo' }, "can't parse InputMedia: media not found"],
    [{ type: 'photo', media: 'attach://other' }, "can't parse InputMedia: media not found"],
    [{ type: 'sticker', media: 'attach://x' }, 'can\'t parse InputMedia: type "sticker" is unsupported'],
    [{ type: 'photo', media: 'none' }, 'wrong remote file identifier specified: Wrong string length'],
    [{ ...PICTURE, caption: 'x'.repeat(1_025) }, 'message caption is too long'],
  ])('is rejected with the media %j', async (media, problem) => {
    const form = { chat_id: 501, message_id: await send(), ...(media !== undefined && { media }) };
    const answer = await upload('editMessageMedia', form, png(8, 8), 'x');
    expect(answer).toMatchObject({ ok: false, description: `Bad Request: ${problem}` });
  });

  it('is rejected if there is no message', async () => {
    const { description } = await replaceMedia(99);
    expect(description).toBe('Bad Request: message to edit not found');
  });
});

describe('a video', () => {
  it('has the details that its sender gave', async () => {
    const { result } = await sendVideo(SHAPE);
    const file = { file_id: expect.any(String), file_unique_id: expect.any(String), file_size: VIDEO.length };
    expect(result.video).toEqual({ ...file, ...SHAPE, file_name: 'tour.mp4', mime_type: 'video/mp4' });
    expect((await shown('video')).view).toMatchObject({ video: { width: 320, height: 180 } });
  });

  it.each([
    ['tour.webm', 'video/webm'],
    ['tour.MOV', 'video/quicktime'],
    ['tour.csv', 'video/mp4'],
    ['tour', 'video/mp4'],
  ])('named %s has the type %s', async (name, mime_type) => {
    const { result } = await sendVideo({}, name);
    expect(result.video).toMatchObject({ file_name: name, mime_type });
  });
});

describe('a document', () => {
  it('has its name, type and size', async () => {
    const { result } = await sendDocument();
    const size = { file_size: CSV.length };
    expect(result.document).toMatchObject({ file_name: 'invoices.csv', mime_type: 'text/csv', ...size });
    const { view } = await shown('document');
    expect(view.document).toMatchObject({ name: 'invoices.csv', size: CSV.length });
  });

  it.each([
    ['invoices.csv', 'invoices.csv', 'text/csv'],
    ['счета (ноябрь).csv', 'счета (ноябрь).csv', 'text/csv'],
    ['a "b"; c.CSV', 'a "b"; c.CSV', 'text/csv'],
    ['../../etc/passwd', 'passwd', 'application/octet-stream'],
    ['page.html', 'page.html', 'application/octet-stream'],
    ['..', '..', 'application/octet-stream'],
  ])('named %j is downloaded as %j with type %s', async (given, file_name, mime_type) => {
    const { result } = await sendDocument({}, given);
    expect(result.document).toMatchObject({ file_name, mime_type });
    const { headers } = await fetch((await shown('document')).url);
    const disposition = headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename\*=UTF-8''\S+$/);
    expect(decodeURIComponent(disposition.replace(/^.*''/, ''))).toBe(file_name);
  });

  it('is not found if it was never sent', async () => {
    expect(await control('GET /documents/none.csv')).toEqual({ error: 'There is no such document.' });
  });
});
