import { expect, test } from 'vitest';
import { createStreams, type Every } from '../../../src/web/invoice-page/streams.ts';
import { eventually } from '../../support/eventually.ts';
import { HASH, MADE_AT, MINUTE, readEvents, servePage, TOKEN } from './served-page.ts';

type Served = Awaited<ReturnType<typeof servePage>>;

async function listen(page: Served, headers: Record<string, string> = {}) {
  const answer = await page.fetchPage('/events', { headers });
  return { answer, ...readEvents(answer) };
}

/** Returns the next event that contains the state, or the end event. */
async function stateOf({ next }: { next: () => Promise<string | undefined> }) {
  for (;;) {
    const event = await next();
    if (event === undefined || event.startsWith('event: end')) return event;
    if (event.startsWith('data: ')) return JSON.parse(event.slice(6));
  }
}

test('forbids caching, transforming and buffering of the stream', async () => {
  const page = await servePage();
  const { answer, next, stop } = await listen(page);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(await next()).toBe('retry: 3000');
  await stop();
});

test('pushes each change until the end, and then stops reconnects', async () => {
  const page = await servePage();
  const stream = await listen(page);
  const endsAt = MADE_AT + 30 * MINUTE;
  expect(await stateOf(stream)).toEqual({ fingerprint: 'open', final: false, now: MADE_AT, endsAt });
  await page.advance(23 * MINUTE);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'ending', endsAt });
  await page.advance(8 * MINUTE);
  const over = await stateOf(stream);
  expect(over).toMatchObject({ fingerprint: 'over', final: false });
  expect(over).not.toHaveProperty('endsAt');
  page.change({ status: 'paid', paidAt: endsAt + 1 });
  await page.advance(2_000);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'late', final: false });
  page.change({ status: 'delegated', txHash: HASH });
  await page.advance(2_000);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: `delivered ${HASH}`, final: true });
  expect(await stateOf(stream)).toBe('event: end\ndata:');
  expect(await stream.next()).toBeUndefined();
  expect(page.timerCount()).toBe(0);
});

test('pushes when checking stops and resumes, for paid and unpaid invoices', async () => {
  const page = await servePage();
  const stream = await listen(page);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'open' });
  page.change({ unchecked: true });
  await page.advance(2_000);
  const state = await stateOf(stream);
  expect(state).toMatchObject({ fingerprint: 'unchecked unchecked', final: false });
  expect(state).not.toHaveProperty('endsAt');
  page.change({ unchecked: undefined });
  await page.advance(2_000);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'open', endsAt: MADE_AT + 30 * MINUTE });
  page.change({ status: 'paid', paidAt: MADE_AT });
  await page.advance(2_000);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'paid' });
  page.change({ unchecked: true });
  await page.advance(2_000);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'paid unchecked', final: false });
  await stream.stop();
});

test('sends a final state and closes the stream', async () => {
  const page = await servePage();
  page.setState('failed');
  const stream = await listen(page);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'failed', final: true });
  expect(await stateOf(stream)).toBe('event: end\ndata:');
  expect(await stream.next()).toBeUndefined();
  expect(page.timerCount()).toBe(0);
});

test('ends the streams of a revoked link', async () => {
  const page = await servePage();
  const stream = await listen(page);
  await stateOf(stream);
  page.change(undefined);
  await page.advance(2_000);
  expect(await stateOf(stream)).toBe('event: end\ndata:');
  expect(page.timerCount()).toBe(0);
});

test('sends a comment every 15 seconds, and nothing else without a change', async () => {
  const page = await servePage();
  const stream = await listen(page);
  await stateOf(stream);
  await page.advance(31_000);
  page.change({ status: 'paid', paidAt: MADE_AT });
  await page.advance(2_000);
  expect([await stream.next(), await stream.next()]).toEqual([':', ':']);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'paid' });
  await stream.stop();
});

