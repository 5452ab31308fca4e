import type { ResourceName } from './resources.ts';

/** Documentation of an endpoint, in addition to its path, rate limit and body. */
export interface Operation {
  id: string;
  tag: 'Energy' | 'Bandwidth' | 'Invoices' | 'Smart Mode' | 'Transfer packages' | 'Account' | 'Webhooks';
  summary: string;
  description?: string;
  answer: ResourceName;
  /** Set if the response is an array of `answer`. */
  list?: true;
  /** Error codes by status, in addition to those of every endpoint. */
  refusals?: Partial<Record<400 | 403 | 404 | 409, readonly Code[]>>;
}

/** Error codes and their causes. */
export const codes = {
  INVALID_ADDRESS: 'an address is not base58check of a chain address',
  INSUFFICIENT_BALANCE: 'the balance does not suffice',
  ADDRESS_ALREADY_ACTIVE: 'the address is active on the chain already',
  INVOICE_NOT_FOUND: 'the account has no such invoice',
  SUBSCRIPTION_NOT_FOUND: 'the account has no such subscription',
  SMART_MODE_CONFLICT: 'the address has a subscription already',
  PACKAGE_CONFLICT: 'the address has an active transfer package',
  INVALID_STATE: 'the state of the record does not allow it',
  '2FA_REQUIRED': '2FA is on and totp_code is missing',
  INVALID_2FA_CODE: 'totp_code is wrong, or was used before',
} as const;

export type Code = keyof typeof codes;

/** Operations by endpoint name. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /energy/buy': {
    id: 'buyEnergy',
    tag: 'Energy',
    summary: 'Buy energy',
    description: 'Delegates energy to a chain address; the cost is deducted from the account balance.',
    answer: 'EnergyOrder',
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'] },
  },
  'POST /bandwidth/buy': {
    id: 'buyBandwidth',
    tag: 'Bandwidth',
    summary: 'Buy bandwidth',
    description: 'Delegates bandwidth to a chain address; the cost is deducted from the account balance.',
    answer: 'BandwidthOrder',
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'] },
  },
  'POST /energy/activate': {
    id: 'activateAddress',
    tag: 'Energy',
    summary: 'Activate a chain address',
    description: 'Activates a chain address that has never received any transaction, for 1.1 TRX.',
    answer: 'Activation',
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'], 409: ['ADDRESS_ALREADY_ACTIVE'] },
  },
  'POST /invoices': {
    id: 'createInvoice',
    tag: 'Invoices',
    summary: 'Create invoice',
    description:
      'Either `energy_amount` or `transfer_count`: each transfer equals 65,000 energy. Expires after 30 minutes.',
    answer: 'CreatedInvoice',
    refusals: { 400: ['INVALID_ADDRESS'] },
  },
  'GET /invoices/{invoice_id}': {
    id: 'getInvoice',
    tag: 'Invoices',
    summary: 'Get invoice',
    answer: 'Invoice',
    refusals: { 404: ['INVOICE_NOT_FOUND'] },
  },
  'POST /smart-mode/activate': {
    id: 'activateSmartMode',
    tag: 'Smart Mode',
    summary: 'Create Smart Mode subscription',
    description:
      'Starts automatic energy delivery for an address; the first daily fee is charged immediately.',
    answer: 'ActivatedSubscription',
    refusals: {
      400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'],
      409: ['SMART_MODE_CONFLICT', 'PACKAGE_CONFLICT'],
    },
  },
  'GET /smart-mode/subscriptions': {
    id: 'listSubscriptions',
    tag: 'Smart Mode',
    summary: 'List subscriptions',
    description: 'All active and paused subscriptions.',
    answer: 'Subscription',
    list: true,
  },
  'POST /smart-mode/{subscription_id}/toggle': {
    id: 'toggleSubscription',
    tag: 'Smart Mode',
    summary: 'Pause or resume',
    description: 'Pauses an active subscription, resumes a paused one; no fee is charged while paused.',
    answer: 'Subscription',
    refusals: {
      400: ['INSUFFICIENT_BALANCE'],
      404: ['SUBSCRIPTION_NOT_FOUND'],
      409: ['INVALID_STATE', 'PACKAGE_CONFLICT'],
    },
  },
  'POST /smart-mode/{subscription_id}/deactivate': {
    id: 'deactivateSubscription',
    tag: 'Smart Mode',
    summary: 'Deactivate permanently',
    answer: 'DeactivatedSubscription',
    refusals: { 404: ['SUBSCRIPTION_NOT_FOUND'], 409: ['INVALID_STATE'] },
  },
  'GET /transfer-packages/tiers': {
    id: 'getPackageTiers',
    tag: 'Transfer packages',
    summary: 'Package tiers',
    answer: 'PackageTiers',
  },
  'GET /account/profile': {
    id: 'getProfile',
    tag: 'Account',
    summary: 'Account profile',
    answer: 'Profile',
  },
  'GET /account/deposit': {
    id: 'getDepositInfo',
    tag: 'Account',
    summary: 'Deposit address info',
    answer: 'DepositInfo',
  },
  'GET /account/deposits': {
    id: 'listDeposits',
    tag: 'Account',
    summary: 'Deposit history',
    answer: 'DepositRecord',
    list: true,
  },
  'POST /account/withdrawal': {
    id: 'withdraw',
    tag: 'Account',
    summary: 'Create withdrawal',
    description:
      'Withdraws TRX to any chain address; the fee is 1 TRX. `totp_code` is needed when 2FA is on.',
    answer: 'Withdrawal',
    refusals: {
      400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'],
      403: ['2FA_REQUIRED', 'INVALID_2FA_CODE'],
    },
  },
  'GET /account/withdrawals': {
    id: 'listWithdrawals',
    tag: 'Account',
    summary: 'Withdrawal history',
    answer: 'Withdrawal',
    list: true,
  },
  'POST /webhooks/configure': {
    id: 'configureWebhook',
    tag: 'Webhooks',
    summary: 'Set webhook URL',
    description: 'One URL per account; an empty one removes the webhook.',
    answer: 'WebhookConfiguration',
  },
  'GET /webhooks/logs': {
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'Webhook delivery logs',
    answer: 'WebhookLogEntry',
    list: true,
  },
  'GET /prices': { id: 'getPrices', tag: 'Energy', summary: 'Prices', answer: 'Prices' },
};
