import type { Rental } from '../../src/rental-api/client.ts';
import type { Outcome } from '../../src/rental-api/http.ts';
import { ADDRESS, KEY, order, profile, purchase } from './fixture.ts';

const AT = '2026-02-05T12:00:00Z';
const invoiceWish = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };
const bandwidthWish = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
const withdrawalWish = { to_address: ADDRESS, amount_trx: '50' };
const smartModeWish = { address: ADDRESS, label: 'Shop', bw_guarantee: false };

export const invoice = {
  ...invoiceWish,
  invoice_id: 9,
  payment_address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4',
  price_trx: '2.32',
  price_usdt: '0.75',
  status: 'pending',
  expires_at: AT,
};
export const subscription = { ...smartModeWish, id: 3, status: 'active', created_at: AT };
export const withdrawal = { ...withdrawalWish, id: 4, fee_trx: '1', status: 'pending', created_at: AT };

export interface Call {
  /** Name of the client's method. */
  name: string;
  call(rental: Rental): Promise<Outcome<unknown>>;
  /** Method and path, as in section 4. */
  request: string;
  body?: object;
  answer: unknown;
  /** Other values that the specification allows. An object is merged into `answer`. */
  alsoAllowed?: unknown[];
}

const moreFields = { added_later: { a: [1] }, note: null };
const ended = [{ status: 'filled' }, { status: 'failed' }, { status: 'in_review' }, moreFields];

