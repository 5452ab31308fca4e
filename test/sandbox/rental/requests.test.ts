import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { createClock } from '../../../src/sandbox/clock.ts';
import { respondWithError } from '../../../src/sandbox/rental/api-error.ts';
import { readParams, routePath } from '../../../src/sandbox/rental/endpoint.ts';
import { createRentalSandbox } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { eventually } from '../../support/eventually.ts';
import { CUT, type Sent } from '../../support/send.ts';
import { ADDRESS, ORDER, useRental } from './rental-server.ts';

const rental = useRental();
const BANDWIDTH = { address: ADDRESS, bandwidth_amount: 1000, duration_hours: 24 };
const TRANSFERS = { address: ADDRESS, transfer_count: 1, duration_hours: 1 };
const WITHDRAWAL = { to_address: ADDRESS, amount_trx: '20' };
const ENERGY_RANGE = 'energy_amount: expected a whole number from 32,000 to 5,000,000';
const TRANSFER_RANGE = 'transfer_count: expected a whole number from 1 to 100';
const BANDWIDTH_HOURS = 'duration_hours: expected a whole number from 1 to 720';
const ONE_OF_TWO = 'body: expected energy_amount or transfer_count, and only one of them';
const TRX = 'expected a decimal string of TRX';
const HOOK = 'url: expected an HTTPS URL (http on loopback only), or an empty string to remove the webhook';

describe('a request to the service', () => {
  it.each([
    ['/energy/buy', ORDER, 'energy_amount', 31_999, ENERGY_RANGE],
    ['/energy/buy', ORDER, 'duration_hours', '1', 'duration_hours: expected 1 or 24'],
    ['/energy/buy', ORDER, 'address', 7, 'address: expected a chain address: T and 33 more characters'],
    ['/bandwidth/buy', BANDWIDTH, 'bandwidth_amount', 349, /^bandwidth_amount: .* from 350 to 100,000$/],
    ['/bandwidth/buy', BANDWIDTH, 'duration_hours', 721, BANDWIDTH_HOURS],
    ['/invoices', ORDER, 'energy_amount', undefined, ONE_OF_TWO],
    ['/invoices', ORDER, 'transfer_count', 1, ONE_OF_TWO],
    ['/invoices', TRANSFERS, 'transfer_count', 101, TRANSFER_RANGE],
    ['/invoices', TRANSFERS, 'transfer_count', 1.5, TRANSFER_RANGE],
    ['/smart-mode/activate', ORDER, 'label', 'x'.repeat(65), 'label: expected at most 64 characters'],
    ['/smart-mode/activate', ORDER, 'label', 7, 'label: expected a text of at most 64 characters'],
    ['/account/withdrawal', WITHDRAWAL, 'amount_trx', '0', 'amount_trx: expected more than 0'],
    ['/account/withdrawal', WITHDRAWAL, 'amount_trx', '0.0000001', /up to six decimals/],
    ['/account/withdrawal', WITHDRAWAL, 'amount_trx', 20, `amount_trx: ${TRX}, like "12.50"`],
    [
      '/account/withdrawal',
      WITHDRAWAL,
      'totp_code',
      123456,
      /^totp_code: expected a one-time code of six digits$/,
    ],
    ['/webhooks/configure', {}, 'url', 'http://10.0.0.1/', HOOK],
    ['/webhooks/configure', {}, 'url', 'ftp://localhost/', HOOK],
    ['/webhooks/configure', {}, 'url', undefined, HOOK],
  ])('to %s with %j is rejected for %s %j', async (path, body, field, value, detail) => {
    const answer = await rental.ask('POST', path, { body: { ...body, [field]: value } });
    const message = typeof detail === 'string' ? detail : expect.stringMatching(detail);
    expect(answer).toEqual({ status: 422, json: { detail: message } });
    expect((await rental.state()).ledger).toEqual([]);
  });

  it('is rejected with every invalid field', async () => {
    const body = { address: ADDRESS };
    const { json } = await rental.ask<{ detail: string }>('POST', '/energy/buy', { body });
    expect(json.detail).toMatch(/^energy_amount: .*; duration_hours: .*$/);
  });
});

