import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { readEvent, readLoggedEvent, verifySignature } from '../../src/rental-api/webhook.ts';
import { ADDRESS, AT } from './fixture.ts';

const secret = 'whsec_of-the-tests';
const former = '0123456789abcdef';
/** Its digest has characters that differ in the two alphabets of base64. */
const body = '{"event":"order.filled", "data":{"order_id":13}}';
const hmac = (key: string, content: string | Uint8Array = body) =>
  createHmac('sha256', key).update(content).digest('hex');
const signature = hmac(secret);
const base64 = Buffer.from(signature, 'hex').toString('base64');
const base64url = Buffer.from(signature, 'hex').toString('base64url');
const odd = Uint8Array.of(0x7b, 0xff, 0x00, 0x7d);

/** RFC 4231, test case 4. */
const PUBLISHED = {
  key: String.fromCharCode(...Array.from({ length: 25 }, (_, at) => at + 1)),
  data: Buffer.alloc(50, 0xcd),
  signature: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
};

test.each<[what: string, signature: string, secrets?: string[], content?: string | Uint8Array]>([
  ['over exactly these bytes', signature],
  ['of a published test vector', PUBLISHED.signature, [PUBLISHED.key], PUBLISHED.data],
  ['in upper-case hexadecimal digits', signature.toUpperCase()],
  ['after the name of its algorithm', `sha256=${signature}`],
  ['after this name in upper case', `SHA256=${signature.toUpperCase()}`],
  ['in base64', base64],
  ['in base64 without padding', base64.slice(0, -1)],
  ['in URL-safe base64', base64url],
  ['in URL-safe base64 with padding', `${base64url}=`],
  ['in base64 after the name of its algorithm', `sha256=${base64}`],
  ['after a byte order mark', `\uFEFF${signature}`],
  ['after a byte order mark in the encoding of headers', `\u00EF\u00BB\u00BFsha256=${signature}`],
  ['with white space around it', `\t${signature} `],
  ['over bytes that are not UTF-8', hmac(secret, odd), [secret], odd],
  ['by the first of several secrets', signature, [secret, former]],
  ['by the last of several secrets', hmac(former), [secret, former]],
])('accepts a signature %s', (_, given, secrets = [secret], content = body) => {
  expect(verifySignature({ secrets, rawBody: Buffer.from(content), signature: given })).toBe(true);
});

test.each<[what: string, signature: string | undefined, secrets?: string[], content?: string]>([
  ['a missing one', undefined],
  ['an empty one', ''],
  ['a short one', signature.slice(0, -2)],
  ['a long one', `${signature}00`],
  ['one with white space inside', `${signature.slice(0, 32)} ${signature.slice(32)}`],
  ['the name of an algorithm alone', 'sha256='],
  ['one after the name of another algorithm', `sha512=${signature}`],
  ['one after a name with another sign', `sha256:${signature}`],
  ['one after two names', `sha256=sha256=${signature}`],
  ['one before its name', `${signature}=sha256`],
  ['two signatures', `${signature},${signature}`],
  ['base64 of both alphabets', base64.replace('+', '-')],
  ['base64 with too much padding', `${base64}=`],
  [
    'base64 with another last character of the same digest',
    `${base64.slice(0, -2)}${String.fromCharCode(base64.charCodeAt(42) + 1)}=`,
  ],
  ['base64 of the hexadecimal digits', Buffer.from(signature).toString('base64')],
  ['base64 of another digest', Buffer.from(hmac('other'), 'hex').toString('base64')],
  ['base64 with a space', `${base64.slice(0, 20)} ${base64.slice(20)}`],
  ['one of other letters', 'z'.repeat(64)],
  ['one of wide characters', 'é'.repeat(64)],
  ['one of another secret', hmac('other')],
  ['one of another secret than several', '0'.repeat(64), [secret, former]],
  ['one of the same JSON in another format', signature, [secret], JSON.stringify(JSON.parse(body))],
  ['one of the body without its line break', signature, [secret], `${body}\n`],
  ['any without a secret', hmac(''), []],
  ['one of an empty secret', hmac(''), ['', secret]],
  ['one of a secret of fifteen characters', hmac('0123456789abcde'), ['0123456789abcde', secret]],
])('rejects a signature: %s', (_, given, secrets = [secret], content = body) => {
  expect(verifySignature({ secrets, rawBody: Buffer.from(content), signature: given })).toBe(false);
});

