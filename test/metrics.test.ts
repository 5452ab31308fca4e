import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryStorage } from '../src/platform/memory-storage.ts';
import type { Storage } from '../src/platform/storage.ts';
import { recordingLog } from './support/log-lines.ts';
import { allMetrics, samplesOf, sumOf } from './support/metrics.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Serves metrics of a storage. `reads` counts how often it was read. */
function serve() {
  const { index } = createMemoryStorage();
  const size = vi.fn<Storage['index']['size']>(index.size);
  const metrics = allMetrics();
  const { log, lines } = recordingLog();
  const fetch = metrics.serve({
    storage: { index: { ...index, size } },
    pendingSummary: async () => ({ inProgress: 1, uncertain: 2, isMore: false }),
    health: {
      readiness: () => ({ isReady: true, failing: { storage: 'warning', 'telegram-updates': 'error' } }),
    },
    readOutboxBacklog: async () => ({ chats: 1, isMore: false, oldestMs: 90_000 }),
    log,
  });
  const get = (path = '/metrics') => fetch(new Request(`http://127.0.0.1${path}`));
  return { metrics, index, size, lines, get, read: async () => samplesOf(await get()) };
}

const queue = 'erasures:due';

test('reads the figures of the storage at most every five seconds', async () => {
  const { index, size, read } = serve();
  await index.scheduleIn(queue, '501/1', -60_000);
  const samples = await read();
  expect(sumOf(samples, 'bot_queue_length', { queue })).toBe(1);
  expect(sumOf(samples, 'bot_queue_overdue_seconds', { queue })).toBe(60);
  expect(sumOf(samples, 'bot_operations_open', { state: 'uncertain' })).toBe(2);
  expect(sumOf(samples, 'bot_outbox_oldest_notification_seconds')).toBe(90);
  expect(sumOf(samples, 'bot_health_check', { check: 'storage' })).toBe(1);
  expect(sumOf(samples, 'bot_health_check', { check: 'telegram-updates' })).toBe(2);

  const calls = size.mock.calls.length;
  await index.scheduleIn(queue, '501/2', 0);
  vi.advanceTimersByTime(4_999);
  expect(sumOf(await read(), 'bot_queue_length', { queue })).toBe(1);
  expect(size).toHaveBeenCalledTimes(calls);
  vi.advanceTimersByTime(1);
  expect(sumOf(await read(), 'bot_queue_length', { queue })).toBe(2);
});

test('responds from memory while the storage hangs, waits for one read only, and recovers', async () => {
  const { metrics, size, read } = serve();
  await read();
  vi.advanceTimersByTime(5_000);
  size.mockClear();
  let respond = (_: number) => {};
  size.mockReturnValueOnce(new Promise((resolve) => (respond = resolve)));
  metrics.onRentalCall({ kind: 'limited', ms: 20 });
  const both = [read(), read()];
  await vi.advanceTimersByTimeAsync(1_000);
  for (const samples of await Promise.all(both)) {
    expect(sumOf(samples, 'bot_storage_up')).toBe(0);
    expect(sumOf(samples, 'bot_requests_total', { to: 'service', result: 'limited' })).toBe(1);
    for (const name of ['bot_queue_length', 'bot_operations_open', 'bot_storage_latency_seconds'])
      expect(sumOf(samples, name)).toBeUndefined();
  }
  expect(size).toHaveBeenCalledOnce();
  respond(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(sumOf(await read(), 'bot_storage_up')).toBe(1);
});

test('responds at once while the storage rejects, and logs why once in ten seconds', async () => {
  const { size, lines, read } = serve();
  size.mockRejectedValue(new TypeError('no such index'));
  for (const passedMs of [0, 9_999, 1]) {
    vi.advanceTimersByTime(passedMs);
    expect(sumOf(await read(), 'bot_storage_up')).toBe(0);
  }
  const msg = 'the storage could not be read for metrics';
  const err = expect.objectContaining({ message: 'no such index' });
  expect(lines()).toMatchObject([
    { level: 'error', msg, err },
    { level: 'error', msg, err, count: 1 },
  ]);
});

test('serves metrics in the text format of Prometheus, and nothing else', async () => {
  const { get } = serve();
  expect((await get()).headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect((await get('/')).status).toBe(404);
});

test('counts an outcome once for each change, and times only the first', async () => {
  const { metrics, read } = serve();
  const stored = (state: string) => ({ state, claimedAt: 1_000, request: { kind: 'energy' } }) as never;
  metrics.onOperationWritten(stored('sent'), stored('unknown'), 3_000);
  metrics.onOperationWritten(stored('unknown'), stored('unknown'), 4_000);
  metrics.onOperationWritten(stored('unknown'), stored('done'), 90_000);
  metrics.onOperationWritten(stored('draft'), stored('cancelled'), 90_000);
  const samples = await read();
  expect(sumOf(samples, 'bot_operation_outcomes_total')).toBe(2);
  expect(sumOf(samples, 'bot_operation_duration_seconds_sum')).toBe(2);
});
