import { expect, test } from 'vitest';
import {
  type Answer,
  closedPort,
  cutBeforeHead,
  cutMidBody,
  hang,
  json,
  raw,
} from '../support/rental-server.ts';
import { clientOf, KEY, profile } from './fixture.ts';

const failing =
  (times: number, failure: Answer): Answer =>
  (res, received, answered) =>
    (answered < times ? failure : json(200, profile))(res, received, answered);

test.each([
  ['a 500', json(500, {})],
  ['a 503 in HTML', raw(503, '<html>')],
  ['a cut connection', cutBeforeHead],
  ['a cut body', cutMidBody],
  ['a timeout', hang],
] as [string, Answer][])('retries a read after %s with growing delays', async (_what, failure) => {
  const { rental, server, slept } = await clientOf(failing(2, failure), {
    timeouts: failure === hang ? { readTryMs: 700 } : {},
  });
  expect(await rental.profile(KEY)).toEqual({ kind: 'accepted', value: profile });
  expect(server.requests).toHaveLength(3);
  expect(slept).toEqual([187.5, 375]);
});

test('sends a read at most three times', async () => {
  const { rental, server } = await clientOf(json(500, {}));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'unknown', reason: 'status', status: 500 });
  expect(server.requests).toHaveLength(3);
});

test('retries a read if the connection is refused', async () => {
  const port = await closedPort();
  const { rental, slept } = await clientOf(json(200, profile), { baseUrl: () => port });
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'not-sent', reason: 'offline' });
  expect(slept).toHaveLength(2);
});

test.each([
  ['a rejection', json(401, { detail: 'Invalid API key' })],
  ['a redirect', raw(302, '', { location: '/' })],
  ['a body that is not JSON', raw(200, 'hello')],
  ['an unexpected response', json(200, { id: 'seven' })],
] as [string, Answer][])('does not retry a read after %s', async (_what, answer) => {
  const { rental, server } = await clientOf(answer);
  expect(await rental.profile(KEY)).not.toMatchObject({ kind: 'accepted' });
  expect(server.requests).toHaveLength(1);
});

test('waits as long as a 429 says if that is short', async () => {
  const refusal = json(429, { detail: 'Too many requests, retry after 2 seconds' });
  const { rental, slept } = await clientOf(failing(1, refusal));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  expect(slept).toEqual([2_187.5]);
});

test('does not wait for a 429 with a long delay', async () => {
  const { rental, server, slept } = await clientOf(
    json(429, { detail: 'Too many requests, retry after 5 seconds' }),
  );
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'rejected', retryAfterMs: 5_000 });
  expect(server.requests).toHaveLength(1);
  expect(slept).toEqual([]);
});

test('stops retrying a read once its total time is used up', async () => {
  const { rental, server, slept, advance } = await clientOf(hang);
  server.answerWith((res, ...rest) => {
    advance(6_000);
    json(500, {})(res, ...rest);
  });
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'unknown', status: 500 });
  expect(server.requests).toHaveLength(2);
  expect(slept).toHaveLength(1);
});

test('reuses connections for reads', async () => {
  const { rental, server } = await clientOf(json(200, profile));
  for (let count = 0; count < 6; count += 1) await rental.profile(KEY);
  expect(new Set(server.requests.map(({ connection }) => connection)).size).toBeLessThan(3);
});