/** Each endpoint of section 4 and `GET /prices`, with an example response from the specification. */
export const calls: Call[] = [
  {
    name: 'buyEnergy',
    call: (rental) => rental.buyEnergy(KEY, purchase),
    request: 'POST /energy/buy',
    body: purchase,
    answer: order,
    alsoAllowed: ended,
  },
  {
    name: 'buyBandwidth',
    call: (rental) => rental.buyBandwidth(KEY, bandwidthWish),
    request: 'POST /bandwidth/buy',
    body: bandwidthWish,
    answer: { ...bandwidthWish, order_id: 8, price_trx: '9.80', status: 'pending' },
    alsoAllowed: ended,
  },
  {
    name: 'activateAddress',
    call: (rental) => rental.activateAddress(KEY, { address: ADDRESS }),
    request: 'POST /energy/activate',
    body: { address: ADDRESS },
    answer: { success: true, tx_hash: 'ab12' },
    alsoAllowed: [
      { success: false, tx_hash: null },
      { tx_hash: undefined },
      { address: '41a614f8', ...moreFields },
    ],
  },
  {
    name: 'createInvoice',
    call: (rental) => rental.createInvoice(KEY, invoiceWish),
    request: 'POST /invoices',
    body: invoiceWish,
    answer: invoice,
    alsoAllowed: [{ tx_hash: null, paid_at: null, delegated_at: null, created_at: null }, moreFields],
  },
  {
    name: 'invoice',
    call: (rental) => rental.invoice(KEY, 9),
    request: 'GET /invoices/9',
    answer: {
      ...invoice,
      tx_hash: 'ab12',
      paid_at: AT,
      delegated_at: AT,
      created_at: AT,
      status: 'delegated',
    },
    alsoAllowed: [
      { tx_hash: null, paid_at: null, delegated_at: null, status: 'pending' },
      { tx_hash: undefined, paid_at: undefined, delegated_at: undefined, status: 'expired' },
      { status: 'underpaid', ...moreFields },
    ],
  },
  {
    name: 'activateSmartMode',
    call: (rental) => rental.activateSmartMode(KEY, smartModeWish),
    request: 'POST /smart-mode/activate',
    body: smartModeWish,
    answer: { ...subscription, subscription_fee_trx: '1.5', transfer_fee_trx: '2.6' },
    alsoAllowed: [
      { label: null },
      { label: undefined },
      { bw_guarantee: true },
      { status: 'new' },
      moreFields,
    ],
  },
  {
    name: 'subscriptions',
    call: (rental) => rental.subscriptions(KEY),
    request: 'GET /smart-mode/subscriptions',
    answer: [subscription, { ...subscription, id: 5, label: null, status: 'paused', ...moreFields }],
    alsoAllowed: [[]],
  },
  {
    name: 'toggleSubscription',
    call: (rental) => rental.toggleSubscription(KEY, 3),
    request: 'POST /smart-mode/3/toggle',
    answer: { ...subscription, status: 'paused' },
    alsoAllowed: [{ label: null, ...moreFields }],
  },
  {
    name: 'deactivateSubscription',
    call: (rental) => rental.deactivateSubscription(KEY, 3),
    request: 'POST /smart-mode/3/deactivate',
    answer: { id: 3, address: ADDRESS, status: 'deactivated', message: 'Done' },
    alsoAllowed: [{ message: '' }, moreFields],
  },
  {
    name: 'packageTiers',
    call: (rental) => rental.packageTiers(KEY),
    request: 'GET /transfer-packages/tiers',
    answer: {
      tiers: [{ size: 10, price_trx: '25', ...moreFields }],
      single_transfer_price: '2.6',
      bw_fee_per_transfer: '0.3',
      min_custom_size: 1,
      max_custom_size: 10_000,
    },
    alsoAllowed: [{ tiers: [] }, moreFields],
  },
  {
    name: 'profile',
    call: (rental) => rental.profile(KEY),
    request: 'GET /account/profile',
    answer: profile,
    alsoAllowed: [{ totp_enabled: true, email: '' }, moreFields],
  },
  {
    name: 'depositInfo',
    call: (rental) => rental.depositInfo(KEY),
    request: 'GET /account/deposit',
    answer: {
      deposit_address: ADDRESS,
      accepted_currencies: ['TRX', 'USDT'],
      usdt_to_trx_rate: '3.1',
      trx_usd_rate: '0.3',
    },
    alsoAllowed: [{ accepted_currencies: ['TRX', 'USDT', 'USDD'] }, moreFields],
  },
  {
    name: 'deposits',
    call: (rental) => rental.deposits(KEY),
    request: 'GET /account/deposits',
    answer: [{ status: 'pending' }, { status: 'confirmed', amount_trx: '5', created_at: AT, ...moreFields }],
    alsoAllowed: [[], [{ status: 'expired' }, { status: 'on_hold' }]],
  },
  {
    name: 'withdraw',
    call: (rental) => rental.withdraw(KEY, { ...withdrawalWish, totp_code: '123456' }),
    request: 'POST /account/withdrawal',
    body: { ...withdrawalWish, totp_code: '123456' },
    answer: { ...withdrawal, status: 'completed', tx_hash: 'ab12' },
    alsoAllowed: [
      { status: 'pending', tx_hash: null },
      { status: 'failed', tx_hash: undefined, amount_trx: '50.000000' },
      { status: 'queued', ...moreFields },
    ],
  },
  {
    name: 'withdrawals',
    call: (rental) => rental.withdrawals(KEY),
    request: 'GET /account/withdrawals',
    answer: [withdrawal, { ...withdrawal, id: 5, tx_hash: null, ...moreFields }],
    alsoAllowed: [[]],
  },
  {
    name: 'configureWebhook',
    call: (rental) => rental.configureWebhook(KEY, 'https://bot.example/e'),
    request: 'POST /webhooks/configure',
    body: { url: 'https://bot.example/e' },
    answer: { url: 'https://bot.example/e', secret: 'whsec_1', active: true, created_at: AT },
    alsoAllowed: [{ active: false, ...moreFields }],
  },
  {
    name: 'webhookLogs',
    call: (rental) => rental.webhookLogs(KEY),
    request: 'GET /webhooks/logs',
    answer: [
      {
        id: 1,
        event_type: 'order.filled',
        payload: { order_id: 7 },
        response_status: 200,
        attempts: 1,
        created_at: AT,
      },
    ],
    alsoAllowed: [[]],
  },
  {
    name: 'prices',
    call: (rental) => rental.prices(KEY),
    request: 'GET /prices',
    answer: { energy_sun: { '1h': 35.68 } },
    alsoAllowed: [{ energy_sun: 'soon' }, moreFields],
  },
];