describe('a request to the control API', () => {
  it.each([
    ['deposit', { amount_trx: '0' }, 'amount_trx: expected more than 0'],
    ['deposit', { amount_trx: 5 }, `amount_trx: ${TRX}, like "12.50"`],
    ['deposit', {}, 'amount: expected a decimal string, like "12.50"'],
    ['deposit', { amount: '1', amount_trx: '1' }, 'amount: expected a decimal string, like "12.50"'],
    ['deposit', { amount: '1', currency: 'BTC' }, 'currency: expected TRX or USDT'],
    ['deposit', { amount: '1', confirm: 'yes' }, 'confirm: expected true or false'],
    ['balance', { balance_trx: '-1' }, `balance_trx: ${TRX} with up to six decimals, like "12.50"`],
    ['balance', { balance_trx: '1.0000001' }, `balance_trx: ${TRX} with up to six decimals, like "12.50"`],
    ['balance', 'balance_trx=1', 'body: expected a JSON object'],
  ])('to change an account by a %s of %j is rejected', async (action, body, detail) => {
    const answer = await rental.control('POST', `/accounts/1001/${action}`, body);
    expect(answer).toEqual({ status: 422, json: { detail } });
    expect((await rental.state()).ledger).toEqual([]);
  });

  it.each([
    ['/orders/1/fill', undefined],
    ['/orders/one/fail', undefined],
    ['/invoices/999/delegate', undefined],
    ['/withdrawals/2/fail', undefined],
    ['/deposits/2/confirm', undefined],
    ['/smart-mode/999/transfer', { amount: '1' }],
    ['/accounts/9/deposit', { amount: '1' }],
    ['/accounts/9/balance', { balance_trx: '1' }],
  ])('for the unknown record %s is rejected', async (path, body) => {
    expect((await rental.control('POST', path, body)).status).toBe(404);
  });
});

const PATH = '/shelves/{shelf_id}/books/{book_id}/open';
const ask = async (path: string) => {
  const app = new Hono().post(routePath(PATH), (c) => c.json(readParams(PATH, c.req)));
  app.onError(respondWithError);
  const response = await app.request(path, { method: 'POST' });
  return { status: response.status, json: await response.json() };
};

describe('the parameters of a path', () => {
  it('are numbers with names', async () => {
    expect(await ask('/shelves/12/books/0/open')).toEqual({
      status: 200,
      json: { shelf_id: 12, book_id: 0 },
    });
  });

  it.each(['one', '1.5', '-1', '1e3', '0x1', '%201', '1234567890123456'])('reject %j', async (text) => {
    expect(await ask(`/shelves/12/books/${text}/open`)).toEqual({
      status: 422,
      json: { detail: 'book_id: expected a number' },
    });
  });
});

const limits = ({ headers }: Sent) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
async function exhaust(method: string, path: string, times: number) {
  const answers = [];
  for (let i = 0; i < times; i++) answers.push(await rental.request(method, path, { body: undefined }));
  return answers;
}

describe('the rate limit', () => {
  it('restarts a minute of the clock after its first request', async () => {
    const [first] = await exhaust('POST', '/energy/buy', 1);
    expect(first && limits(first)).toEqual([30, 29, 60]);
    rental.clock.advance(20_500);
    await exhaust('POST', '/energy/buy', 29);
    rental.clock.advance(39_499);
    const refused = await rental.request('POST', '/energy/buy', { body: ORDER });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ detail: 'Rate limit exceeded. Try again in 1 seconds.' });
    rental.clock.advance(1);
    const taken = await rental.request('POST', '/energy/buy', { body: ORDER });
    expect(taken.status).toBe(200);
    expect(limits(taken)).toEqual([30, 29, 60]);
  });

  it.each(['at the start', 'by the control API'])(
    'is shared by the endpoints without a limit of their own if this is selected %s',
    async (when) => {
      if (when === 'at the start') await rental.start({ sharedLimit: true });
      else await rental.control('POST', '/rate-limits', { shared: true });
      await exhaust('GET', '/account/profile', 30);
      await exhaust('POST', '/webhooks/configure', 30);
      const [refused] = await exhaust('GET', '/account/deposits', 1);
      expect([refused?.status, refused && limits(refused)]).toEqual([429, [60, 0, 60]]);
      for (const [path, limit] of [
        ['/prices', 60],
        ['/energy/buy', 30],
      ] as const) {
        const [first] = await exhaust(path === '/prices' ? 'GET' : 'POST', path, 1);
        expect(first && limits(first)).toEqual([limit, limit - 1, 60]);
      }
    },
  );

  it('is reset with the sandbox', async () => {
    await exhaust('POST', '/energy/buy', 31);
    rental.sandbox.reset();
    expect((await rental.request('POST', '/energy/buy', { body: ORDER })).status).toBe(200);
  });
});

const endpoint = 'POST /energy/buy';
const buy = (signal?: AbortSignal) => rental.request('POST', '/energy/buy', { body: ORDER, signal });
const order = (fault: Record<string, unknown>) => rental.control('POST', '/faults', { endpoint, ...fault });
const bought = async () => (await rental.control<unknown[]>('GET', '/ledger?kind=energy')).json.length;
const remaining = ({ headers }: Sent) => headers.get('x-ratelimit-remaining');

