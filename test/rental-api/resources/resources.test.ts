import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  AddressActivation,
  BandwidthOrder,
  DepositInfo,
  DepositRecord,
  EnergyOrder,
  Invoice,
  PackageTiers,
  Profile,
  SmartModeDeactivation,
  SmartModeSubscription,
  WebhookConfiguration,
  WebhookLogEntry,
  Withdrawal,
} from '../../../src/rental-api/schemas.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const AT = '2026-02-05T12:00:00Z';

const documented: [name: string, schema: z.ZodType, sample: Record<string, unknown>][] = [
  [
    'account profile',
    Profile,
    {
      id: 1,
      email: 'a@example.com',
      chain_address: ADDRESS,
      balance_trx: '150.50',
      totp_enabled: false,
      created_at: AT,
    },
  ],
  [
    'deposit info',
    DepositInfo,
    {
      deposit_address: ADDRESS,
      accepted_currencies: ['TRX', 'USDT'],
      usdt_to_trx_rate: '3.1',
      trx_usd_rate: '0.3',
    },
  ],
  ['deposit record', DepositRecord, { status: 'pending' }],
  [
    'withdrawal',
    Withdrawal,
    { id: 1, to_address: ADDRESS, amount_trx: '50', fee_trx: '1', status: 'pending', created_at: AT },
  ],
  [
    'energy order',
    EnergyOrder,
    {
      order_id: 1,
      address: ADDRESS,
      energy_amount: 65_000,
      duration_hours: 1,
      price_trx: '2.32',
      status: 'pending',
    },
  ],
  [
    'bandwidth order',
    BandwidthOrder,
    {
      order_id: 1,
      address: ADDRESS,
      bandwidth_amount: 1000,
      duration_hours: 24,
      price_trx: '9.80',
      status: 'pending',
    },
  ],
  [
    'invoice',
    Invoice,
    {
      invoice_id: 1,
      payment_address: ADDRESS,
      address: ADDRESS,
      energy_amount: 65_000,
      duration_hours: 1,
      price_trx: '2.32',
      price_usdt: '0.75',
      status: 'pending',
      expires_at: AT,
    },
  ],
  [
    'Smart Mode subscription',
    SmartModeSubscription,
    { id: 1, address: ADDRESS, label: null, status: 'active', bw_guarantee: true, created_at: AT },
  ],
  [
    'transfer package tiers',
    PackageTiers,
    {
      tiers: [{ size: 10, price_trx: '25' }],
      single_transfer_price: '2.6',
      bw_fee_per_transfer: '0.3',
      min_custom_size: 1,
      max_custom_size: 10_000,
    },
  ],
  [
    'webhook configuration',
    WebhookConfiguration,
    { url: 'https://bot.example/e', secret: 'whsec_1', active: true, created_at: AT },
  ],
  [
    'webhook log entry',
    WebhookLogEntry,
    {
      id: 1,
      event_type: 'order.filled',
      payload: { order_id: 1 },
      response_status: 200,
      attempts: 1,
      created_at: AT,
    },
  ],
];

test.each(documented)('reads the documented %s and keeps unknown fields', (_name, schema, sample) => {
  expect(schema.parse({ ...sample, later_field: 1 })).toEqual({ ...sample, later_field: 1 });
});

/** Fields that may be null or missing. */
const OPTIONAL: Record<string, string[]> = {
  'account profile': ['email', 'chain_address', 'totp_enabled', 'created_at'],
  'deposit info': ['usdt_to_trx_rate', 'trx_usd_rate'],
  withdrawal: ['fee_trx', 'created_at'],
  'energy order': ['price_trx'],
  'bandwidth order': ['price_trx'],
  invoice: ['price_trx', 'price_usdt', 'status'],
  'Smart Mode subscription': ['label', 'bw_guarantee', 'created_at'],
  'transfer package tiers': [
    'single_transfer_price',
    'bw_fee_per_transfer',
    'min_custom_size',
    'max_custom_size',
  ],
  'webhook configuration': ['url', 'secret', 'active', 'created_at'],
  'webhook log entry': ['response_status'],
};

