import { z } from 'zod';
import { requireAddress } from './chain-address.ts';
import { depositRecord } from './deposit.ts';
import { type Endpoint, get, post, postWithoutBody, text, trx, whole } from './endpoint.ts';
import { invoiceRecord, newInvoiceRecord } from './invoice.ts';
import { orderRecord } from './order.ts';
import { packageTiers } from './package.ts';
import { priceList, SUBSCRIPTION_FEE, TRX_USD_RATE, transferFee, USDT_TO_TRX_RATE } from './prices.ts';
import { amount, chainAddress, decimal, recordId, timestamp, trxText, txHash } from './response-fields.ts';
import { CreatedInvoice, DepositRecord, Invoice, Subscription, Withdrawal } from './responses.ts';
import { subscriptionRecord } from './subscription.ts';
import { trxFromSun } from './sun.ts';
import { withdrawalRecord } from './withdrawal.ts';

const accountDeposit = get(
  '/account/deposit',
  {
    id: 'getDepositInfo',
    tag: 'Account',
    summary: 'Deposit address info',
    response: z
      .strictObject({
        deposit_address: chainAddress.describe("The account's personal deposit address."),
        accepted_currencies: z.array(z.enum(['TRX', 'USDT'])),
        usdt_to_trx_rate: decimal.describe('TRX credited for a USDT.'),
        trx_usd_rate: decimal,
      })
      .describe('Section 2, Deposit info.'),
  },
  ({ account }) => ({
    deposit_address: account.depositAddress,
    accepted_currencies: ['TRX', 'USDT'],
    usdt_to_trx_rate: USDT_TO_TRX_RATE,
    trx_usd_rate: TRX_USD_RATE,
  }),
);

const accountDeposits = get(
  '/account/deposits',
  { id: 'listDeposits', tag: 'Account', summary: 'Deposit history', response: DepositRecord.array() },
  ({ account, parts }) => parts.deposits.listFor(account).map(depositRecord),
);

const accountProfile = get(
  '/account/profile',
  {
    id: 'getProfile',
    tag: 'Account',
    summary: 'Account profile',
    response: z
      .strictObject({
        id: recordId,
        email: z.string(),
        chain_address: chainAddress.describe("The account's own chain address."),
        balance_trx: trxText,
        totp_enabled: z.boolean().describe('Whether 2FA is enabled.'),
        created_at: timestamp,
      })
      .describe('Section 2, Account profile.'),
  },
  ({ account }) => ({
    id: account.id,
    email: account.email,
    chain_address: account.chainAddress,
    balance_trx: trxFromSun(account.balance),
    totp_enabled: account.totpSecret !== undefined,
    created_at: new Date(account.createdAt).toISOString(),
  }),
);

/** The specification doesn't state a minimum amount. The sandbox requires one sun. */
const accountWithdrawalBody = z.object({
  to_address: text('a chain address: T and 33 more characters'),
  amount_trx: trx.refine((sun) => sun > 0n, { error: 'expected more than 0' }),
  totp_code: text('a one-time code of six digits').optional(),
});

const accountWithdrawal = post(
  '/account/withdrawal',
  {
    id: 'withdraw',
    tag: 'Account',
    summary: 'Create withdrawal',
    description:
      'Withdraws TRX to any chain address; the fee is 1 TRX. `totp_code` is required if 2FA is enabled.',
    response: Withdrawal,
    refusals: {
      400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'],
      403: ['2FA_REQUIRED', 'INVALID_2FA_CODE'],
    },
    body: accountWithdrawalBody,
    perMinute: 1,
  },
  ({ account, parts, body }) => {
    const toAddress = requireAddress(body.to_address);
    parts.secondFactor.require(account, body.totp_code);
    return withdrawalRecord(parts.withdrawals.create(account, { toAddress, amount: body.amount_trx }));
  },
);

const accountWithdrawals = get(
  '/account/withdrawals',
  { id: 'listWithdrawals', tag: 'Account', summary: 'Withdrawal history', response: Withdrawal.array() },
  ({ account, parts }) => parts.withdrawals.listFor(account).map(withdrawalRecord),
);

/** The specification doesn't list the allowed hours. The sandbox allows whole hours up to 30 days. */
const MAX_HOURS = 720;

