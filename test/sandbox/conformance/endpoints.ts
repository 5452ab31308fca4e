import { ADDRESS, addressOf } from './samples.ts';

/** An endpoint of section 4, with a valid body. */
export interface Endpoint {
  method: 'GET' | 'POST';
  /** Path below `/api/v1`. Path parameters are ids that don't exist. */
  path: string;
  /** Requests per minute (section 8). */
  perMinute: number;
  body?: Record<string, unknown>;
  /** Invalid values of each field: wrong types and violated limits. */
  wrong?: Record<string, unknown[]>;
  required?: string[];
}

export const UNKNOWN_ID = 987_654_321;

const NO_ADDRESS = [7, null, '', 'T', ADDRESS.slice(1), ADDRESS.slice(0, -1), `${ADDRESS}T`, [ADDRESS]];
const NO_ENERGY = ['65000', null, true, 31_999, 5_000_001, -65_000, 65_000.5];
const NO_HOURS = ['1', null, 0, 2, 12, 23, 25, 1.5];

const posts: Endpoint[] = [
  {
    method: 'POST',
    path: '/energy/buy',
    perMinute: 30,
    body: { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 },
    wrong: { address: NO_ADDRESS, energy_amount: NO_ENERGY, duration_hours: NO_HOURS },
    required: ['address', 'energy_amount', 'duration_hours'],
  },
  {
    method: 'POST',
    path: '/bandwidth/buy',
    perMinute: 30,
    body: { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 },
    wrong: {
      address: NO_ADDRESS,
      bandwidth_amount: ['1000', null, false, 349, 100_001, -1_000, 1_000.5],
      duration_hours: ['24', null, 0, -1, 1.5],
    },
    required: ['address', 'bandwidth_amount', 'duration_hours'],
  },
  {
    method: 'POST',
    path: '/energy/activate',
    perMinute: 60,
    body: { address: addressOf('never used') },
    wrong: { address: NO_ADDRESS },
    required: ['address'],
  },
  {
    method: 'POST',
    path: '/invoices',
    perMinute: 20,
    body: { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 },
    wrong: { address: NO_ADDRESS, energy_amount: NO_ENERGY, duration_hours: NO_HOURS },
    required: ['address', 'energy_amount', 'duration_hours'],
  },
  {
    method: 'POST',
    path: '/smart-mode/activate',
    perMinute: 10,
    body: { address: ADDRESS, label: 'till', bw_guarantee: true },
    wrong: { address: NO_ADDRESS, label: [7, true, {}], bw_guarantee: ['true', 1, {}] },
    required: ['address'],
  },
  { method: 'POST', path: `/smart-mode/${UNKNOWN_ID}/toggle`, perMinute: 60 },
  { method: 'POST', path: `/smart-mode/${UNKNOWN_ID}/deactivate`, perMinute: 60 },
  {
    method: 'POST',
    path: '/account/withdrawal',
    perMinute: 1,
    body: { to_address: ADDRESS, amount_trx: '10' },
    wrong: {
      to_address: NO_ADDRESS,
      amount_trx: [10, null, '', 'ten', '-1', '0', '1e3', '1.0000001', ' 1', '0x1'],
      totp_code: [123_456, true],
    },
    required: ['to_address', 'amount_trx'],
  },
  {
    method: 'POST',
    path: '/webhooks/configure',
    perMinute: 60,
    body: { url: 'https://example.com/hook' },
    wrong: {
      url: [
        7,
        null,
        'hook',
        'http://example.com/hook',
        'http://127.0.0.1.example.com/',
        'ftp://example.com/hook',
        'https://',
      ],
    },
    required: ['url'],
  },
];

/** "All other endpoints: 60 requests/minute." */
const gets: Endpoint[] = [
  '/prices',
  `/invoices/${UNKNOWN_ID}`,
  '/smart-mode/subscriptions',
  '/transfer-packages/tiers',
  '/account/profile',
  '/account/deposit',
  '/account/deposits',
  '/account/withdrawals',
  '/webhooks/logs',
].map((path) => ({ method: 'GET', path, perMinute: 60 }));

/** The seventeen endpoints of section 4 and `GET /prices`. */
export const endpoints: readonly Endpoint[] = [...posts, ...gets];

/** GET endpoints without a path parameter. Any account can call them without changing anything. */
export const readable = gets.filter(({ path }) => !path.endsWith(String(UNKNOWN_ID)));