const fields = documented.flatMap(([name, schema, sample]) =>
  Object.keys(sample).map((field) => ({
    ...{ name, field, schema, sample },
    isOptional: OPTIONAL[name]?.includes(field) === true,
  })),
);

test.each(fields)('$name: accepts a null or missing $field: $isOptional', (about) => {
  const { field, schema, sample, isOptional } = about;
  const { [field]: _left, ...rest } = sample;
  expect(schema.safeParse(rest).success).toBe(isOptional);
  expect(schema.safeParse({ ...rest, [field]: null }).success).toBe(isOptional);
});

/** Fields whose unreadable values are ignored. */
const optionalFields: Record<string, string[]> = {
  'deposit record': ['id', 'amount', 'currency', 'amount_trx', 'tx_hash', 'created_at'],
  withdrawal: ['tx_hash'],
  invoice: ['status', 'tx_hash', 'paid_at', 'delegated_at', 'created_at'],
  'Smart Mode subscription': ['label', 'subscription_fee_trx', 'transfer_fee_trx'],
  'webhook configuration': ['created_at'],
  'webhook log entry': ['response_status'],
  'address activation': ['tx_hash'],
  'Smart Mode deactivation': ['message'],
};

const required = fields.filter(
  ({ name, field }) => field !== 'payload' && !optionalFields[name]?.includes(field),
);

test.each(required)('rejects $name with an unreadable $field', ({ field, schema, sample }) => {
  expect(schema.safeParse({ ...sample, [field]: { of: 'another kind' } }).success).toBe(false);
});

test.each([
  ...documented,
  ['address activation', AddressActivation, { success: true }],
  ['Smart Mode deactivation', SmartModeDeactivation, { id: 1, address: ADDRESS, status: 'deactivated' }],
] as typeof documented)('ignores unreadable optional fields of a response: %s', (name, schema, sample) => {
  for (const field of (optionalFields[name] ?? []).filter((one) => one !== 'status')) {
    const { [field]: _, ...rest } = sample;
    expect(schema.parse({ ...rest, [field]: { of: 'another kind' } }), field).toEqual(rest);
  }
});

test.each([null, '', 5, {}, undefined])(
  'reads an invoice whose status is %j as one without a status',
  (status) => {
    const [, schema, sample] = documented.find(([name]) => name === 'invoice') ?? ['', Invoice, {}];
    expect(schema.parse({ ...sample, status })).toMatchObject({ status: '' });
  },
);

test('reads two-factor codes as off when the service leaves them null', () => {
  const [, , profile] = documented[0] ?? [];
  expect(Profile.parse({ ...profile, totp_enabled: null }).totp_enabled).toBe(false);
});

const numbers = documented.flatMap(([name, schema, sample]) =>
  Object.entries(sample)
    .filter(([, value]) => typeof value === 'number')
    .map(([field, value]) => ({ name, field, schema, sample, value })),
);

test.each(numbers)('$name: reads $field from a decimal string', (about) => {
  const { field, schema, sample, value } = about;
  expect(schema.parse({ ...sample, [field]: String(value) })).toEqual(sample);
});

test.each(['', ' 1', '1e3', '0x10', '1,000', '01', 'seven', '9007199254740993', '1.5', 1.5, 2 ** 53])(
  'rejects %j as an id',
  (order_id) => {
    expect(EnergyOrder.safeParse({ ...order, order_id }).success).toBe(false);
  },
);

const prices = documented.flatMap(([name, schema, sample]) =>
  Object.keys(sample)
    .filter((field) => /price|fee|rate/.test(field))
    .map((field) => ({ name, field, schema, sample })),
);

test.each(prices)('$name: treats a $field of zero or less as missing', ({ field, schema, sample }) => {
  const { [field]: _left, ...rest } = sample;
  for (const amount of ['0', '0.00', '-2.32', 0, -1])
    expect(schema.parse({ ...sample, [field]: amount })).toEqual(rest);
});