const bandwidthBuyBody = z.object({
  address: text('a chain address: T and 33 more characters'),
  bandwidth_amount: whole(350, 100_000),
  duration_hours: whole(1, MAX_HOURS),
});

const bandwidthBuy = post(
  '/bandwidth/buy',
  {
    id: 'buyBandwidth',
    tag: 'Bandwidth',
    summary: 'Buy bandwidth',
    description: 'Delegates bandwidth to a chain address; the cost is deducted from the account balance.',
    response: z
      .strictObject({
        order_id: recordId,
        address: chainAddress.describe('Target chain address.'),
        bandwidth_amount: amount,
        duration_hours: amount.describe('Rental duration.'),
        price_trx: trxText.describe('Total cost in TRX.'),
        status: z
          .enum(['pending', 'filled', 'failed'])
          .describe('Not listed in the specification; uses the statuses of an energy order.'),
      })
      .describe('Section 2, Bandwidth order.'),
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'] },
    body: bandwidthBuyBody,
    perMinute: 30,
  },
  ({ account, parts, body }) =>
    orderRecord(
      parts.orders.buyBandwidth(account, {
        address: requireAddress(body.address),
        amount: body.bandwidth_amount,
        durationHours: body.duration_hours,
      }),
    ),
);

const energyActivateBody = z.object({ address: text('a chain address: T and 33 more characters') });

const energyActivate = post(
  '/energy/activate',
  {
    id: 'activateAddress',
    tag: 'Energy',
    summary: 'Activate a chain address',
    description: 'Activates a chain address that has never received any transaction, for 1.1 TRX.',
    response: z
      .strictObject({
        success: z.boolean(),
        tx_hash: txHash.describe('Activation transaction hash.'),
      })
      .describe('Section 4, endpoint 3.'),
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'], 409: ['ADDRESS_ALREADY_ACTIVE'] },
    body: energyActivateBody,
  },
  ({ account, parts, body }) => {
    const { hash } = parts.activation.activate(account, requireAddress(body.address));
    return { success: true, tx_hash: hash };
  },
);

const energyBuyBody = z.object({
  address: text('a chain address: T and 33 more characters'),
  energy_amount: whole(32_000, 5_000_000),
  duration_hours: z.literal([1, 24], { error: 'expected 1 or 24' }),
});

const energyBuy = post(
  '/energy/buy',
  {
    id: 'buyEnergy',
    tag: 'Energy',
    summary: 'Buy energy',
    description: 'Delegates energy to a chain address; the cost is deducted from the account balance.',
    response: z
      .strictObject({
        order_id: recordId,
        address: chainAddress.describe('Target chain address.'),
        energy_amount: amount.describe('Delegated energy.'),
        duration_hours: z.literal([1, 24]).describe('Rental duration.'),
        price_trx: trxText.describe('Total cost in TRX.'),
        status: z.enum(['pending', 'filled', 'failed']),
      })
      .describe('Section 2, Energy order.'),
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'] },
    body: energyBuyBody,
    perMinute: 30,
  },
  ({ account, parts, body }) =>
    orderRecord(
      parts.orders.buyEnergy(account, {
        address: requireAddress(body.address),
        amount: body.energy_amount,
        durationHours: body.duration_hours,
      }),
    ),
);

const ENERGY_PER_TRANSFER = 65_000;

/** The limits of `energy_amount` don't apply to the energy of `transfer_count`: 100 transfers exceed the maximum. */
const invoicesCreateBody = z
  .object({
    address: text('a chain address: T and 33 more characters'),
    energy_amount: whole(32_000, 5_000_000).optional(),
    transfer_count: whole(1, 100).optional(),
    duration_hours: z.literal([1, 24], { error: 'expected 1 or 24' }),
  })
  .transform(({ energy_amount, transfer_count, ...rest }, context) => {
    if (energy_amount !== undefined && transfer_count === undefined) return { ...rest, energy_amount };
    if (energy_amount === undefined && transfer_count !== undefined) {
      return { ...rest, energy_amount: transfer_count * ENERGY_PER_TRANSFER };
    }
    context.addIssue('expected energy_amount or transfer_count, and only one of them');
    return z.NEVER;
  });

