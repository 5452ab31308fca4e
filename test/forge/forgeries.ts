import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Delivery } from '../event-kills/sandbox.ts';
import type { Random } from '../support/random.ts';

/** A request and how it was made. */
export interface Forgery {
  name: string;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: Buffer;
  /** `signed`: made with the real secret, and must still be harmless. `genuine`: a copy of a real delivery. */
  is: 'forged' | 'signed' | 'genuine';
}

export interface Known {
  /** Deliveries that the service sent. */
  deliveries: Delivery[];
  /** Signing secret of each path. */
  secrets: [path: string, secret: string][];
}

const MOST = 64 * 1024;
const HEADER = 'x-webhook-signature';
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** Names that all objects inherit. */
const INHERITED = ['__proto__', 'constructor', 'toString'];
const TYPES = [
  ...['order.filled', 'order.failed', 'deposit.confirmed', 'deposit.pending', 'invoice.paid'],
  ...['invoice.delegated', 'smart_mode.transfer', 'withdrawal.completed', 'promo.won', ...INHERITED],
];
const ABSURD: unknown[] = [
  ...[null, true, -1, 0, 1e308, -0.5, 2 ** 60, '', '0x10', 'NaN', '-1', '1e9', '\u202e\u0000\ud800'],
  ...['<b>x</b>', '{{constructor}}', '../../etc', 'T'.repeat(34), ADDRESS, 'x'.repeat(5_000)],
  ...[[], {}, [[[[]]]], { toString: 1 }, { length: 1e9 }, [1, 'a', null]],
];
const FIELDS = [
  ...['order_id', 'invoice_id', 'withdrawal_id', 'deposit_id', 'id', 'address', 'to_address', 'status'],
  ...['amount', 'amount_trx', 'energy_amount', 'currency', 'fee_trx', 'tx_hash', ...INHERITED],
];

