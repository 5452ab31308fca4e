import { expect, test } from 'vitest';
import { seen, serveWeb } from './web-server.ts';

test('forbids browsers to guess types, cache responses or send referrers', async () => {
  const { get } = await serveWeb({});
  const headers = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
  expect(await seen(await get('/livez'))).toMatchObject({ status: 200, headers });
  expect(await seen(await get('/nothing/here'))).toMatchObject({ status: 404, headers, body: '' });
});

test('logs nothing for requests', async () => {
  const { get, post, lines } = await serveWeb({});
  await get('/livez');
  await post('/events/s3cret-hook', '{}');
  expect(lines.texts).toEqual([]);
});
