import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { readEvent, readLoggedEvent, verifySignature } from '../../src/rental/webhook.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const secret = 'whsec_of-the-tests';
const secrets = [secret];
const body = '{"event":"order.filled", "data":{"order_id":7}}';
const rawBody = Buffer.from(body);
const signature = createHmac('sha256', secret).update(body).digest('hex');

test('a signature over exactly these bytes is good', () => {
  expect(verifySignature({ secrets, rawBody, signature })).toBe(true);
});

test('the known signature of known bytes is good', () => {
  // RFC 4231, test case 4
  const known = '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b';
  const key = String.fromCharCode(...Array.from({ length: 25 }, (_, at) => at + 1));
  const data = Buffer.alloc(50, 0xcd);
  expect(verifySignature({ secrets: [key], rawBody: data, signature: known })).toBe(true);
});

test('hexadecimal letters may be of either case', () => {
  expect(verifySignature({ secrets, rawBody, signature: signature.toUpperCase() })).toBe(true);
});

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['a short one', signature.slice(0, -2)],
  ['a long one', `${signature}00`],
  ['one with white space', `${signature} `],
  ['one of other letters', 'z'.repeat(64)],
  ['one of wide characters', 'é'.repeat(64)],
  ['one of another secret', createHmac('sha256', 'other').update(body).digest('hex')],
])('%s is refused', (_what, given) => {
  expect(verifySignature({ secrets, rawBody, signature: given })).toBe(false);
});

test('the same JSON in other bytes is refused', () => {
  const reformatted = Buffer.from(JSON.stringify(JSON.parse(body)));
  expect(verifySignature({ secrets, rawBody: reformatted, signature })).toBe(false);
  expect(verifySignature({ secrets, rawBody: Buffer.concat([rawBody, Buffer.from('\n')]), signature })).toBe(
    false,
  );
});

test('bytes that are not UTF-8 are signed as they are', () => {
  const odd = Uint8Array.of(0x7b, 0xff, 0x00, 0x7d);
  const signed = createHmac('sha256', secret).update(odd).digest('hex');
  expect(verifySignature({ secrets, rawBody: odd, signature: signed })).toBe(true);
});

test.each([
  ['none', []],
  ['an empty one', ['']],
  ['one of fifteen characters', ['0123456789abcde']],
])('with %s for a secret nothing is good', (_what, secrets) => {
  const signed = createHmac('sha256', secrets[0] ?? '')
    .update(body)
    .digest('hex');
  expect(verifySignature({ secrets, rawBody, signature: signed })).toBe(false);
  expect(verifySignature({ secrets: [...secrets, secret], rawBody, signature: signed })).toBe(false);
});

test('of several secrets each signs, wherever it stands', () => {
  const former = '0123456789abcdef';
  const signed = createHmac('sha256', former).update(body).digest('hex');
  for (const secrets of [
    [secret, former],
    [former, secret],
  ]) {
    expect(verifySignature({ secrets, rawBody, signature: signed })).toBe(true);
    expect(verifySignature({ secrets, rawBody, signature })).toBe(true);
  }
  expect(verifySignature({ secrets: [secret, former], rawBody, signature: '0'.repeat(64) })).toBe(false);
});

const filled = { order_id: 7, address: ADDRESS, energy_amount: 65_000 };

test('a filled order is read', () => {
  expect(readEvent({ event: 'order.filled', data: filled, timestamp: '2026-02-05T12:00:00Z' })).toEqual({
    type: 'order.filled',
    id: expect.stringMatching(/^order\.filled:7:[\w-]{16}$/),
    at: '2026-02-05T12:00:00Z',
    order: filled,
    data: filled,
  });
});

test.each([
  ['a long id', { order_id: 'x'.repeat(60_000) }],
  ['an id of unusual letters', { order_id: '7 \u0000{1001}*' }],
])('an event with %s is known by a short hash, the same each time and another for another', (_what, data) => {
  const id = (more: object) => readEvent({ event: 'order.filled', data: { ...data, ...more } })?.id;
  expect(id({})).toMatch(/^[\w-]{43}$/);
  expect(id({})).toBe(id({}));
  expect(id({})).not.toBe(id({ status: 'filled' }));
  expect(id({})).not.toBe(id({ order_id: `${data.order_id}y` }));
});

test('an id of a hundred characters is kept as it is: what is stored of it is known by it', () => {
  const id = (length: number) =>
    readEvent({ event: 'order.filled', data: { order_id: '7'.repeat(length) } })?.id;
  // Beside it stand the type and a part of the hash.
  expect(id(70)).toMatch(/^order\.filled:7{70}:[\w-]{16}$/);
  expect(id(70)).toHaveLength(100);
  expect(id(71)).toMatch(/^[\w-]{43}$/);
});

