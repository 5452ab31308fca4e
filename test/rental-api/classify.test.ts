import { describe, expect, test } from 'vitest';
import { type Answer, cutBeforeHead, cutMidBody, hang, json, raw } from '../support/rental-server.ts';
import { clientOf, KEY, order, purchase } from './fixture.ts';

const ANOTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const NEVER_ENDING: Answer = (res) => res.writeHead(200).write('{');

test('accepts a purchase if its response repeats the request, and returns other fields too', async () => {
  const { rental } = await clientOf(json(201, { ...order, price_trx: 2.32, note: 'new' }));
  expect(await rental.buyEnergy(KEY, purchase)).toEqual({
    kind: 'accepted',
    value: { ...order, note: 'new' },
  });
});

test('shortens long texts of an accepted purchase', async () => {
  const { rental } = await clientOf(json(201, { ...order, status: 'x'.repeat(5_000) }));
  expect(await rental.buyEnergy(KEY, purchase)).toEqual({
    kind: 'accepted',
    value: { ...order, status: `${'x'.repeat(63)}…` },
  });
});

test('parses JSON with any content type', async () => {
  const { rental } = await clientOf(raw(200, JSON.stringify(order), { 'content-type': 'text/plain' }));
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
});

describe('a purchase is rejected', () => {
  test.each([400, 401, 403, 404, 409, 422])('by a JSON response with status %i', async (status) => {
    const { rental } = await clientOf(json(status, { detail: 'No such thing' }));
    expect(await rental.buyEnergy(KEY, purchase)).toEqual({
      kind: 'rejected',
      status,
      code: `HTTP_${status}`,
      message: 'No such thing',
    });
  });

  test('with the service’s error code', async () => {
    const error = { code: 'INSUFFICIENT_BALANCE', message: 'Not enough TRX' };
    const { rental } = await clientOf(json(400, { detail: { error } }));
    expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'rejected', status: 400, ...error });
  });

  test.each([{}, { detail: [{ msg: 'field required' }] }, { error: 'no' }])(
    'by a JSON response without known fields: %j',
    async (body) => {
      const { rental } = await clientOf(json(422, body));
      expect(await rental.buyEnergy(KEY, purchase)).toEqual({
        kind: 'rejected',
        status: 422,
        code: 'HTTP_422',
        message: 'the service answered 422',
      });
    },
  );

  test('with a shortened, printable message', async () => {
    const { rental } = await clientOf(json(400, { detail: `\u0000No\n\u202eway ${'x'.repeat(9_999)}` }));
    const outcome = await rental.buyEnergy(KEY, purchase);
    expect(outcome).toMatchObject({ message: expect.stringMatching(/^No way x{292}…$/) });
  });

  test.each([
    ['JSON', json(429, { detail: 'Rate limit exceeded. Try again in 2 seconds' }), 2_000],
    ['HTML', raw(429, '<html>'), 2_000],
    ['nothing', raw(429, ''), 2_000],
    ['a `Retry-After` header', raw(429, '', { 'retry-after': '7' }), 7_000],
    [
      'a truncated body',
      (res) => res.writeHead(429, { 'content-length': '9' }).write('{', () => res.socket?.end()),
      2_000,
    ],
  ] as [string, Answer, number][])(
    'by a 429 with %s, and not retried',
    async (_what, answer, retryAfterMs) => {
      const { rental, server, slept } = await clientOf(answer);
      expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({
        kind: 'rejected',
        status: 429,
        retryAfterMs,
      });
      expect(slept).toEqual([]);
      expect(server.requests).toHaveLength(1);
    },
  );
});

const unclear: [what: string, answer: Answer, outcome: object][] = [
  ['a connection cut before the head', cutBeforeHead, { reason: 'cut' }],
  ['a connection cut in the body', cutMidBody, { reason: 'cut', status: 200 }],
  [
    'a connection cut in a body of unknown length',
    (res) => res.write('{"order_id":', () => res.socket?.end()),
    { reason: 'cut', status: 200 },
  ],
  ['a timeout', hang, { reason: 'timeout' }],
  ['a body that never ends', NEVER_ENDING, { reason: 'timeout', status: 200 }],
  ['a 500', json(500, { detail: 'Oops' }), { reason: 'status', status: 500 }],
  ['a 503 in HTML', raw(503, '<html>'), { reason: 'status', status: 503 }],
  ['a redirect', raw(302, '', { location: '/api/v1/other' }), { reason: 'status', status: 302 }],
  ['a 307 redirect', raw(307, '{}', { location: '/api/v1/other' }), { reason: 'status', status: 307 }],
  ['a 403 in HTML', raw(403, '<html>Forbidden</html>'), { reason: 'status', status: 403 }],
  ['a 404 with a bare number', raw(404, '404'), { reason: 'status', status: 404 }],
  ['an empty 401', raw(401, ''), { reason: 'status', status: 401 }],
  ['an undocumented 418', json(418, { detail: 'tea' }), { reason: 'status', status: 418 }],
  ['a body that is not JSON', raw(200, 'done!'), { reason: 'unreadable', status: 200 }],
  ['no body', raw(204, ''), { reason: 'unreadable', status: 204 }],
  [
    'an endless body',
    raw(200, JSON.stringify(order).padEnd(2_000_000)),
    { reason: 'unreadable', status: 200 },
  ],
  ['a response that is not HTTP', (res) => res.socket?.end('SSH-2.0-OpenSSH\r\n'), { reason: 'unreadable' }],
  ['a price in words', json(200, { ...order, price_trx: 'free' }), { reason: 'mismatch' }],
  ['an id that is not a number', json(200, { ...order, order_id: 'seven' }), { reason: 'mismatch' }],
  ['a list', json(200, [order]), { reason: 'mismatch' }],
  ['another amount', json(200, { ...order, energy_amount: 65_001 }), { reason: 'mismatch' }],
  ['another amount as text', json(201, { ...order, energy_amount: '65001' }), { reason: 'mismatch' }],
  ['another duration', json(200, { ...order, duration_hours: 24 }), { reason: 'mismatch' }],
  ['another address', json(200, { ...order, address: ANOTHER }), { reason: 'mismatch' }],
];

test.each(unclear)(
  'reports a purchase as unknown after %s, and sends it once',
  async (_what, answer, outcome) => {
    const timeouts = answer === hang || answer === NEVER_ENDING ? { moneyMs: 1_000 } : {};
    const { rental, server } = await clientOf(answer, { timeouts });
    expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'unknown', ...outcome });
    await rental.close();
    expect(server.requests).toHaveLength(1);
  },
);

test('writes the API key to no message and no log, even if the service repeats it', async () => {
  const { rental, server, lines } = await clientOf(json(401, { detail: `Unknown key ${KEY}!` }), {
    timeouts: { moneyMs: 1_000 },
  });
  const flat = await rental.profile(KEY);
  server.answerWith(json(403, { detail: { error: { code: 'DENIED', message: `${KEY} ${KEY}` } } }));
  const nested = await rental.buyEnergy(KEY, purchase);
  server.answerWith(json(400, { detail: { error: { code: 'short_key', message: 'no' } } }));
  const code = await rental.buyEnergy('short_key', purchase);
  server.answerWith(hang);
  const broken = await rental.buyEnergy(KEY, purchase);
  expect(JSON.stringify([flat, nested, broken])).not.toContain(KEY);
  expect(JSON.stringify(code)).not.toContain('short_key');
  expect(lines.join()).toContain('rental call');
  expect(lines.join()).not.toMatch(/key-of-an-account|short_key/);
  expect(flat).toMatchObject({ kind: 'rejected', message: 'Unknown key …!' });
});
