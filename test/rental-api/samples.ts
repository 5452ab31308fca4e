import type { z } from 'zod';
import type { EndpointName, Endpoints } from '../../src/rental-api/endpoints.ts';
import { SAMPLE_ADDRESS } from '../../src/rental-api/tron.ts';

const SAMPLE_TIME = '2026-02-05T12:00:00Z';
const SAMPLE_HASH = 'ab'.repeat(32);
/** Another address than {@link SAMPLE_ADDRESS}, which was never used in the sandbox. */
const UNUSED_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const ENERGY_SAMPLE = { address: SAMPLE_ADDRESS, energy_amount: 65_000, duration_hours: 1 };
const BANDWIDTH_SAMPLE = { address: SAMPLE_ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
const INVOICE_SAMPLE = {
  ...ENERGY_SAMPLE,
  invoice_id: 9,
  payment_address: UNUSED_ADDRESS,
  price_trx: '2.32',
  price_usdt: '0.75',
  status: 'pending',
  expires_at: SAMPLE_TIME,
};
const SUBSCRIPTION_SAMPLE = {
  id: 3,
  address: SAMPLE_ADDRESS,
  label: 'Shop',
  status: 'active',
  bw_guarantee: false,
  created_at: SAMPLE_TIME,
};
const WITHDRAWAL_SAMPLE = {
  id: 4,
  to_address: SAMPLE_ADDRESS,
  amount_trx: '50',
  fee_trx: '1',
  status: 'completed',
  tx_hash: SAMPLE_HASH,
  created_at: SAMPLE_TIME,
};

/** For each endpoint: a valid request, and a response to it that the specification allows. */
export const SAMPLES: {
  readonly [Name in EndpointName]: { request: z.infer<Endpoints[Name]['request']>; response: unknown };
} = {
  activateAddress: {
    request: { address: UNUSED_ADDRESS },
    response: { success: true, tx_hash: SAMPLE_HASH },
  },
  activateSmartMode: {
    request: { address: SAMPLE_ADDRESS, label: 'Shop', bw_guarantee: false },
    response: { ...SUBSCRIPTION_SAMPLE, subscription_fee_trx: '1.5', transfer_fee_trx: '2.6' },
  },
  buyBandwidth: {
    request: BANDWIDTH_SAMPLE,
    response: { ...BANDWIDTH_SAMPLE, order_id: 7, price_trx: '9.80', status: 'pending' },
  },
  buyEnergy: {
    request: ENERGY_SAMPLE,
    response: { ...ENERGY_SAMPLE, order_id: 7, price_trx: '2.32', status: 'pending' },
  },
  configureWebhook: {
    request: { url: 'https://bot.example/e' },
    response: { url: 'https://bot.example/e', secret: 'whsec_1', active: true, created_at: SAMPLE_TIME },
  },
  createInvoice: { request: ENERGY_SAMPLE, response: INVOICE_SAMPLE },
  deactivateSubscription: {
    request: { subscription_id: 3 },
    response: { id: 3, address: SAMPLE_ADDRESS, status: 'deactivated', message: 'Done' },
  },
  invoice: {
    request: { invoice_id: 9 },
    response: {
      ...INVOICE_SAMPLE,
      status: 'delegated',
      tx_hash: SAMPLE_HASH,
      paid_at: SAMPLE_TIME,
      delegated_at: SAMPLE_TIME,
      created_at: SAMPLE_TIME,
    },
  },
  toggleSubscription: {
    request: { subscription_id: 3 },
    response: { ...SUBSCRIPTION_SAMPLE, status: 'paused' },
  },
  withdraw: {
    request: { to_address: SAMPLE_ADDRESS, amount_trx: '50', totp_code: '123456' },
    response: WITHDRAWAL_SAMPLE,
  },
  depositInfo: {
    request: undefined,
    response: {
      deposit_address: SAMPLE_ADDRESS,
      accepted_currencies: ['TRX', 'USDT'],
      usdt_to_trx_rate: '3.1',
      trx_usd_rate: '0.3',
    },
  },
  deposits: {
    request: undefined,
    response: [{ status: 'pending' }, { status: 'confirmed', amount_trx: '5', created_at: SAMPLE_TIME }],
  },
  packageTiers: {
    request: undefined,
    response: {
      tiers: [{ size: 10, price_trx: '23.00' }],
      single_transfer_price: '2.40',
      bw_fee_per_transfer: '0.3',
      min_custom_size: 1,
      max_custom_size: 10_000,
    },
  },
  prices: { request: undefined, response: { energy_sun: { '1h': 35.68 } } },
  profile: {
    request: undefined,
    response: {
      id: 1001,
      email: 'holder@example.com',
      chain_address: SAMPLE_ADDRESS,
      balance_trx: '1000.00',
      totp_enabled: false,
      created_at: SAMPLE_TIME,
    },
  },
  subscriptions: {
    request: undefined,
    response: [SUBSCRIPTION_SAMPLE, { ...SUBSCRIPTION_SAMPLE, id: 5, label: null, status: 'paused' }],
  },
  webhookLogs: {
    request: undefined,
    response: [
      {
        id: 1,
        event_type: 'order.filled',
        payload: { order_id: 7 },
        response_status: 200,
        attempts: 1,
        created_at: SAMPLE_TIME,
      },
    ],
  },
  withdrawals: {
    request: undefined,
    response: [WITHDRAWAL_SAMPLE, { ...WITHDRAWAL_SAMPLE, id: 5, status: 'pending', tx_hash: null }],
  },
};
