import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { readEvent, readLoggedEvent, verifySignature } from '../../src/rental-api/webhook.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const secret = 'whsec_of-the-tests';
const secrets = [secret];
const body = '{"event":"order.filled", "data":{"order_id":7}}';
const rawBody = Buffer.from(body);
const signature = createHmac('sha256', secret).update(body).digest('hex');

test('accepts a signature over exactly these bytes', () => {
  expect(verifySignature({ secrets, rawBody, signature })).toBe(true);
});

test('accepts the signature of a published test vector', () => {
  // RFC 4231, test case 4
  const known = '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b';
  const key = String.fromCharCode(...Array.from({ length: 25 }, (_, at) => at + 1));
  const data = Buffer.alloc(50, 0xcd);
  expect(verifySignature({ secrets: [key], rawBody: data, signature: known })).toBe(true);
});

test('accepts upper-case hexadecimal digits', () => {
  expect(verifySignature({ secrets, rawBody, signature: signature.toUpperCase() })).toBe(true);
});

test.each([
  ['a missing one', undefined],
  ['an empty one', ''],
  ['a short one', signature.slice(0, -2)],
  ['a long one', `${signature}00`],
  ['one with white space', `${signature} `],
  ['one of other letters', 'z'.repeat(64)],
  ['one of wide characters', 'é'.repeat(64)],
  ['one of another secret', createHmac('sha256', 'other').update(body).digest('hex')],
])('rejects a signature: %s', (_what, given) => {
  expect(verifySignature({ secrets, rawBody, signature: given })).toBe(false);
});

test('rejects the same JSON formatted differently', () => {
  const reformatted = Buffer.from(JSON.stringify(JSON.parse(body)));
  expect(verifySignature({ secrets, rawBody: reformatted, signature })).toBe(false);
  expect(verifySignature({ secrets, rawBody: Buffer.concat([rawBody, Buffer.from('\n')]), signature })).toBe(
    false,
  );
});

test('verifies bytes that are not UTF-8', () => {
  const odd = Uint8Array.of(0x7b, 0xff, 0x00, 0x7d);
  const signed = createHmac('sha256', secret).update(odd).digest('hex');
  expect(verifySignature({ secrets, rawBody: odd, signature: signed })).toBe(true);
});

test.each([
  ['no secret', []],
  ['an empty secret', ['']],
  ['a secret of fifteen characters', ['0123456789abcde']],
])('accepts nothing with %s', (_what, secrets) => {
  const signed = createHmac('sha256', secrets[0] ?? '')
    .update(body)
    .digest('hex');
  expect(verifySignature({ secrets, rawBody, signature: signed })).toBe(false);
  expect(verifySignature({ secrets: [...secrets, secret], rawBody, signature: signed })).toBe(false);
});

test('accepts a signature by any of several secrets', () => {
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

test('reads a filled order', () => {
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
  ['an id of unusual characters', { order_id: '7 \u0000{1001}*' }],
])('identifies an event with %s by a short hash of its content', (_what, data) => {
  const id = (more: object) => readEvent({ event: 'order.filled', data: { ...data, ...more } })?.id;
  expect(id({})).toMatch(/^[\w-]{43}$/);
  expect(id({})).toBe(id({}));
  expect(id({})).not.toBe(id({ status: 'filled' }));
  expect(id({})).not.toBe(id({ order_id: `${data.order_id}y` }));
});

test('keeps an id of up to a hundred characters, so that stored records stay valid', () => {
  const id = (length: number) =>
    readEvent({ event: 'order.filled', data: { order_id: '7'.repeat(length) } })?.id;
  // The id also contains the type and a part of the hash.
  expect(id(70)).toMatch(/^order\.filled:7{70}:[\w-]{16}$/);
  expect(id(70)).toHaveLength(100);
  expect(id(71)).toMatch(/^[\w-]{43}$/);
});

test('reads a delivery with the field names of the log', () => {
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

test('prefers the field names of deliveries to those of the log', () => {
  const both = { event: 'invoice.paid', event_type: 'other', data: { invoice_id: 7 }, payload: {} };
  expect(readEvent(both)).toMatchObject({ type: 'invoice.paid', data: { invoice_id: 7 } });
});

test('shortens a type and removes invisible characters, as in the log', () => {
  const odd = `order\u202e.\u0000odd${'x'.repeat(200)}`;
  const { type, id } = readEvent({ event: odd, data: filled }) ?? {};
  expect(type).toMatch(/^order \. oddx+…$/);
  expect(type).toHaveLength(100);
  expect(readLoggedEvent({ ...entry, event_type: type ?? '', payload: filled }).id).toBe(id);
});

test('contains an order only for a complete filled order', () => {
  expect(readEvent({ event: 'order.failed', data: filled })?.order).toBeUndefined();
  expect(readEvent({ event: 'order.filled', data: { order_id: 7 } })?.order).toBeUndefined();
});

test.each([
  [{ event: 'order.filled', data: filled, timestamp: 'soon' }],
  [{ event: 'x', data: {}, timestamp: 5 }],
])('omits an unreadable time', (json) => {
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
])('rejects %j as an event', (json) => {
  expect(readEvent(json)).toBeUndefined();
});

test.each([33, 100_000])('rejects an event that is nested %d deep', (depth) => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(readEvent({ event: 'order.filled', data: { ...filled, nested: nested(depth) } })).toBeUndefined();
  expect(readEvent({ event: 'order.filled', data: { ...filled, nested: nested(30) } })).toBeDefined();
});

const entry = { id: 1, attempts: 3, response_status: 500, created_at: '2026-02-05T12:00:01Z' };

test('gives a log entry the id of its delivery, whatever the form of its payload', () => {
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

test('gives events of different types or ids different ids', () => {
  const id = (event: string, data: Record<string, unknown>) => readEvent({ event, data })?.id;
  expect(id('invoice.paid', { invoice_id: 7 })).not.toBe(id('invoice.delegated', { invoice_id: 7 }));
  expect(id('invoice.paid', { invoice_id: 7 })).not.toBe(id('invoice.paid', { invoice_id: 8 }));
  expect(id('smart_mode.transfer', { id: 1, tx_hash: 'a' })).not.toBe(
    id('smart_mode.transfer', { id: 1, tx_hash: 'b' }),
  );
});

test('gives events with different content different ids, whatever the order of fields', () => {
  const id = (data: Record<string, unknown>) => readEvent({ event: 'order.filled', data })?.id;
  const deep = { order_id: 7, more: { one: 1, two: [1, { three: 3 }] } };
  expect(id(deep)).toBe(id({ more: { two: [1, { three: 3 }], one: 1 }, order_id: 7 }));
  expect(id(deep)).not.toBe(id({ ...deep, more: { one: 1, two: [{ three: 3 }, 1] } }));
  expect(id(filled)).not.toBe(id({ ...filled, energy_amount: 65_001 }));
});

test('identifies an event without an id by its data, whatever their order', () => {
  const one = readEvent({ event: 'deposit.confirmed', data: { amount: '5', currency: 'TRX' } });
  const again = readEvent({ event: 'deposit.confirmed', data: { currency: 'TRX', amount: '5' } });
  const other = readEvent({ event: 'deposit.confirmed', data: { currency: 'TRX', amount: '6' } });
  expect(one?.id).toBe(again?.id);
  expect(one?.id).not.toBe(other?.id);
});
