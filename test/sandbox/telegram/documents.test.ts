import { describe, expect, it } from 'vitest';
import { startTelegram, TOKEN } from './telegram-server.ts';
import { upload } from './upload.ts';

const CSV = Buffer.from('number,amount\n1,2.32\n');

async function started(name = 'invoices.csv', fields: object = {}) {
  const server = await startTelegram();
  await server.write('/start');
  const answer = await upload(server, 'sendDocument', { chat_id: 501, ...fields }, CSV, 'document', name);
  return { ...server, ...answer };
}

describe('a document', () => {
  it('is stored with its name, type and size, and served to its user and to the bot', async () => {
    const fields = { caption: '<b>November</b>', parse_mode: 'HTML' };
    const { result, messages, call, origin, apiRoot } = await started('invoices.csv', fields);
    expect(result).toMatchObject({
      document: { file_name: 'invoices.csv', mime_type: 'text/csv', file_size: CSV.length },
      caption: 'November',
      caption_entities: [{ type: 'bold' }],
    });
    const [, view] = (await messages()) as [unknown, { document: { url: string } }];
    expect(view).toMatchObject({
      caption: 'November',
      document: { name: 'invoices.csv', size: CSV.length },
    });
    expect(view).not.toHaveProperty('text');

    const { file_id } = result.document as { file_id: string };
    const { result: found } = await call('getFile', { file_id });
    expect(found?.file_path).toMatch(/^documents\/.*\.csv$/);
    for (const url of [origin + view.document.url, `${apiRoot}/file/bot${TOKEN}/${found?.file_path}`]) {
      const served = await fetch(url);
      expect(served.headers.get('content-type')).toBe('text/csv');
      expect(Buffer.from(await served.arrayBuffer()).equals(CSV)).toBe(true);
    }
    const { headers } = await fetch(origin + view.document.url);
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''invoices.csv");
  });

  it.each([
    ['счета (ноябрь).csv', 'счета (ноябрь).csv', 'text/csv'],
    ['a "b"; c.CSV', 'a "b"; c.CSV', 'text/csv'],
    ['../../etc/passwd', 'passwd', 'application/octet-stream'],
    ['page.html', 'page.html', 'application/octet-stream'],
    ['..', '..', 'application/octet-stream'],
  ])('named %j is stored as %j with type %s', async (given, file_name, mime_type) => {
    const { result, messages, origin } = await started(given);
    expect(result.document).toMatchObject({ file_name, mime_type });
    const [, view] = (await messages()) as [unknown, { document: { url: string } }];
    const { headers } = await fetch(origin + view.document.url);
    const [, name = ''] = /^attachment; filename\*=UTF-8''(\S+)$/.exec(
      headers.get('content-disposition') ?? '',
    ) ?? ['', ''];
    expect(decodeURIComponent(name)).toBe(file_name);
  });

  it('is sent again by its file_id, with a keyboard and as a reply', async () => {
    const { result, call, messages } = await started();
    const { file_id } = result.document as { file_id: string };
    const reply_markup = { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] };
    const reply_parameters = { message_id: result.message_id };
    const params = { chat_id: 501, document: file_id, reply_markup, reply_parameters };
    expect((await call('sendDocument', params)).result?.document).toEqual(result.document);
    expect((await messages())[2]).toMatchObject({
      keyboard: [[{ text: 'More' }]],
      reply_to: result.message_id,
    });
  });

  it.each([
    ['', 'there is no document in the request'],
    ['attach://none', 'there is no document in the request'],
    ['none', 'wrong remote file identifier specified: Wrong string length'],
    ['http://127.0.0.1:1/a.csv', 'failed to get HTTP URL content'],
  ])('is rejected if it is given as %j', async (document, problem) => {
    const { call } = await started();
    const { description } = await call('sendDocument', { chat_id: 501, document });
    expect(description).toBe(`Bad Request: ${problem}`);
  });

  it('is rejected if it is empty or its caption is too long', async () => {
    const server = await started();
    const send = (caption: string, file: Uint8Array<ArrayBuffer>) =>
      upload(server, 'sendDocument', { chat_id: 501, caption }, file, 'document');
    expect((await send('', Buffer.alloc(0))).description).toBe('Bad Request: file must be non-empty');
    expect((await send('x'.repeat(1_025), CSV)).description).toBe('Bad Request: message caption is too long');
    expect((await send('x'.repeat(1_024), CSV)).ok).toBe(true);
  });

  it('is not accepted as a photo, nor a photo as a document', async () => {
    const { result, call } = await started();
    const { file_id } = result.document as { file_id: string };
    expect((await call('sendPhoto', { chat_id: 501, photo: file_id })).description).toBe(
      "Bad Request: can't use file of type Document as Photo",
    );
  });

  it('has an editable caption, but no text', async () => {
    const { result, call } = await started('invoices.csv', { caption: 'one' });
    const target = { chat_id: 501, message_id: result.message_id };
    const edited = await call('editMessageCaption', { ...target, caption: 'two' });
    expect(edited.result).toMatchObject({ caption: 'two', document: result.document });
    expect((await call('editMessageCaption', { ...target, caption: 'two' })).description).toContain(
      'message is not modified',
    );
    expect((await call('editMessageText', { ...target, text: 'x' })).description).toBe(
      'Bad Request: there is no text in the message to edit',
    );
  });

  it('is not found if it was never sent', async () => {
    const { control } = await startTelegram();
    expect(await control('GET /documents/none.csv')).toEqual({ error: 'There is no such document.' });
  });
});
