import { expect, test } from 'vitest';
import { json } from '../support/rental-server.ts';
import { clientOf, KEY, order, profile, purchase } from './fixture.ts';

const spent = (reset: number, body: unknown = order) =>
  json(200, body, {
    'x-ratelimit-limit': '30',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(reset),
  });

test('does not send a request before an exhausted rate limit resets', async () => {
  const { rental, server, advance } = await clientOf(spent(20));
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
  advance(5_000);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({
    kind: 'not-sent',
    reason: 'limited',
    retryAfterMs: 15_000,
  });
  expect(server.requests).toHaveLength(1);
  advance(15_000);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
});

test('applies rate limits per key and endpoint', async () => {
  const { rental, server } = await clientOf(spent(20));
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy('another-key', purchase)).toMatchObject({ kind: 'accepted' });
  server.answerWith(json(200, profile));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
});

test('reads rate limits of rejections too', async () => {
  const { rental } = await clientOf(
    json(400, {}, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9' }),
  );
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 9_000 });
});

test('waits as long as a 429 says', async () => {
  const { rental, server } = await clientOf(
    json(429, { detail: 'wait 30 seconds' }, { 'x-ratelimit-reset': '5' }),
  );
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 30_000 });
  expect(server.requests).toHaveLength(1);
});

test('never waits longer than a minute', async () => {
  const { rental } = await clientOf(spent(3_600));
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 60_000 });
});

test('returns at once if a read would wait long', async () => {
  const { rental, server, slept } = await clientOf(spent(40, profile));
  await rental.profile(KEY);
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'not-sent', reason: 'limited' });
  expect(server.requests).toHaveLength(1);
  expect(slept).toEqual([]);
});

test('waits briefly before a read if the limit resets soon', async () => {
  const { rental, slept } = await clientOf(spent(2, profile));
  await rental.profile(KEY);
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  expect(slept).toEqual([2_187.5]);
});