const filled = { order_id: 7, address: ADDRESS, energy_amount: 65_000 };
const entry = { id: 1, attempts: 3, response_status: 500, created_at: '2026-02-05T12:00:01Z' };

function idOf(data: Record<string, unknown>, event = 'order.filled'): string | undefined {
  return readEvent({ event, data })?.id;
}

test('reads a filled order', () => {
  expect(readEvent({ event: 'order.filled', data: filled, timestamp: AT })).toEqual({
    type: 'order.filled',
    id: expect.stringMatching(/^order\.filled:7:[\w-]{16}$/),
    at: AT,
    order: filled,
    data: filled,
  });
});

test.each([
  ['a long id', { order_id: 'x'.repeat(60_000) }],
  ['an id of unusual characters', { order_id: '7 \u0000{1001}*' }],
])('identifies an event with %s by a short hash of its content', (_, data) => {
  expect(idOf(data)).toMatch(/^[\w-]{43}$/);
  expect(idOf(data)).toBe(idOf({ ...data }));
  expect(idOf(data)).not.toBe(idOf({ ...data, status: 'filled' }));
  expect(idOf(data)).not.toBe(idOf({ order_id: `${data.order_id}y` }));
});

test('keeps an id of up to a hundred characters, so that stored records stay valid', () => {
  // The id also contains the type and a part of the hash.
  expect(idOf({ order_id: '7'.repeat(70) })).toMatch(/^order\.filled:7{70}:[\w-]{16}$/);
  expect(idOf({ order_id: '7'.repeat(71) })).toMatch(/^[\w-]{43}$/);
});

test('reads a delivery with the field names of the log', () => {
  const [event, data, timestamp] = ['order.filled', filled, AT];
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

test.each(['soon', 5])('omits the unreadable time %j', (timestamp) => {
  expect(readEvent({ event: 'order.filled', data: filled, timestamp })).not.toHaveProperty('at');
});

test.each(
  [
    ...[null, 'text', [], {}, { event: 'order.filled' }, { event: '', data: {} }, { event: 5, data: {} }],
    ...[
      { event: 'order.filled', data: [] },
      { event: 'order.filled', data: 'filled' },
    ],
    { event_type: 'order.filled' },
  ].map((json) => ({ json })),
)('rejects $json as an event', ({ json }) => {
  expect(readEvent(json)).toBeUndefined();
});

test.each([33, 100_000])('rejects an event that is nested %d deep', (depth) => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(readEvent({ event: 'order.filled', data: { ...filled, nested: nested(depth) } })).toBeUndefined();
  expect(readEvent({ event: 'order.filled', data: { ...filled, nested: nested(30) } })).toBeDefined();
});

test.each([
  ['the data', filled],
  ['a delivery', { event: 'order.filled', data: filled }],
  ['an entry of the log', { event_type: 'order.filled', payload: filled }],
])('gives a log entry the id of its delivery if its payload is %s', (_, payload) => {
  const delivered = readEvent({ event: 'order.filled', data: filled });
  const logged = readLoggedEvent({ ...entry, event_type: 'order.filled', payload });
  expect(logged).toEqual({ ...delivered, at: entry.created_at });
});

test('gives events of different types or ids different ids', () => {
  expect(idOf({ invoice_id: 7 }, 'invoice.paid')).not.toBe(idOf({ invoice_id: 7 }, 'invoice.delegated'));
  expect(idOf({ invoice_id: 7 }, 'invoice.paid')).not.toBe(idOf({ invoice_id: 8 }, 'invoice.paid'));
  const transfer = (tx_hash: string) => idOf({ id: 1, tx_hash }, 'smart_mode.transfer');
  expect(transfer('a')).not.toBe(transfer('b'));
});

test('gives events with different content different ids, whatever the order of fields', () => {
  const deep = { order_id: 7, more: { one: 1, two: [1, { three: 3 }] } };
  expect(idOf(deep)).toBe(idOf({ more: { two: [1, { three: 3 }], one: 1 }, order_id: 7 }));
  expect(idOf(deep)).not.toBe(idOf({ ...deep, more: { one: 1, two: [{ three: 3 }, 1] } }));
  expect(idOf(filled)).not.toBe(idOf({ ...filled, energy_amount: 65_001 }));
  const withoutId = { amount: '5', currency: 'TRX' };
  expect(idOf(withoutId)).toBe(idOf({ currency: 'TRX', amount: '5' }));
  expect(idOf(withoutId)).not.toBe(idOf({ ...withoutId, amount: '6' }));
});