test('omits a package price that is not positive', () => {
  const [, , tiers] = documented.find(([name]) => name === 'transfer package tiers') ?? [];
  const read = (price_trx: unknown) =>
    PackageTiers.parse({ ...tiers, tiers: [{ size: '10', price_trx }] }).tiers;
  expect(['0', -1, null].map(read)).toEqual([[{ size: 10 }], [{ size: 10 }], [{ size: 10 }]]);
  expect(read('25')).toEqual([{ size: 10, price_trx: '25' }]);
});

const order = {
  order_id: 1,
  address: ADDRESS,
  energy_amount: 65_000,
  duration_hours: 1,
  price_trx: '2.32',
  status: 'pending',
};

test('converts an amount given as a number to a decimal string', () => {
  expect(EnergyOrder.parse({ ...order, price_trx: 2.32 }).price_trx).toBe('2.32');
  expect(EnergyOrder.parse({ ...order, price_trx: 1e-7 }).price_trx).toBe('0.0000001');
});

test.each(['', 'free', '1e3', '2,32', '0x1', '2.', '1'.repeat(30)])(
  'rejects %j as an amount',
  (price_trx) => {
    expect(EnergyOrder.safeParse({ ...order, price_trx }).success).toBe(false);
  },
);

test('accepts an undocumented status', () => {
  expect(EnergyOrder.parse({ ...order, status: 'partially_filled' }).status).toBe('partially_filled');
});

test('rejects an amount whose number is not exact', () => {
  expect(EnergyOrder.safeParse({ ...order, price_trx: 1e300 }).success).toBe(false);
  expect(EnergyOrder.safeParse({ ...order, price_trx: 2 ** 53 }).success).toBe(false);
});

const words: [name: string, schema: z.ZodType, field: string, sample: object, most: number][] = [
  ['energy order', EnergyOrder, 'status', order, 64],
  ['address activation', AddressActivation, 'tx_hash', { success: true }, 128],
  ['deposit record', DepositRecord, 'currency', { status: 'confirmed' }, 16],
  ...documented.flatMap(([name, schema, sample]) =>
    Object.entries({ status: 64, tx_hash: 128, email: 200, label: 64, event_type: 100 })
      .filter(([field]) => field in sample)
      .map(([field, most]): (typeof words)[number] => [name, schema, field, sample, most]),
  ),
];

test.each(words)(
  'shortens long texts of the %s instead of rejecting them',
  (_name, schema, field, sample, most) => {
    const read = (text: string) =>
      (schema.parse({ ...sample, [field]: text }) as Record<string, string>)[field];
    expect(read('🌍'.repeat(5_000))).toBe(`${'🌍'.repeat(most - 1)}…`);
    expect(read('x'.repeat(most))).toBe('x'.repeat(most));
    expect(read(' \u202edel\u2066l\u200bi\u0000f\r\n\ufeff')).toBe('del l i f');
  },
);

test('replaces a status of invisible characters with a question mark', () => {
  expect(EnergyOrder.parse({ ...order, status: '\u200b\u202e' }).status).toBe('?');
});

test('reads a time without a zone as UTC', () => {
  const [, schema, sample] = documented[0] ?? ['', Profile, {}];
  const read = (created_at: string) => (schema.parse({ ...sample, created_at }) as Profile).created_at ?? '';
  expect(Date.parse(read('2026-02-05T12:00:00.123456'))).toBe(Date.parse('2026-02-05T12:00:00.123Z'));
  expect(Date.parse(read('2026-02-05 12:00:00'))).toBe(Date.parse(AT));
  expect(read('2026-02-05T12:00:00+03:00')).toBe('2026-02-05T12:00:00+03:00');
});

test('reads a removed webhook without URL and secret', () => {
  expect(WebhookConfiguration.parse({ url: '', secret: null, active: false })).toMatchObject({
    url: '',
    secret: '',
  });
});
