import { describe, expect, it } from 'vitest';
import { startTelegram, TOKEN } from './telegram-server.ts';
import { upload } from './upload.ts';

const VIDEO = Buffer.from('00000018667479706d703432000000006d7034326d703431', 'hex');
const SHAPE = { width: 320, height: 180, duration: 5 };

async function started(fields: object = {}, name = 'tour.mp4') {
  const server = await startTelegram();
  await server.write('/start');
  const answer = await upload(server, 'sendVideo', { chat_id: 501, ...fields }, VIDEO, 'video', name);
  return { ...server, ...answer };
}

describe('a video', () => {
  it('is stored with its sender’s details, and served to its user and to the bot', async () => {
    const fields = { ...SHAPE, caption: '<b>Tour</b>', parse_mode: 'HTML' };
    const { result, messages, call, origin, apiRoot } = await started(fields);
    const file = { file_id: expect.any(String), file_unique_id: expect.any(String), file_size: VIDEO.length };
    expect(result.video).toEqual({ ...file, ...SHAPE, file_name: 'tour.mp4', mime_type: 'video/mp4' });
    expect(result).toMatchObject({ caption: 'Tour', caption_entities: [{ type: 'bold' }] });
    const [, view] = (await messages()) as [unknown, { video: { url: string } }];
    expect(view).toMatchObject({ caption: 'Tour', video: { width: 320, height: 180 } });

    const { file_id } = result.video as { file_id: string };
    const { result: found } = await call('getFile', { file_id });
    expect(found?.file_path).toMatch(/^videos\/.*\.mp4$/);
    for (const url of [origin + view.video.url, `${apiRoot}/file/bot${TOKEN}/${found?.file_path}`]) {
      const served = await fetch(url);
      expect(served.headers.get('content-type')).toBe('video/mp4');
      expect(Buffer.from(await served.arrayBuffer()).equals(VIDEO)).toBe(true);
    }
  });

  it.each([
    ['tour.webm', 'video/webm'],
    ['tour.MOV', 'video/quicktime'],
    ['tour.csv', 'video/mp4'],
    ['tour', 'video/mp4'],
  ])('named %s has the type %s', async (name, mime_type) => {
    const { result } = await started({}, name);
    expect(result.video).toMatchObject({ file_name: name, mime_type });
  });

  it('is sent again by its file_id, and is neither a photo nor a document', async () => {
    const { result, call } = await started(SHAPE);
    const { file_id } = result.video as { file_id: string };
    const again = await call('sendVideo', { chat_id: 501, video: file_id, width: 1 });
    expect(again.result?.video).toEqual(result.video);
    expect((await call('sendDocument', { chat_id: 501, document: file_id })).description).toBe(
      "Bad Request: can't use file of type Video as Document",
    );
    expect((await call('sendVideo', { chat_id: 501 })).description).toBe(
      'Bad Request: there is no video in the request',
    );
  });
});
