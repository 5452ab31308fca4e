import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startTelegram, TOKEN } from './telegram-server.ts';
import { upload } from './upload.ts';

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

const started = async () => {
  const server = await startTelegram();
  await server.write('/start');
  return server;
};

describe('a photo', () => {
  it.each([
    ['image/png', png(320, 200), 320, 200],
    ['image/jpeg', JPEG, 32, 16],
  ])(
    'of %s is stored with its size, and served to its user and to the bot',
    async (mime, file, width, height) => {
      const server = await started();
      const fields = { chat_id: 501, caption: '<b>QR</b>', parse_mode: 'HTML' };
      const { result } = await upload(server, 'sendPhoto', fields, file);
      expect(result).toMatchObject({
        photo: [{ width, height, file_size: file.length }],
        caption: 'QR',
        caption_entities: [{ type: 'bold', offset: 0, length: 2 }],
      });
      const [, view] = (await server.messages()) as [
        unknown,
        { caption: string; html: string; photo: { url: string } },
      ];
      expect(view).toMatchObject({ caption: 'QR', html: '<b>QR</b>' });
      expect(view).not.toHaveProperty('text');

      const [{ file_id }] = result.photo as [{ file_id: string }];
      const { result: found } = await server.call('getFile', { file_id });
      for (const url of [
        `${server.origin}${view.photo.url}`,
        `${server.apiRoot}/file/bot${TOKEN}/${found?.file_path}`,
      ]) {
        const served = await fetch(url);
        expect(served.headers.get('content-type')).toBe(mime);
        expect(Buffer.from(await served.arrayBuffer()).equals(file)).toBe(true);
      }
    },
  );

  it('is sent again by its file_id, from a URL, and as an attachment by name', async () => {
    const server = await started();
    const { result } = await upload(
      server,
      'sendPhoto',
      { chat_id: 501, photo: 'attach://x' },
      png(8, 8),
      'x',
    );
    const [{ file_id }] = result.photo as [{ file_id: string }];
    const [, view] = (await server.messages()) as [unknown, { photo: { url: string } }];
    const again = await server.call('sendPhoto', { chat_id: 501, photo: file_id });
    expect(again.result?.photo).toEqual(result.photo);
    const fetched = await server.call('sendPhoto', {
      chat_id: 501,
      photo: `${server.origin}${view.photo.url}`,
    });
    expect(fetched.result?.photo).toMatchObject([{ width: 8, height: 8 }]);
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'file must be non-empty'],
    ['a text', Buffer.from('not a picture'), 'IMAGE_PROCESS_FAILED'],
    ['a strip', png(2_100, 100), 'PHOTO_INVALID_DIMENSIONS'],
    ['a poster', png(5_001, 5_000), 'PHOTO_INVALID_DIMENSIONS'],
    ['11 MB', Buffer.concat([png(9, 9), Buffer.alloc(11 * 1024 * 1024)]), 'file is too big for a photo'],
  ])('is rejected when it is %s', async (_, file, problem) => {
    const server = await started();
    expect(await upload(server, 'sendPhoto', { chat_id: 501 }, file)).toMatchObject({
      ok: false,
      description: `Bad Request: ${problem}`,
    });
  });

  it.each([
    ['', 'there is no photo in the request'],
    ['attach://nothing', 'there is no photo in the request'],
    ['no-such-file-id', 'wrong remote file identifier specified: Wrong string length'],
    ['http://127.0.0.1:1/picture.png', 'failed to get HTTP URL content'],
  ])('is rejected when it is given as %j', async (photo, problem) => {
    const { call } = await started();
    expect((await call('sendPhoto', { chat_id: 501, photo })).description).toBe(`Bad Request: ${problem}`);
  });

  it('has an editable caption and picture, but no text', async () => {
    const server = await started();
    const { result } = await upload(server, 'sendPhoto', { chat_id: 501, caption: 'one' }, png(8, 8));
    const target = { chat_id: 501, message_id: result.message_id };
    const caption = await server.call('editMessageCaption', { ...target, caption: 'two' });
    expect(caption.result).toMatchObject({ caption: 'two', photo: result.photo });
    expect((await server.call('editMessageText', { ...target, text: 'x' })).description).toBe(
      'Bad Request: there is no text in the message to edit',
    );
    const media = { type: 'photo', media: 'attach://next', caption: 'three' };
    const edited = await upload(server, 'editMessageMedia', { ...target, media }, png(16, 16), 'next');
    expect(edited.result).toMatchObject({ caption: 'three', photo: [{ width: 16 }] });
    const { file_id } = (edited.result.photo as [{ file_id: string }])[0];
    const same = { ...target, media: { ...media, media: file_id } };
    expect((await server.call('editMessageMedia', same)).description).toContain('message is not modified');
  });

  it('loses the keyboard and caption if an edit omits them', async () => {
    const server = await started();
    const reply_markup = { inline_keyboard: [[{ text: 'Paid?', callback_data: 'paid' }]] };
    const fields = { chat_id: 501, caption: 'Pay', reply_markup };
    const { result } = await upload(server, 'sendPhoto', fields, png(8, 8));
    const media = { type: 'photo', media: 'attach://x' };
    const target = { chat_id: 501, message_id: result.message_id };
    const edited = await upload(server, 'editMessageMedia', { ...target, media }, png(9, 9), 'x');
    expect(edited.result).not.toHaveProperty('reply_markup');
    expect(edited.result).not.toHaveProperty('caption');
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
    [{ type: 'photo', media: 'attach://x', caption: 'x'.repeat(1_025) }, 'message caption is too long'],
  ])('is not added by an edit that Telegram would reject (case %#)', async (media, problem) => {
    const server = await startTelegram();
    const message_id = await server.send();
    const fields = { chat_id: 501, message_id, ...(media !== undefined && { media }) };
    const answer = await upload(server, 'editMessageMedia', fields, png(8, 8), 'x');
    expect(answer).toMatchObject({ ok: false, description: `Bad Request: ${problem}` });
  });

  it('is replaced by a document, and vice versa', async () => {
    const server = await started();
    const { result } = await upload(server, 'sendPhoto', { chat_id: 501 }, png(8, 8));
    const replace = (type: string) => {
      const media = { type, media: 'attach://x' };
      const fields = { chat_id: 501, message_id: result.message_id, media };
      return upload(server, 'editMessageMedia', fields, png(8, 8), 'x');
    };
    const document = await replace('document');
    expect(document.result).toMatchObject({ document: { file_name: 'picture' } });
    expect(document.result).not.toHaveProperty('photo');
    expect((await replace('photo')).result).toMatchObject({ photo: [{ width: 8 }] });
  });

  it('replaces the text of a message by an edit', async () => {
    const server = await startTelegram();
    const message_id = await server.send();
    const media = { type: 'photo', media: 'attach://x' };
    const { result } = await upload(
      server,
      'editMessageMedia',
      { chat_id: 501, message_id, media },
      png(8, 8),
      'x',
    );
    expect(result).toMatchObject({ message_id, photo: [{ width: 8 }] });
    expect(result).not.toHaveProperty('text');
    const text = await server.call('editMessageText', { chat_id: 501, message_id, text: 'back' });
    expect(text.description).toBe('Bad Request: there is no text in the message to edit');
  });

  it('is not added to a missing message', async () => {
    const server = await started();
    const media = { type: 'photo', media: 'attach://x' };
    const fields = { chat_id: 501, message_id: 99, media };
    const { description } = await upload(server, 'editMessageMedia', fields, png(8, 8), 'x');
    expect(description).toBe('Bad Request: message to edit not found');
  });

  it('has no editable caption in a text message', async () => {
    const server = await startTelegram();
    const message_id = await server.send();
    const { description } = await server.call('editMessageCaption', {
      chat_id: 501,
      message_id,
      caption: 'x',
    });
    expect(description).toBe('Bad Request: there is no caption in the message to edit');
  });

  it('is not found by an unknown id', async () => {
    const { call } = await startTelegram();
    expect((await call('getFile', { file_id: 'none' })).description).toBe(
      'Bad Request: wrong file_id or the file is temporarily unavailable',
    );
  });
});
