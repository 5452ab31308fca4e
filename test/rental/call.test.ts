import { expect, test } from 'vitest';
import { json } from '../support/rental-server.ts';
import { clientOf, KEY, order, profile, purchase } from './fixture.ts';

const spent = (reset: number, body: unknown = order) =>
  json(200, body, {
    'x-ratelimit-limit': '30',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(reset),
  });

test('a limit that is spent holds the next request back until it is reset', async () => {
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

test('a limit is kept per key and endpoint', async () => {
  const { rental, server } = await clientOf(spent(20));
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy('another-key', purchase)).toMatchObject({ kind: 'accepted' });
  server.answerWith(json(200, profile));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
});

test('a limit is read on refusals too', async () => {
  const { rental } = await clientOf(
    json(400, {}, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9' }),
  );
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 9_000 });
});

test('a limit once hit holds back as long as the refusal names', async () => {
  const { rental, server } = await clientOf(
    json(429, { detail: 'wait 30 seconds' }, { 'x-ratelimit-reset': '5' }),
  );
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 30_000 });
  expect(server.requests).toHaveLength(1);
});

test('a limit never holds back for more than a minute', async () => {
  const { rental } = await clientOf(spent(3_600));
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 60_000 });
});

test('a read that would be held back for long is told so at once', async () => {
  const { rental, server, slept } = await clientOf(spent(40, profile));
  await rental.profile(KEY);
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'not-sent', reason: 'limited' });
  expect(server.requests).toHaveLength(1);
  expect(slept).toEqual([]);
});

test('a read that would be held back for a moment waits it out', async () => {
  const { rental, slept } = await clientOf(spent(2, profile));
  await rental.profile(KEY);
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  expect(slept).toEqual([2_187.5]);
});
