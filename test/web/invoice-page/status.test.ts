import { expect, test } from 'vitest';
import { HASH, MADE_AT, MINUTE, servePage } from './served-page.ts';

type Served = Awaited<ReturnType<typeof servePage>>;

const readFingerprint = async (page: Served) => {
  const { fingerprint } = (await (await page.fetchPage('/status')).json()) as { fingerprint: string };
  return fingerprint;
};
const readTag = async (page: Served) => (await page.fetchPage('/status')).headers.get('etag') ?? '';

test('has a fingerprint for each state', async () => {
  const page = await servePage();
  expect(await readFingerprint(page)).toBe('open');
  page.advance(23 * MINUTE);
  expect(await readFingerprint(page)).toBe('ending');
  page.change({ unchecked: true });
  expect(await readFingerprint(page)).toBe('unchecked unchecked');
  page.change({ unchecked: undefined });
  page.advance(8 * MINUTE);
  expect(await readFingerprint(page)).toBe('unreported');
  page.change({ checkedAt: MADE_AT + 31 * MINUTE });
  expect(await readFingerprint(page)).toBe('over');
  page.change({ status: 'paid', paidAt: MADE_AT + 30 * MINUTE + 1 });
  expect(await readFingerprint(page)).toBe('late');
  page.change({ paidAt: MADE_AT, unchecked: true });
  expect(await readFingerprint(page)).toBe('paid unchecked');
  page.change({ status: 'delegated', unchecked: undefined, txHash: HASH });
  expect(await readFingerprint(page)).toBe(`delivered ${HASH}`);
});

test('responds 304 without a body until the state changes', async () => {
  const page = await servePage();
  const tag = await readTag(page);
  expect(tag).toMatch(/^"[\w-]+"$/);
  const poll = (ifNoneMatch: string) =>
    page.fetchPage('/status', { headers: { 'If-None-Match': ifNoneMatch } });
  page.advance(MINUTE);
  // A proxy that compresses makes the tag weak.
  for (const sent of [tag, `"other", ${tag}`, `W/${tag}`]) {
    const answer = await poll(sent);
    expect([answer.status, await answer.text()]).toEqual([304, '']);
    expect(answer.headers.get('etag')).toBe(tag);
  }
  page.change({ status: 'paid', paidAt: MADE_AT });
  const changed = await poll(tag);
  expect([changed.status, await changed.json()]).toEqual([200, { fingerprint: 'paid' }]);
  expect(changed.headers.get('etag')).not.toBe(tag);
});

test('lets only browsers store the status, and reports the time of the server', async () => {
  const page = await servePage();
  const tag = await readTag(page);
  page.advance(MINUTE);
  for (const ifNoneMatch of ['"other"', tag]) {
    const answer = await page.fetchPage('/status', { headers: { 'If-None-Match': ifNoneMatch } });
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('date')).toBe('Sun, 22 Nov 2026 15:01:00 GMT');
  }
});

test('finds the invoice once per poll, and never checks it with the service', async () => {
  const page = await servePage({ check: () => Promise.reject(new Error('not expected')) });
  const tag = await readTag(page);
  const answer = await page.fetchPage('/status', { headers: { 'If-None-Match': tag } });
  expect(answer.status).toBe(304);
  expect(page.calls.find).toHaveLength(2);
});

test('stores no failed poll', async () => {
  const page = await servePage();
  const tag = await readTag(page);
  page.setStorageDown(true);
  const answer = await page.fetchPage('/status', { headers: { 'If-None-Match': tag } });
  expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual([
    503,
    'no-store',
    null,
  ]);
});