test('reads the record every second for all listeners together, and never without one', async () => {
  const page = await servePage();
  const streams = await Promise.all(Array.from({ length: 5 }, () => listen(page)));
  for (const stream of streams) await stateOf(stream);
  const before = page.calls.find.length;
  await page.advance(20_000);
  expect(page.calls.find.length - before).toBe(20);
  page.change({ status: 'paid', paidAt: MADE_AT });
  await page.advance(2_000);
  for (const stream of streams) expect(await stateOf(stream)).toMatchObject({ fingerprint: 'paid' });
  await Promise.all(streams.map(({ stop }) => stop()));
  await eventually(() => expect(page.timerCount()).toBe(0));
  const after = page.calls.find.length;
  await page.advance(60_000);
  expect(page.calls.find).toHaveLength(after);
});

test('limits streams per client and in total, while polling still works', async () => {
  const page = await servePage({ caps: { perClient: 2, inAll: 3 } });
  const from = (client: string) => listen(page, { 'X-Forwarded-For': `192.0.2.99, ${client}` });
  const [first, second] = [await from('198.51.100.1'), await from('198.51.100.1')];
  const third = await from('198.51.100.1');
  expect([third.answer.status, third.answer.headers.get('retry-after')]).toEqual([503, '60']);
  const other = await from('198.51.100.2');
  expect(other.answer.status).toBe(200);
  expect((await from('198.51.100.3')).answer.status).toBe(503);
  const status = await page.fetchPage('/status');
  expect(await status.json()).toMatchObject({ fingerprint: 'open', final: false, now: MADE_AT });
  await first.stop();
  const again = await eventually(async () => {
    const next = await from('198.51.100.1');
    expect(next.answer.status).toBe(200);
    return next;
  });
  await Promise.all([second, other, again].map(({ stop }) => stop()));
  await eventually(() => expect(page.timerCount()).toBe(0));
});

test('releases everything when a stream breaks off', async () => {
  const page = await servePage({ caps: { perClient: 1, inAll: 1 } });
  for (let times = 0; times < 5; times++) {
    const leaving = new AbortController();
    await eventually(async () => {
      const answer = await page.fetchPage('/events', { signal: leaving.signal });
      expect(answer.status).toBe(200);
    });
    leaving.abort();
  }
  await eventually(() => expect(page.timerCount()).toBe(0));
});

test('logs failed reads with a limited rate and without the token, and continues', async () => {
  const page = await servePage();
  const stream = await listen(page);
  await stateOf(stream);
  page.setStorageDown(true);
  await page.advance(12_000);
  expect(page.lines.lines()).toMatchObject([{ level: 'warn' }, { level: 'warn', count: 9 }]);
  expect(page.lines.texts.join()).not.toContain(TOKEN);
  page.setStorageDown(false);
  await page.advance(24 * MINUTE);
  expect(await stateOf(stream)).toMatchObject({ fingerprint: 'ending' });
  await stream.stop();
});

test('ends streams when the app stops, and opens none', async () => {
  const stopping = new AbortController();
  const page = await servePage({ signal: stopping.signal });
  const stream = await listen(page);
  await stateOf(stream);
  stopping.abort();
  expect(await stream.next()).toBeUndefined();
  expect(page.timerCount()).toBe(0);
  expect((await page.fetchPage('/events')).status).toBe(503);
});

test('closes a stream whose client no longer reads', () => {
  const ticks = new Set<() => void>();
  const every: Every = (_, run) => {
    ticks.add(run);
    return () => ticks.delete(run);
  };
  const streams = createStreams({
    ...{ read: async () => undefined, every, onReadError: () => undefined },
    caps: { perClient: 1, inAll: 1 },
  });
  const state = { fingerprint: 'open', final: false, now: MADE_AT };
  expect(streams.open('token', 'client', state)).toBeDefined();
  const [, comment] = ticks;
  for (let times = 0; times < 30; times++) comment?.();
  expect(ticks.size).toBe(0);
  expect(streams.open('token', 'client', state)).toBeDefined();
});