const invoicesCreate = post(
  '/invoices',
  {
    id: 'createInvoice',
    tag: 'Invoices',
    summary: 'Create invoice',
    description:
      'Requires either `energy_amount` or `transfer_count`; each transfer equals 65,000 energy. The invoice expires after 30 minutes.',
    response: CreatedInvoice,
    refusals: { 400: ['INVALID_ADDRESS'] },
    body: invoicesCreateBody,
    perMinute: 20,
  },
  ({ account, parts, body }) =>
    newInvoiceRecord(
      parts.invoices.create(account, {
        address: requireAddress(body.address),
        energyAmount: body.energy_amount,
        durationHours: body.duration_hours,
      }),
    ),
);

const invoicesGet = get(
  '/invoices/{invoice_id}',
  {
    id: 'getInvoice',
    tag: 'Invoices',
    summary: 'Get invoice',
    response: Invoice,
    refusals: { 404: ['INVOICE_NOT_FOUND'] },
  },
  ({ account, parts, params }) => invoiceRecord(parts.invoices.find(params.invoice_id, account)),
);

const byDuration = z.strictObject({ '1h': decimal, '24h': decimal });

const prices = get(
  '/prices',
  {
    id: 'getPrices',
    tag: 'Energy',
    summary: 'Prices',
    response: z
      .strictObject({
        energy_sun: byDuration.describe('Price in sun per unit of energy.'),
        energy_trx: byDuration.describe('Price in TRX of `energy_volume`.'),
        energy_usd: byDuration,
        energy_volume: amount,
        bandwidth_trx: byDuration.describe('Price in TRX of `bandwidth_volume`.'),
        bandwidth_usd: byDuration,
        bandwidth_volume: amount,
        trx_usd_rate: decimal,
        burn_cost_trx: decimal.describe('Cost of the same energy if TRX is burnt for it.'),
        savings_percent: z.int(),
      })
      .describe('Not shown in the specification (section 4, gaps).'),
  },
  ({ parts }) => priceList(parts.world.state.energyPrices),
);

const MAX_LABEL_LENGTH = 64;

const label = text('a text of at most 64 characters').max(MAX_LABEL_LENGTH, {
  error: 'expected at most 64 characters',
});

const smartModeActivateBody = z.object({
  address: text('a chain address: T and 33 more characters'),
  /** null means no label, as in the response. */
  label: label.nullish(),
  bw_guarantee: z.boolean({ error: 'expected true or false' }).default(true),
});

const smartModeActivate = post(
  '/smart-mode/activate',
  {
    id: 'activateSmartMode',
    tag: 'Smart Mode',
    summary: 'Create Smart Mode subscription',
    description:
      'Starts automatic energy delivery for an address; the first daily fee is charged immediately.',
    response: Subscription.extend({
      subscription_fee_trx: trxText.describe('Daily fee; the first one is charged on activation.'),
      transfer_fee_trx: trxText.describe('Fee per transfer.'),
    }).describe('Section 2, Smart Mode subscription, as returned by its activation.'),
    refusals: {
      400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'],
      409: ['SMART_MODE_CONFLICT', 'PACKAGE_CONFLICT'],
    },
    body: smartModeActivateBody,
    perMinute: 10,
  },
  ({ account, parts, body }) => {
    const subscription = parts.smartMode.activate(account, {
      address: requireAddress(body.address),
      label: body.label ?? null,
      bwGuarantee: body.bw_guarantee,
    });
    return {
      ...subscriptionRecord(subscription),
      subscription_fee_trx: trxFromSun(SUBSCRIPTION_FEE),
      transfer_fee_trx: trxFromSun(transferFee(subscription.bwGuarantee)),
    };
  },
);

const smartModeDeactivate = postWithoutBody(
  '/smart-mode/{subscription_id}/deactivate',
  {
    id: 'deactivateSubscription',
    tag: 'Smart Mode',
    summary: 'Deactivate permanently',
    response: z
      .strictObject({
        id: recordId,
        address: chainAddress,
        status: z.literal('deactivated'),
        message: z.string(),
      })
      .describe('Section 4, endpoint 9.'),
    refusals: { 404: ['SUBSCRIPTION_NOT_FOUND'], 409: ['INVALID_STATE'] },
  },
  ({ account, parts, params }) => {
    const { id, address, status } = parts.smartMode.deactivate(account, params.subscription_id);
    return { id, address, status, message: `Smart Mode has ended for ${address}` };
  },
);