export function createForger({ deliveries, secrets }: Known, random: Random) {
  const of = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
  const sign = (secret: string | Buffer, body: Buffer) =>
    createHmac('sha256', secret).update(body).digest('hex');

  function flipped(text: Buffer): Buffer {
    const copy = Buffer.from(text);
    const at = random.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    return copy;
  }

  const request = (path: string, signature: string | undefined, body: Buffer | string) => ({
    method: 'POST',
    path,
    headers: [
      ['content-type', 'application/json'],
      ...(signature === undefined ? [] : [[HEADER, signature]]),
    ] as Forgery['headers'],
    body: Buffer.from(body),
  });
  const sent = ({ path, signature, body }: Delivery) => request(path, signature, body);
  const withHeader = (made: ReturnType<typeof request>, name: string, value: string) => ({
    ...made,
    headers: [...made.headers, [name, value]] as Forgery['headers'],
  });

  function signed(body: Buffer | string) {
    const [path, secret] = of(secrets);
    return { ...request(path, sign(secret, Buffer.from(body)), body), is: 'signed' as const };
  }

  const value = (depth: number): unknown =>
    depth > 2 || random.below(3) > 0
      ? of(ABSURD)
      : Object.fromEntries(Array.from({ length: random.below(4) }, () => [of(FIELDS), value(depth + 1)]));

  /** Writes `__proto__` as an ordinary field, which an object literal or `JSON.stringify` would lose. */
  function json(entries: [string, unknown][]): string {
    return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one) ?? 'null'}`).join(',')}}`;
  }

  const nested = (depth: number) =>
    random.below(2) === 0
      ? '['.repeat(depth) + ']'.repeat(depth)
      : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  /** Functions that make a forgery of a genuine delivery, by name. */
  const forgedMakers: Record<
    string,
    (delivery: Delivery) => Omit<Forgery, 'name' | 'is'> & { is?: Forgery['is'] }
  > = {
    'a bit of the body': ({ path, signature, body }) => request(path, signature, flipped(Buffer.from(body))),
    'a digit of the signature': ({ path, signature, body }) => {
      const at = random.below(64);
      const digit = (Number.parseInt(signature[at] ?? '0', 16) + 1 + random.below(15)) % 16;
      return request(path, signature.slice(0, at) + digit.toString(16) + signature.slice(at + 1), body);
    },
    'a letter of the path': ({ path, signature, body }) => {
      const at = '/events/'.length + random.below(path.length - '/events/'.length);
      const letter = path[at] === 'A' ? 'B' : 'A';
      return request(path.slice(0, at) + letter + path.slice(at + 1), signature, body);
    },
    'another path': ({ path, signature, body }) => {
      const ways = [
        ...['/events', '/events/', '/events//', `${path}/`, `${path}/x`, path.slice(0, -1), `${path}A`],
        ...[path.toUpperCase(), `/events/${'a'.repeat(43)}`, `/events/${'a'.repeat(5_000)}`],
        ...['/events/%00', '/events/__proto__', '/events/constructor', `/x${path}`, `${path}%2f`],
      ];
      return request(of(ways), signature, body);
    },
    'of another account': ({ path, signature, body }) =>
      request(of(secrets.filter(([other]) => other !== path))[0], signature, body),
    truncated: ({ path, signature, body }) =>
      request(path, signature, body.slice(0, random.below(body.length))),
    'more than came': ({ path, signature, body }) =>
      request(path, signature, body + of([' ', '\n', '\0', ',', '{}', body])),
    'a wrong secret': (delivery) => {
      const { path } = delivery;
      const made = JSON.stringify({ event: of(TYPES), data: { id: random.below(1e9) } });
      const body = Buffer.from(of([delivery.body, made]));
      const guess = of(['', 'whsec_', 'secret', path, path.slice(8), 'undefined', 'null', bytes(24)]);
      return request(path, sign(guess, body), body);
    },
    'no such signature': ({ path, signature, body }) => {
      const odd = [
        ...[undefined, '', ' ', '0', 'a'.repeat(64), 'a'.repeat(8_000), `sha512=${signature}`],
        ...[`"${signature}"`, `${signature}, ${signature}`, `${signature},`, `[${signature}]`],
        ...[signature.slice(0, 63), `${signature}0`, Buffer.from(signature).toString('base64')],
        ...['undefined', 'true', '__proto__'],
      ];
      return request(path, of(odd), body);
    },
    'several signatures': ({ path, signature, body }) =>
      withHeader(request(path, signature, body), HEADER, of([signature, 'x', ''])),
    'bytes that are no text': ({ path }) =>
      request(path, bytes(32).toString('hex'), bytes(random.below(2_000))),
    'pressed together': ({ path, signature, body }) =>
      withHeader(request(path, signature, gzipSync(body)), 'content-encoding', 'gzip'),
    'nested without end': ({ path }) =>
      request(path, bytes(32).toString('hex'), nested(1 + random.below(9_000))),
    'too large': ({ path, signature }) =>
      request(path, signature, Buffer.alloc(MOST + 1 + random.below(3) * MOST, 0x20)),
    'as large as may be': ({ path }) => request(path, 'a'.repeat(64), Buffer.alloc(MOST, 0x20)),
    'another method': (delivery) => ({
      ...sent(delivery),
      method: of(['PUT', 'PATCH', 'DELETE', 'OPTIONS']),
    }),
  };
  const signedMakers: typeof forgedMakers = {
    'signed, and absurd': () => {
      const names = Array.from({ length: random.below(6) }, () => of(FIELDS));
      const data = json(names.map((name) => [name, value(0)]));
      const times = [new Date(0).toISOString(), new Date().toISOString(), '9999-12-31', 7, null];
      const timestamp = JSON.stringify(of<unknown>(times));
      const type = JSON.stringify(of<unknown>([...TYPES, ...TYPES, '', 'x'.repeat(101), 7, null, ['a']]));
      return signed(
        `{"event":${type},"data":${of([data, data, data, '[]', 'null', '7'])},"timestamp":${timestamp}}`,
      );
    },
    'signed, and of others': () => {
      const number = 1 + random.below(20_000);
      const data = {
        ...{ order_id: number, invoice_id: number, id: number, status: 'confirmed', amount_trx: '5000' },
        ...{ address: ADDRESS, energy_amount: 65_000, amount: '5000', currency: 'TRX' },
      };
      return signed(JSON.stringify({ event: of(TYPES), data }));
    },
    'signed, and no event': () => {
      const texts = ['', ' ', 'null', '7', '"x"', '[]', '{}', '[{}]', 'not JSON', '{"event":', '1e999'];
      return signed(of([...texts, '\ufeff{}', nested(8_000)]));
    },
    'signed, and nested': () =>
      signed(`{"event":"promo.won","data":{"a":${nested(1 + random.below(8_000))}}}`),
    'signed, and no text': () =>
      signed(
        Buffer.concat([Buffer.from('{"event":"promo.won","data":{"a":"'), bytes(20), Buffer.from('"}}')]),
      ),
    'signed, and huge numbers': () => {
      const data = `{"id":${'9'.repeat(1 + random.below(4_000))},"order_id":1e999}`;
      return signed(`{"event":"${of(TYPES)}","data":${data}}`);
    },
    'signed, with names of all objects': () => {
      const data = `{"__proto__":{"kind":"deposit"},"id":${random.below(1e6)}}`;
      const inherited = '"__proto__":{"event":"x"},"constructor":{"prototype":{"a":1}}';
      return signed(`{${inherited},"event":"promo.won","data":${data}}`);
    },
  };

  const forged = Object.entries(forgedMakers);
  const signedOnes = Object.entries(signedMakers);

  return {
    next(): Forgery {
      const draw = random.below(100);
      if (draw < 2) return { name: 'what came already', ...sent(of(deliveries)), is: 'genuine' };
      const [name, make] = of(draw < 6 ? signedOnes : forged);
      return { is: 'forged', name, ...make(of(deliveries)) };
    },
  };
}
