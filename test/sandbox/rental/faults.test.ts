import { describe, expect, it, vi } from 'vitest';
import { createClock } from '../../../src/sandbox/clock.ts';
import { createRentalSandbox } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { eventually } from '../../support/eventually.ts';
import { CUT, type Sent } from '../../support/send.ts';
import { ORDER, serveRental } from './rental-server.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;

const endpoint = 'POST /energy/buy';
const buy = (rental: Rental, signal?: AbortSignal) =>
  rental.request('POST', '/energy/buy', { body: ORDER, signal });
const order = (rental: Rental, fault: Record<string, unknown>) =>
  rental.control('POST', '/faults', { endpoint, ...fault });
const bought = async (rental: Rental) =>
  (await rental.control<unknown[]>('GET', '/ledger?kind=energy')).json.length;
const remaining = ({ headers }: Sent) => headers.get('x-ratelimit-remaining');

describe('a fault', () => {
  it.each([
    ['error-before', 500, 0, '30'],
    ['error-after', 500, 1, '29'],
  ])('%s responds %i, with %i executed', async (kind, status, executed, left) => {
    const rental = await serveRental();
    await order(rental, { kind });
    const answer = await buy(rental);
    expect(answer.status).toBe(status);
    expect(remaining(answer)).toBe(left);
    expect(await answer.json()).toEqual({ detail: 'Internal Server Error' });
    expect(await bought(rental)).toBe(executed);
  });

  it('responds with the requested 5xx', async () => {
    const rental = await serveRental();
    await order(rental, { kind: 'error-before', status: 503 });
    expect((await buy(rental)).status).toBe(503);
  });

  it.each([
    ['cut-before', 0],
    ['cut-after', 1],
  ])('%s gives no response, with %i executed', async (kind, executed) => {
    const rental = await serveRental();
    await order(rental, { kind });
    await expect(buy(rental)).rejects.toThrow(CUT);
    expect(await bought(rental)).toBe(executed);
  });

  it.each([
    ['garbage-before', 0, '30'],
    ['garbage', 1, '29'],
  ])('%s responds 200 with invalid JSON, with %i executed', async (kind, executed, left) => {
    const rental = await serveRental();
    await order(rental, { kind });
    const answer = await buy(rental);
    expect(answer.status).toBe(200);
    expect(remaining(answer)).toBe(left);
    await expect(answer.json()).rejects.toThrow(SyntaxError);
    expect(await bought(rental)).toBe(executed);
  });

  it('rate-limit responds 429 with the requested wait', async () => {
    const rental = await serveRental();
    await order(rental, { kind: 'rate-limit', ms: 1_500 });
    const answer = await buy(rental);
    expect(answer.status).toBe(429);
    expect([remaining(answer), answer.headers.get('x-ratelimit-reset')]).toEqual(['0', '2']);
    expect(await answer.json()).toEqual({ detail: 'Rate limit exceeded. Try again in 2 seconds.' });
    expect(await bought(rental)).toBe(0);
  });

  it('latency executes in the end', async () => {
    const rental = await serveRental();
    await order(rental, { kind: 'latency', ms: 1 });
    expect((await buy(rental)).status).toBe(200);
    expect(await bought(rental)).toBe(1);
  });

  it('hang-after executes and never responds until the client disconnects', async () => {
    const rental = await serveRental();
    await order(rental, { kind: 'hang-after' });
    const client = new AbortController();
    const answer = buy(rental, client.signal);
    const settled = vi.fn();
    answer.then(settled, settled);
    await eventually(async () => expect(await bought(rental)).toBe(1));
    expect(settled).not.toHaveBeenCalled();
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
  });

  it.each([
    ['latency', 0],
    ['hang-after', 1],
  ])('%s holds its request, with %i executed, and cuts it at a reset', async (kind, executed) => {
    const rental = await serveRental();
    await order(rental, { kind, ms: 600_000 });
    const answer = buy(rental);
    const cut = expect(answer).rejects.toThrow(CUT);
    await eventually(async () => {
      expect((await rental.state()).faults).toEqual([]);
      expect(await bought(rental)).toBe(executed);
    });
    rental.sandbox.reset();
    await cut;
    expect(await bought(rental)).toBe(0);
  });

  it('occurs before the key is checked', async () => {
    const rental = await serveRental();
    await order(rental, { kind: 'error-before' });
    expect((await rental.request('POST', '/energy/buy', { key: null })).status).toBe(500);
  });

  it('occurs as often as requested, one per request, in order and on its endpoint only', async () => {
    const rental = await serveRental();
    const ordered = await order(rental, { kind: 'error-before', times: 2 });
    await order(rental, { kind: 'rate-limit' });
    expect(ordered).toEqual({
      status: 200,
      json: { id: 1, endpoint, kind: 'error-before', times: 2 },
    });
    expect((await rental.request('GET', '/account/profile')).status).toBe(200);
    expect((await buy(rental)).status).toBe(500);
    expect((await rental.state()).faults).toMatchObject([
      { kind: 'rate-limit', times: 1 },
      { kind: 'error-before', times: 1 },
    ]);
    expect((await buy(rental)).status).toBe(500);
    expect((await buy(rental)).status).toBe(429);
    expect((await buy(rental)).status).toBe(200);
  });

  it('is removed with all others', async () => {
    const rental = await serveRental();
    await order(rental, { kind: 'error-before', times: 9 });
    expect(await rental.control('DELETE', '/faults')).toEqual({ status: 200, json: { faults: [] } });
    expect((await buy(rental)).status).toBe(200);
  });

  it.each([
    [{ endpoint: 'POST /energy/by', kind: 'latency' }, /^endpoint: expected one of POST \/energy\/buy, /],
    [{ endpoint, kind: 'fire' }, /^kind: expected one of latency, error-before, /],
    [{ endpoint, kind: 'latency', times: 0 }, /^times: expected a whole number from 1 to /],
    [{ endpoint, kind: 'latency', ms: -1 }, /^ms: expected a whole number from 0 to /],
    [{ endpoint, kind: 'error-before', status: 400 }, /^status: expected a whole number from 500 to 599/],
    [{ endpoint, kind: 'latency', delay: 5 }, /^body: .*delay/],
  ])('is not accepted from %j', async (fault, detail) => {
    const rental = await serveRental();
    const { status, json } = await rental.control<{ detail: string }>('POST', '/faults', fault);
    expect(status).toBe(422);
    expect(json.detail).toMatch(detail);
  });

  it('reports that there is no connection to cut', async () => {
    const { api, control } = createRentalSandbox({ clock: createClock() });
    await control.request('/faults', {
      method: 'POST',
      body: JSON.stringify({ endpoint, kind: 'cut-before' }),
    });
    const answer = await api.request('/v1/energy/buy', { method: 'POST' });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ detail: expect.stringContaining('No connection to cut') });
  });
});
