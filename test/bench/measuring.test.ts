import { expect, test } from 'vitest';
import { fill, recordReply } from './recorded-replies.ts';
import { createConnectionMeter, createRespCounter, NO_TRAFFIC } from './redis-traffic.ts';
import { quantile, ratiosOf, spreadOf, summarize } from './slices.ts';
import { reasonsAgainst } from './sustained.ts';

const bytes = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'));
const GET = '*2\n$3\nGET\n$1\na\n';

test('drops a noisy slice and counts it', () => {
  const slices = [
    { figures: { cpu: 3 }, foreign: 0.02 },
    { figures: { cpu: 90 }, foreign: 0.11 },
    { figures: { cpu: 1 }, foreign: 0.1 },
    { figures: { cpu: 2 }, foreign: 0 },
  ];
  expect(summarize(slices)).toEqual({
    figures: { cpu: { median: 2, least: 1, most: 3 } },
    kept: 3,
    dropped: 1,
    isNoisy: false,
  });
});

test('uses all slices and marks the figures as noisy if too few were quiet', () => {
  const slices = [0.5, 0.9, 0.01].map((foreign, at) => ({ figures: { cpu: at }, foreign }));
  expect(summarize(slices)).toMatchObject({ kept: 3, dropped: 0, isNoisy: true });
});

test('compares two sides in the rounds in which both were quiet, or in all rounds if too few were', () => {
  const slice = (cpu: number, foreign: number) => ({ figures: { cpu }, foreign });
  const ours = [slice(4, 0), slice(30, 0.5), slice(6, 0.1), slice(9, 0)];
  const theirs = [slice(2, 0), slice(3, 0), slice(2, 0), slice(1, 0.2)];
  expect(ratiosOf('cpu', ours, theirs)).toEqual([2, 3]);
  expect(ratiosOf('cpu', ours.slice(1), theirs.slice(1))).toEqual([10, 3, 9]);
});

test('averages the two middle values of an even number, in any order', () => {
  expect(spreadOf([10, 1, 4, 2])).toEqual({ median: 3, least: 1, most: 10 });
  expect(spreadOf([10, 1, 4])).toEqual({ median: 4, least: 1, most: 10 });
});

test('returns the second largest of a hundred as the 99th percentile', () => {
  const values = Array.from({ length: 100 }, (_, at) => at + 1).reverse();
  expect(quantile(values, 0.99)).toBe(99);
  expect(quantile(values, 0.5)).toBe(50);
  expect(quantile([7], 0.99)).toBe(7);
});

test('finds out why a rate is not sustained', () => {
  const times = { count: 100, median: 10, p99: 400, worst: 500 };
  const common = { replies: times, outcomes: times };
  const walked = { ...common, failures: {}, skipped: 0, quarters: [300, 60, 70, 180] };
  expect(reasonsAgainst({ walked, due: 0 })).toEqual([]);
  const outcomes = { ...times, p99: 3_001 };
  const late = { ...common, outcomes, failures: { timeout: 1 }, skipped: 1, quarters: [50, 60, 900, 2_000] };
  expect(reasonsAgainst({ walked: late, due: 1 })).toEqual([
    'failures',
    'all users busy',
    'growing waits',
    'slow responses',
    'operations left due',
  ]);
});

test('finds the end of each value, whatever the chunk size', () => {
  const stream = bytes(
    `*3\n:1\n*2\n$5\na\n*b\n$-1\n%1\n+k\n~0\n$0\n\n+OK\n>2\n+message\n+*9\n-ERR *2\n*0\n*-1\n`,
  );
  for (const size of [1, 2, 3, 7, stream.length]) {
    const counter = createRespCounter();
    let ended = 0;
    for (let at = 0; at < stream.length; at += size) ended += counter.feed(stream.subarray(at, at + size));
    expect([size, ended, counter.isWhole()]).toEqual([size, 6, true]);
  }
});

test('does not count pipelined requests as further round trips', () => {
  const traffic = { ...NO_TRAFFIC };
  const meter = createConnectionMeter(traffic);
  meter.toServer(bytes(GET + GET));
  meter.toServer(bytes(GET));
  meter.toClient(bytes('$1\nx\n$1\n'));
  meter.toServer(bytes(GET));
  meter.toClient(bytes('x\n$-1\n:1\n'));
  expect(traffic).toMatchObject({ roundTrips: 1, commands: 4 });
  meter.toServer(bytes(GET));
  meter.toClient(bytes('$-1\n'));
  expect(traffic).toEqual({ roundTrips: 2, commands: 5, bytesOut: 5 * bytes(GET).length, bytesIn: 28 });
});

test('counts a command in several chunks as one round trip', () => {
  const traffic = { ...NO_TRAFFIC };
  const meter = createConnectionMeter(traffic);
  for (const part of ['*2\n$3\nGE', 'T\n$1\n', 'a\n']) meter.toServer(bytes(part));
  expect(traffic).toMatchObject({ roundTrips: 1, commands: 1 });
});

test('replays a recorded reply for another user with their own ids', () => {
  const call = (body: string, path = '/telegram/bot1:x/sendMessage') => ({
    method: 'POST',
    path,
    body,
    key: 'key-710000001',
  });
  const calls = [
    call('{"chat_id":710000001,"message_id":7,"reply_parameters":{"message_id":6},"text":"7 of 710000001"}'),
    call('{"callback_query_id":"tap-5"}', '/api/v1/energy/buy'),
  ];
  const recorded = recordReply(calls, { chat: 710_000_001, tap: 'tap-5', message: 7 });
  const asked = { chat: 720_000_009, tap: 'tap-8', message: 20 };
  expect(recorded.calls.map(({ to }) => to)).toEqual(['telegram', 'rental']);
  expect(recorded.calls.map(({ body }) => fill(body, asked))).toEqual([
    '{"chat_id":720000009,"message_id":20,"reply_parameters":{"message_id":19},"text":"7 of 720000009"}',
    '{"callback_query_id":"tap-8"}',
  ]);
  expect(fill(recorded.calls[0]?.key ?? [], asked)).toBe('key-720000009');
});
