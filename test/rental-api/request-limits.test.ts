import { describe, expect, test } from 'vitest';
import type { Rental } from '../../src/rental-api/client.ts';
import { json } from '../support/rental-server.ts';
import { ADDRESS, clientOf, KEY } from './fixture.ts';

const BAD_CHECKSUM = 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999';
const bandwidth = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
const invoice = { address: ADDRESS, duration_hours: 1 };
const withdrawal = { to_address: ADDRESS, amount_trx: '50' };

type Attempt = [what: string, call: (rental: Rental) => Promise<unknown>, field: string];

const refused: Attempt[] = [
  ['349 bandwidth', (r) => r.buyBandwidth(KEY, { ...bandwidth, bandwidth_amount: 349 }), 'bandwidth_amount'],
  [
    '100,001 bandwidth',
    (r) => r.buyBandwidth(KEY, { ...bandwidth, bandwidth_amount: 100_001 }),
    'bandwidth_amount',
  ],
  [
    'a fraction of bandwidth',
    (r) => r.buyBandwidth(KEY, { ...bandwidth, bandwidth_amount: 350.5 }),
    'bandwidth_amount',
  ],
  [
    'bandwidth for 0 hours',
    (r) => r.buyBandwidth(KEY, { ...bandwidth, duration_hours: 0 }),
    'duration_hours',
  ],
  [
    'bandwidth for an invalid address',
    (r) => r.buyBandwidth(KEY, { ...bandwidth, address: BAD_CHECKSUM }),
    'address',
  ],
  [
    'the activation of an invalid address',
    (r) => r.activateAddress(KEY, { address: BAD_CHECKSUM }),
    'address',
  ],
  [
    'an invoice over 31,999 energy',
    (r) => r.createInvoice(KEY, { ...invoice, energy_amount: 31_999 }),
    'energy_amount',
  ],
  [
    'an invoice over 5,000,001 energy',
    (r) => r.createInvoice(KEY, { ...invoice, energy_amount: 5_000_001 }),
    'energy_amount',
  ],
  [
    'an invoice over no transfers',
    (r) => r.createInvoice(KEY, { ...invoice, transfer_count: 0 }),
    'transfer_count',
  ],
  [
    'an invoice over 101 transfers',
    (r) => r.createInvoice(KEY, { ...invoice, transfer_count: 101 }),
    'transfer_count',
  ],
  ['an invoice over nothing', (r) => r.createInvoice(KEY, invoice), 'energy_amount'],
  [
    'an invoice over energy and transfers',
    (r) => r.createInvoice(KEY, { ...invoice, energy_amount: 65_000, transfer_count: 1 }),
    'energy_amount',
  ],
  [
    'an invoice for 2 hours',
    (r) => r.createInvoice(KEY, { ...invoice, transfer_count: 1, duration_hours: 2 }),
    'duration_hours',
  ],
  [
    'Smart Mode for an invalid address',
    (r) => r.activateSmartMode(KEY, { address: BAD_CHECKSUM }),
    'address',
  ],
  [
    'a withdrawal to an invalid address',
    (r) => r.withdraw(KEY, { ...withdrawal, to_address: BAD_CHECKSUM }),
    'to_address',
  ],
  ...['0', '0.0', '-1', '1e3', '1,5', '', 'all', '0.0000001'].map(
    (amount_trx): Attempt => [
      `a withdrawal of "${amount_trx}"`,
      (r) => r.withdraw(KEY, { ...withdrawal, amount_trx }),
      'amount_trx',
    ],
  ),
  ...['', '12345', 'abcdef', '123456789'].map(
    (totp_code): Attempt => [
      `a withdrawal with the code "${totp_code}"`,
      (r) => r.withdraw(KEY, { ...withdrawal, totp_code }),
      'totp_code',
    ],
  ),
  ['an invoice without a number', (r) => r.invoice(KEY, Number.NaN), 'invoice_id'],
  ['an invoice with a negative number', (r) => r.invoice(KEY, -1), 'invoice_id'],
  ['a toggle of a fractional subscription id', (r) => r.toggleSubscription(KEY, 1.5), 'subscription_id'],
  [
    'a deactivation of an unsafe integer id',
    (r) => r.deactivateSubscription(KEY, 2 ** 60),
    'subscription_id',
  ],
];

describe('is not sent:', () => {
  test.each(refused)('%s', async (_what, call, field) => {
    const { rental, server } = await clientOf(json(200, {}));
    expect(await call(rental)).toMatchObject({ kind: 'not-sent', reason: 'invalid', field });
    expect(server.requests).toEqual([]);
  });
});

const sent: [what: string, call: (rental: Rental) => Promise<unknown>][] = [
  ['350 bandwidth', (r) => r.buyBandwidth(KEY, { ...bandwidth, bandwidth_amount: 350 })],
  ['100,000 bandwidth', (r) => r.buyBandwidth(KEY, { ...bandwidth, bandwidth_amount: 100_000 })],
  ['bandwidth for 7 hours', (r) => r.buyBandwidth(KEY, { ...bandwidth, duration_hours: 7 })],
  ['an invoice over 32,000 energy', (r) => r.createInvoice(KEY, { ...invoice, energy_amount: 32_000 })],
  ['an invoice over 5,000,000 energy', (r) => r.createInvoice(KEY, { ...invoice, energy_amount: 5_000_000 })],
  ['an invoice over 1 transfer', (r) => r.createInvoice(KEY, { ...invoice, transfer_count: 1 })],
  ['an invoice over 100 transfers', (r) => r.createInvoice(KEY, { ...invoice, transfer_count: 100 })],
  [
    'an invoice for 24 hours',
    (r) => r.createInvoice(KEY, { ...invoice, transfer_count: 1, duration_hours: 24 }),
  ],
  ['Smart Mode with just an address', (r) => r.activateSmartMode(KEY, { address: ADDRESS })],
  ['a withdrawal of a sun', (r) => r.withdraw(KEY, { ...withdrawal, amount_trx: '0.000001' })],
  ['a withdrawal with a code of 8 digits', (r) => r.withdraw(KEY, { ...withdrawal, totp_code: '12345678' })],
];

test.each(sent)('%s is sent', async (_what, call) => {
  const { rental, server } = await clientOf(json(400, { detail: 'no' }));
  expect(await call(rental)).toMatchObject({ kind: 'rejected' });
  expect(server.requests).toHaveLength(1);
});
