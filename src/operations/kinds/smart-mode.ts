import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { escapeHtml } from '../../i18n/texts.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import type { Outcome } from '../../rental-api/client.ts';
import type { SmartModeSubscription } from '../../rental-api/schemas.ts';
import { BW_GUARANTEE_FEE_TRX, formatTrx, SAMPLE_ADDRESS } from '../../rental-api/tron.ts';
import { defineKind, type Listed, type Result } from './kind.ts';

const smartModeRequest = z.object({
  kind: z.literal('smart-mode'),
  action: z.enum(['start', 'pause', 'resume', 'end']),
  address: z.string(),
  label: z.string().optional(),
  /** For `start`: whether BW Guarantee is on. */
  guarantee: z.boolean().optional(),
  /** For `start`: the last known fee for each transfer, in TRX (decimal). */
  transferFee: z.string().optional(),
  /** For `start` without a known fee: the service's price of a single transfer, in TRX (decimal). */
  listedFee: z.string().optional(),
  /** For `start`: the service's price of BW Guarantee for each transfer, in TRX (decimal). */
  guaranteeFee: z.string().optional(),
  /** For the other actions: the id of the subscription. */
  subscription: z.number().optional(),
});

type SmartModeRequest = z.infer<typeof smartModeRequest>;

/** Wanted status after a toggle (specification, section 4, endpoint 8). */
const WANTED = { pause: 'paused', resume: 'active' } as const;

/**
 * Smart Mode (specification, section 4, endpoints 6 to 9): starts, pauses, resumes or ends a subscription.
 *
 * A repeated toggle undoes itself. So the status is read right before a toggle, and never corrected afterwards.
 */
export const smartMode = defineKind<'smart-mode', SmartModeRequest>({
  name: 'smart-mode',
  request: smartModeRequest,
  sample: { kind: 'smart-mode', action: 'start', address: SAMPLE_ADDRESS, label: 'Shop', guarantee: true },
  lifetimeMs: 5 * MINUTE_MS,
  target: ({ address }) => address,
  duplicateKey: ({ action, address }) => `${action} ${address}`,
  title(words, { action, label }) {
    const title = words.html('smart-mode-title', { action });
    // Inside `<code>`, Telegram creates no links from user-written text.
    return label ? `${title} · <code>${escapeHtml(label)}</code>` : title;
  },
  shortTitle: (words, { action }) => words.plain('smart-mode-short', { action }),
  isFree: ({ action }) => action !== 'start',
  causesOngoingCosts: ({ action }) => action === 'start' || action === 'resume',
  terms: (words, { action, guarantee, transferFee, listedFee, guaranteeFee }, { estimate }) =>
    words.html(`smart-mode-terms-${action}`, {
      fee: estimate ?? 'none',
      transfer: transferFee ?? 'none',
      listed: listedFee ?? 'none',
      guarantee: guarantee ? 'on' : 'off',
      extra: guaranteeFee ?? BW_GUARANTEE_FEE_TRX,
    }),
  async send(rental, apiKey, request) {
    const { action, subscription = 0 } = request;
    if (action === 'start') return started(await rental.activateSmartMode(apiKey, activationOf(request)));
    const outcome =
      action === 'end'
        ? await rental.deactivateSubscription(apiKey, { subscription_id: subscription })
        : await rental.toggleSubscription(apiKey, { subscription_id: subscription });
    if (outcome.kind !== 'accepted') return outcome;
    const { id, address, status } = outcome.value;
    if (id !== subscription || address !== request.address) {
      return { kind: 'unknown', reason: 'mismatch', message: 'the reply is about another subscription' };
    }
    return { kind: 'accepted', value: { status } };
  },
  namespace: 'smart-mode',
  priced: ({ action, guarantee }) =>
    action === 'start' ? { amount: 1, hours: 24, variant: variantOf(guarantee) } : undefined,
  headline: (request, result) =>
    isDifferent(request, result) ? 'smart-mode-differs' : `smart-mode-is-${request.action}`,
  receipt(words, request, result) {
    if (isDifferent(request, result)) return words.html('smart-mode-status', { status: result.status ?? '' });
    if (request.action !== 'start') return '';
    const { price: fee = 'none', transferFee: transfer = 'none' } = result;
    return words.html('smart-mode-now-start', { fee, transfer });
  },
  listing: {
    read: (reads) => reads.subscriptions(),
    obstacle({ action, address, subscription }, listed) {
      if (action === 'start') return listed.some((one) => one.address === address) ? 'listed' : undefined;
      const present = listed.find(({ id }) => id === subscription);
      // The card names the address, so a subscription of another one must not be changed.
      if (present?.address !== address) return 'gone';
      return present.status === statusAfter(action) ? 'unchanged' : undefined;
    },
    proofs,
    lock: ({ address }) => `smart-mode:${address}`,
  },
});

/** Returns the price variant. Fees with BW Guarantee say nothing about fees without it. */
export function variantOf(guarantee = true): string {
  return guarantee ? 'guaranteed' : 'bare';
}

function activationOf({ address, label, guarantee = true }: SmartModeRequest) {
  return { address, bw_guarantee: guarantee, ...(label && { label }) };
}

function started(outcome: Outcome<SmartModeSubscription>): Outcome<Result> {
  if (outcome.kind !== 'accepted') return outcome;
  const { id, subscription_fee_trx, transfer_fee_trx } = outcome.value;
  return {
    kind: 'accepted',
    value: { order: id, price: trx(subscription_fee_trx), transferFee: trx(transfer_fee_trx) },
  };
}

function trx(amount: string | undefined): string | undefined {
  return amount === undefined ? undefined : formatTrx(new BigNumber(amount));
}

/** Returns a proof if the list shows the wanted state. Until then the request may still be executed. */
function proofs(
  { action, address, subscription }: SmartModeRequest,
  listed: readonly Listed[],
  { before }: { before: readonly number[] | undefined },
): Result[] {
  if (action === 'start') {
    // Without the ids before the request, a listed subscription may be an old one.
    if (before === undefined) return [];
    return listed
      .filter((one) => one.address === address && !before.includes(one.id))
      .map(({ id }) => ({ order: id }));
  }
  const present = listed.find(({ id }) => id === subscription);
  if (present !== undefined && present.address !== address) return [];
  const status = present?.status ?? 'deactivated';
  return status === statusAfter(action) ? [{ status }] : [];
}

/** Returns whether the service did something else than was requested. */
function isDifferent({ action }: SmartModeRequest, { status }: Result): boolean {
  return action !== 'start' && status !== statusAfter(action);
}

function statusAfter(action: 'pause' | 'resume' | 'end'): string {
  return action === 'end' ? 'deactivated' : WANTED[action];
}