describe('a fault', () => {
  it.each([
    ['error-before', 500, 0, '30'],
    ['error-after', 500, 1, '29'],
  ])('%s responds %i, with %i executed', async (kind, status, executed, left) => {
    await order({ kind });
    const answer = await buy();
    expect(answer.status).toBe(status);
    expect(remaining(answer)).toBe(left);
    expect(await answer.json()).toEqual({ detail: 'Internal Server Error' });
    expect(await bought()).toBe(executed);
  });

  it('responds with the requested 5xx', async () => {
    await order({ kind: 'error-before', status: 503 });
    expect((await buy()).status).toBe(503);
  });

  it.each([
    ['cut-before', 0],
    ['cut-after', 1],
  ])('%s gives no response, with %i executed', async (kind, executed) => {
    await order({ kind });
    await expect(buy()).rejects.toThrow(CUT);
    expect(await bought()).toBe(executed);
  });

  it.each([
    ['garbage-before', 0, '30'],
    ['garbage', 1, '29'],
  ])('%s responds 200 with invalid JSON, with %i executed', async (kind, executed, left) => {
    await order({ kind });
    const answer = await buy();
    expect(answer.status).toBe(200);
    expect(remaining(answer)).toBe(left);
    await expect(answer.json()).rejects.toThrow(SyntaxError);
    expect(await bought()).toBe(executed);
  });

  it('rate-limit responds 429 with the requested wait', async () => {
    await order({ kind: 'rate-limit', ms: 1_500 });
    const answer = await buy();
    expect(answer.status).toBe(429);
    expect([remaining(answer), answer.headers.get('x-ratelimit-reset')]).toEqual(['0', '2']);
    expect(await answer.json()).toEqual({ detail: 'Rate limit exceeded. Try again in 2 seconds.' });
    expect(await bought()).toBe(0);
  });

  it('latency executes in the end', async () => {
    await order({ kind: 'latency', ms: 1 });
    expect((await buy()).status).toBe(200);
    expect(await bought()).toBe(1);
  });

  it('hang-after executes and never responds until the client disconnects', async () => {
    await order({ kind: 'hang-after' });
    const client = new AbortController();
    const answer = buy(client.signal);
    const settled = vi.fn();
    answer.then(settled, settled);
    await eventually(async () => expect(await bought()).toBe(1));
    expect(settled).not.toHaveBeenCalled();
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
  });

  it.each([
    ['latency', 0],
    ['hang-after', 1],
  ])('%s holds its request, with %i executed, and cuts it at a reset', async (kind, executed) => {
    await order({ kind, ms: 600_000 });
    const answer = buy();
    const cut = expect(answer).rejects.toThrow(CUT);
    await eventually(async () => {
      expect((await rental.state()).faults).toEqual([]);
      expect(await bought()).toBe(executed);
    });
    rental.sandbox.reset();
    await cut;
    expect(await bought()).toBe(0);
  });

  it('occurs before the key is checked', async () => {
    await order({ kind: 'error-before' });
    expect((await rental.request('POST', '/energy/buy', { key: null })).status).toBe(500);
  });

  it('occurs as often as requested, one per request, in order and on its endpoint only', async () => {
    const ordered = await order({ kind: 'error-before', times: 2 });
    await order({ kind: 'rate-limit' });
    expect(ordered).toEqual({ status: 200, json: { id: 1, endpoint, kind: 'error-before', times: 2 } });
    expect((await rental.request('GET', '/account/profile')).status).toBe(200);
    expect((await buy()).status).toBe(500);
    expect((await rental.state()).faults).toMatchObject([
      { kind: 'rate-limit', times: 1 },
      { kind: 'error-before', times: 1 },
    ]);
    expect((await buy()).status).toBe(500);
    expect((await buy()).status).toBe(429);
    expect((await buy()).status).toBe(200);
  });

  it('is removed with all others', async () => {
    await order({ kind: 'error-before', times: 9 });
    expect(await rental.control('DELETE', '/faults')).toEqual({ status: 200, json: { faults: [] } });
    expect((await buy()).status).toBe(200);
  });

  it.each([
    [{ endpoint: 'POST /energy/by', kind: 'latency' }, /^endpoint: expected one of POST \/energy\/buy, /],
    [{ endpoint, kind: 'fire' }, /^kind: expected one of latency, error-before, /],
    [{ endpoint, kind: 'latency', times: 0 }, /^times: expected a whole number from 1 to /],
    [{ endpoint, kind: 'latency', ms: -1 }, /^ms: expected a whole number from 0 to /],
    [{ endpoint, kind: 'error-before', status: 400 }, /^status: expected a whole number from 500 to 599/],
    [{ endpoint, kind: 'latency', delay: 5 }, /^body: .*delay/],
  ])('is not accepted from %j', async (fault, detail) => {
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
