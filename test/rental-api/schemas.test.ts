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
  Prices,
  Profile,
  SmartModeDeactivation,
  SmartModeSubscription,
  toPrintable,
  WebhookConfiguration,
  WebhookLogEntry,
  Withdrawal,
} from '../../src/rental-api/schemas.ts';

import { ADDRESS, AT, invoice, order, profile } from './fixture.ts';

const { energy_amount: _, ...bandwidthOrder } = { ...order, bandwidth_amount: 1000 };
const tiers = {
  tiers: [{ size: 10, price_trx: '25' }],
  single_transfer_price: '2.6',
  bw_fee_per_transfer: '0.3',
  min_custom_size: 1,
  max_custom_size: 10_000,
};
const subscription = { id: 1, address: ADDRESS, label: null, status: 'active', bw_guarantee: true };
const logEntry = { id: 1, event_type: 'order.filled', payload: { order_id: 1 }, attempts: 1 };
const deposit = { deposit_address: ADDRESS, accepted_currencies: ['TRX', 'USDT'] };
const withdrawal = { id: 1, to_address: ADDRESS, amount_trx: '50', fee_trx: '1', status: 'pending' };

const documented: [name: string, schema: z.ZodType, sample: Record<string, unknown>][] = [
  ['account profile', Profile, profile],
  ['deposit info', DepositInfo, { ...deposit, usdt_to_trx_rate: '3.1', trx_usd_rate: '0.3' }],
  ['deposit record', DepositRecord, { status: 'pending' }],
  ['withdrawal', Withdrawal, { ...withdrawal, created_at: AT }],
  ['energy order', EnergyOrder, order],
  ['bandwidth order', BandwidthOrder, bandwidthOrder],
  ['invoice', Invoice, invoice],
  ['Smart Mode subscription', SmartModeSubscription, { ...subscription, created_at: AT }],
  ['transfer package tiers', PackageTiers, tiers],
  [
    'webhook configuration',
    WebhookConfiguration,
    { url: 'https://bot.example/e', secret: 'whsec_1', active: true, created_at: AT },
  ],
  ['webhook log entry', WebhookLogEntry, { ...logEntry, response_status: 200, created_at: AT }],
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
    expect(Invoice.parse({ ...invoice, status })).toMatchObject({ status: '' });
  },
);

test('reads two-factor codes as off when the service leaves them null', () => {
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
  const read = (price_trx: unknown) =>
    PackageTiers.parse({ ...tiers, tiers: [{ size: '10', price_trx }] }).tiers;
  expect(['0', -1, null].map(read)).toEqual([[{ size: 10 }], [{ size: 10 }], [{ size: 10 }]]);
  expect(read('25')).toEqual([{ size: 10, price_trx: '25' }]);
});

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

test('rejects an amount whose number is not exact', () => {
  expect(EnergyOrder.safeParse({ ...order, price_trx: 1e300 }).success).toBe(false);
  expect(EnergyOrder.safeParse({ ...order, price_trx: 2 ** 53 }).success).toBe(false);
});

const longTexts: [name: string, schema: z.ZodType, field: string, sample: object, most: number][] = [
  ['energy order', EnergyOrder, 'status', order, 64],
  ['address activation', AddressActivation, 'tx_hash', { success: true }, 128],
  ['deposit record', DepositRecord, 'currency', { status: 'confirmed' }, 16],
  ...documented.flatMap(([name, schema, sample]) =>
    Object.entries({ status: 64, tx_hash: 128, email: 200, label: 64, event_type: 100 })
      .filter(([field]) => field in sample)
      .map(([field, most]): (typeof longTexts)[number] => [name, schema, field, sample, most]),
  ),
];

test.each(longTexts)(
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
  const read = (created_at: string) => Profile.parse({ ...profile, created_at }).created_at ?? '';
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

test.each([
  ['prices by hours', { energy_sun: { '1h': 35.68, '24h': '60' } }, { '1': '35.68', '24': '60' }],
  ['a day called 1d', { energy_sun: { '1d': 60 } }, { '24': '60' }],
  ['TRX for a volume', { energy_trx: { '1h': '2.3192' }, energy_volume: 65_000 }, { '1': '35.68' }],
  [
    'sun in preference to the less exact TRX',
    { energy_trx: { '1h': 2.32, '24h': 6.5 }, energy_volume: 65_000, energy_sun: { '1h': 35.68 } },
    { '1': '35.68', '24': '100' },
  ],
  ['the older shape', { energy_price_sun: 35.68, energy_price_trx_per_65k: 2.32 }, { '1': '35.68' }],
  ['the older shape without sun', { energy_price_trx_per_65k: '2.3192' }, { '1': '35.68' }],
  [
    'valid prices beside invalid ones',
    { energy_sun: { '1h': '35.68', week: 1, '24h': null } },
    { '1': '35.68' },
  ],
])('reads prices from %s', (_what, told, energySunPerUnit) => {
  expect(Prices.parse(told)).toEqual({ energySunPerUnit });
});

test.each([
  ['nothing', {}],
  ['other things', { bandwidth_trx: { '1h': 0.6 } }],
  ['invalid values', { energy_sun: 'cheap', energy_trx: [], energy_volume: 0 }],
  [
    'prices of zero or less',
    { energy_sun: { '1h': 0, '24h': '-60' }, energy_price_sun: 0, burn_cost_trx: -6, trx_usd_rate: 0 },
  ],
  ['a volume of zero', { energy_trx: { '1h': 2 }, energy_volume: 0 }],
])('returns no prices and no error for %s', (_what, told) => {
  expect(Prices.parse(told)).toEqual({});
});

test('rejects a response that is not an object', () => {
  expect(Prices.safeParse('2.32').success).toBe(false);
});

test.each([
  ['joins lines', 'no\r\n\tbalance  left\n', 'no balance left'],
  ['removes characters that change the writing direction', 'paid \u202e00.001\u202c TRX', 'paid 00.001 TRX'],
  ['removes invisible characters', 'T\u200bR7\u0000N\ufeffH', 'T R7 N H'],
  ['returns an empty text for white space', '\u2028\u00a0', ''],
])('%s', (_, text, shown) => {
  expect(toPrintable(text, 100)).toBe(shown);
});

test('ends a long text with an ellipsis and does not split characters', () => {
  expect(toPrintable('12345', 5)).toBe('12345');
  expect(toPrintable('123456', 5)).toBe('1234…');
  expect(toPrintable('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(4)}…`);
});