test('a delivery may name its parts as the log does', () => {
  const [event, data, timestamp] = ['order.filled', filled, '2026-02-05T12:00:00Z'];
  const read = readEvent({ event, data, timestamp });
  expect(read).toMatchObject({ type: event, order: filled });
  for (const delivery of [
    { event_type: event, data, timestamp },
    { event, payload: data, timestamp },
    { event_type: event, payload: data, timestamp, attempt: 2 },
  ]) {
    expect(readEvent(delivery)).toEqual(read);
  }
});

test('where both names are given, that of deliveries holds', () => {
  const both = { event: 'invoice.paid', event_type: 'other', data: { invoice_id: 7 }, payload: {} };
  expect(readEvent(both)).toMatchObject({ type: 'invoice.paid', data: { invoice_id: 7 } });
});

test('a type is cut, and loses what nobody sees, as it does in the log', () => {
  const odd = `order\u202e.\u0000odd${'x'.repeat(200)}`;
  const { type, id } = readEvent({ event: odd, data: filled }) ?? {};
  expect(type).toMatch(/^order \. oddx+…$/);
  expect(type).toHaveLength(100);
  expect(readLoggedEvent({ ...entry, event_type: type ?? '', payload: filled }).id).toBe(id);
});

test('only a filled order that is whole carries the order', () => {
  expect(readEvent({ event: 'order.failed', data: filled })?.order).toBeUndefined();
  expect(readEvent({ event: 'order.filled', data: { order_id: 7 } })?.order).toBeUndefined();
});

test.each([
  [{ event: 'order.filled', data: filled, timestamp: 'soon' }],
  [{ event: 'x', data: {}, timestamp: 5 }],
])('a time that cannot be read is left out', (json) => {
  expect(readEvent(json)?.at).toBeUndefined();
});

test.each([
  [null],
  ['text'],
  [[]],
  [{}],
  [{ event: 'order.filled' }],
  [{ event: '', data: {} }],
  [{ event: 5, data: {} }],
  [{ event: 'order.filled', data: [] }],
  [{ event: 'order.filled', data: 'filled' }],
  [{ event_type: 'order.filled' }],
])('%j is no event', (json) => {
  expect(readEvent(json)).toBeUndefined();
});

test.each([33, 100_000])('what is nested %d deep is no event', (depth) => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(readEvent({ event: 'order.filled', data: { ...filled, nested: nested(depth) } })).toBeUndefined();
  expect(readEvent({ event: 'order.filled', data: { ...filled, nested: nested(30) } })).toBeDefined();
});

const entry = { id: 1, attempts: 3, response_status: 500, created_at: '2026-02-05T12:00:01Z' };

test('a log entry is the same event as its delivery, with the payload bare or whole', () => {
  const delivered = readEvent({ event: 'order.filled', data: filled });
  const bare = readLoggedEvent({ ...entry, event_type: 'order.filled', payload: filled });
  const whole = readLoggedEvent({
    ...entry,
    event_type: 'order.filled',
    payload: { event: 'order.filled', data: filled },
  });
  const asInTheLog = readLoggedEvent({
    ...entry,
    event_type: 'order.filled',
    payload: { event_type: 'order.filled', payload: filled },
  });
  expect(bare).toEqual({ ...delivered, at: entry.created_at });
  expect(whole).toEqual({ ...delivered, at: entry.created_at });
  expect(asInTheLog).toEqual({ ...delivered, at: entry.created_at });
});

test('events differ by their type and by the id inside', () => {
  const id = (event: string, data: Record<string, unknown>) => readEvent({ event, data })?.id;
  expect(id('invoice.paid', { invoice_id: 7 })).not.toBe(id('invoice.delegated', { invoice_id: 7 }));
  expect(id('invoice.paid', { invoice_id: 7 })).not.toBe(id('invoice.paid', { invoice_id: 8 }));
  expect(id('smart_mode.transfer', { id: 1, tx_hash: 'a' })).not.toBe(
    id('smart_mode.transfer', { id: 1, tx_hash: 'b' }),
  );
});

test('an event with more, or other, in it is another, in whatever order that is written', () => {
  const id = (data: Record<string, unknown>) => readEvent({ event: 'order.filled', data })?.id;
  const deep = { order_id: 7, more: { one: 1, two: [1, { three: 3 }] } };
  expect(id(deep)).toBe(id({ more: { two: [1, { three: 3 }], one: 1 }, order_id: 7 }));
  expect(id(deep)).not.toBe(id({ ...deep, more: { one: 1, two: [{ three: 3 }, 1] } }));
  expect(id(filled)).not.toBe(id({ ...filled, energy_amount: 65_001 }));
});

test('without an id the data tell an event apart, in whatever order', () => {
  const one = readEvent({ event: 'deposit.confirmed', data: { amount: '5', currency: 'TRX' } });
  const again = readEvent({ event: 'deposit.confirmed', data: { currency: 'TRX', amount: '5' } });
  const other = readEvent({ event: 'deposit.confirmed', data: { currency: 'TRX', amount: '6' } });
  expect(one?.id).toBe(again?.id);
  expect(one?.id).not.toBe(other?.id);
});