const smartModeSubscriptions = get(
  '/smart-mode/subscriptions',
  {
    id: 'listSubscriptions',
    tag: 'Smart Mode',
    summary: 'List subscriptions',
    description: 'All active and paused subscriptions.',
    response: Subscription.array(),
  },
  ({ account, parts }) => parts.smartMode.listFor(account).map(subscriptionRecord),
);

const smartModeToggle = postWithoutBody(
  '/smart-mode/{subscription_id}/toggle',
  {
    id: 'toggleSubscription',
    tag: 'Smart Mode',
    summary: 'Pause or resume',
    description: 'Pauses an active subscription, resumes a paused one; no fee is charged while paused.',
    response: Subscription,
    refusals: {
      400: ['INSUFFICIENT_BALANCE'],
      404: ['SUBSCRIPTION_NOT_FOUND'],
      409: ['INVALID_STATE', 'PACKAGE_CONFLICT'],
    },
  },
  ({ account, parts, params }) => subscriptionRecord(parts.smartMode.toggle(account, params.subscription_id)),
);

const transferPackagesTiers = get(
  '/transfer-packages/tiers',
  {
    id: 'getPackageTiers',
    tag: 'Transfer packages',
    summary: 'Package tiers',
    response: z
      .strictObject({
        tiers: z.array(
          z.strictObject({
            size: amount.describe('Number of transfers.'),
            price_trx: trxText.describe('Total price.'),
          }),
        ),
        single_transfer_price: trxText.describe('TRX per single transfer.'),
        bw_fee_per_transfer: trxText.describe('BW Guarantee fee per transfer, TRX.'),
        min_custom_size: z.literal(1),
        max_custom_size: z.literal(10_000),
      })
      .describe('Section 2, Transfer package tiers.'),
  },
  packageTiers,
);

const EXPECTED = 'an HTTPS URL (http on loopback only), or an empty string to remove the webhook';

const webhooksConfigureBody = z.object({
  url: text(EXPECTED).refine((url) => url === '' || isWebhookUrl(url), { error: `expected ${EXPECTED}` }),
});

const webhooksConfigure = post(
  '/webhooks/configure',
  {
    id: 'configureWebhook',
    tag: 'Webhooks',
    summary: 'Set webhook URL',
    description: 'One URL per account; an empty one removes the webhook.',
    response: z
      .strictObject({
        url: z.string().describe('Empty if the webhook was removed.'),
        secret: z.string().describe('Key of the delivery signatures; changes with each URL.'),
        active: z.boolean(),
        created_at: timestamp,
      })
      .describe('Section 2, Webhook configuration.'),
    body: webhooksConfigureBody,
  },
  ({ account, parts, body }) => {
    const webhook = parts.webhooks.configure(account, body.url);
    return {
      url: webhook?.url ?? '',
      secret: webhook?.secret ?? '',
      active: webhook !== undefined,
      created_at: new Date(parts.world.clock.now()).toISOString(),
    };
  },
);

function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  );
}

const webhooksLogs = get(
  '/webhooks/logs',
  {
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'Webhook delivery logs',
    response: z
      .strictObject({
        id: recordId,
        event_type: z.string().describe('Event that triggered the webhook.'),
        payload: z.record(z.string(), z.unknown()).describe('Data that was sent.'),
        response_status: z.int().min(0).describe('HTTP status of the response; 0 if there was none.'),
        attempts: z.int().min(0).describe('Number of delivery attempts.'),
        created_at: timestamp,
      })
      .describe('Section 2, Webhook log entry.')
      .array(),
  },
  ({ account, parts }) =>
    parts.webhooks.logOf(account).map((entry) => ({
      id: entry.id,
      event_type: entry.eventType,
      payload: entry.payload,
      response_status: entry.responseStatus,
      attempts: entry.attempts,
      created_at: new Date(entry.createdAt).toISOString(),
    })),
);

/** All endpoints of the sandbox. */
export const endpoints: readonly Endpoint[] = [
  energyBuy,
  bandwidthBuy,
  energyActivate,
  invoicesCreate,
  invoicesGet,
  smartModeActivate,
  smartModeSubscriptions,
  smartModeToggle,
  smartModeDeactivate,
  transferPackagesTiers,
  accountProfile,
  accountDeposit,
  accountDeposits,
  accountWithdrawal,
  accountWithdrawals,
  prices,
  webhooksConfigure,
  webhooksLogs,
];
