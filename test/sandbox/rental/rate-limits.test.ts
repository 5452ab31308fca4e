import { describe, expect, it } from 'vitest';
import type { Sent } from '../../support/send.ts';
import { ORDER, serveRental } from './rental-server.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;

const limits = ({ headers }: Sent) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

async function exhaust(rental: Rental, method: string, path: string, times: number) {
  const answers = [];
  for (let i = 0; i < times; i++) answers.push(await rental.request(method, path, { body: undefined }));
  return answers;
}

describe('the rate limit', () => {
  it.each([
    ['GET', '/prices', 60],
    ['POST', '/energy/buy', 30],
    ['GET', '/account/profile', 60],
    ['GET', '/account/deposit', 60],
    ['GET', '/account/deposits', 60],
    ['POST', '/webhooks/configure', 60],
    ['GET', '/webhooks/logs', 60],
  ])('allows exactly as many requests: %s %s, %i a minute', async (method, path, limit) => {
    const rental = await serveRental();
    const answers = await exhaust(rental, method, path, limit);
    expect(answers.map(({ status }) => status)).not.toContain(429);
    expect(answers.map((answer) => limits(answer)[1])).toEqual(answers.map((_, i) => limit - 1 - i));
    const refused = await rental.request(method, path);
    expect(refused.status).toBe(429);
    expect(limits(refused)).toEqual([limit, 0, 60]);
    expect(await refused.json()).toEqual({ detail: 'Rate limit exceeded. Try again in 60 seconds.' });
  });

  it('rejects a request before it has any effect', async () => {
    const rental = await serveRental();
    await exhaust(rental, 'POST', '/energy/buy', 30);
    expect((await rental.request('POST', '/energy/buy', { body: ORDER })).status).toBe(429);
    expect((await rental.state()).orders).toEqual([]);
  });

  it('restarts a minute of the clock after its first request', async () => {
    const rental = await serveRental();
    const [first] = await exhaust(rental, 'POST', '/energy/buy', 1);
    expect(first && limits(first)).toEqual([30, 29, 60]);
    rental.clock.advance(20_500);
    await exhaust(rental, 'POST', '/energy/buy', 29);
    rental.clock.advance(39_499);
    const refused = await rental.request('POST', '/energy/buy', { body: ORDER });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ detail: 'Rate limit exceeded. Try again in 1 seconds.' });
    rental.clock.advance(1);
    const taken = await rental.request('POST', '/energy/buy', { body: ORDER });
    expect(taken.status).toBe(200);
    expect(limits(taken)).toEqual([30, 29, 60]);
  });

  it('counts each key and endpoint separately', async () => {
    const rental = await serveRental();
    await exhaust(rental, 'POST', '/energy/buy', 31);
    expect(limits(await rental.request('GET', '/account/profile'))).toEqual([60, 59, 60]);
    const other = await rental.request('POST', '/energy/buy', { key: 'merchant-key', body: ORDER });
    expect(limits(other)).toEqual([30, 29, 60]);
  });

  it('is reset with the sandbox', async () => {
    const rental = await serveRental();
    await exhaust(rental, 'POST', '/energy/buy', 31);
    rental.sandbox.reset();
    expect((await rental.request('POST', '/energy/buy', { body: ORDER })).status).toBe(200);
  });
});
