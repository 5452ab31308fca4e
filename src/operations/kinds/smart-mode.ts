import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import type { TextKey } from '../../i18n/keys.ts';
import { escapeHtml } from '../../i18n/texts.ts';
import { formatTrx } from '../../rental-api/amounts.ts';
import type { Outcome } from '../../rental-api/http.ts';
import { BW_GUARANTEE_FEE_TRX } from '../../rental-api/limits.ts';
import type { SmartModeSubscription } from '../../rental-api/schemas.ts';
import { defineKind, type Listed, type Result } from './kind.ts';

const smartModeRequest = z.object({
  kind: z.literal('smart-mode'),
  action: z.enum(['start', 'pause', 'resume', 'end']),
  address: z.string(),
  label: z.string().optional(),
  /** Of what is started: BW Guarantee. */
  guarantee: z.boolean().optional(),
  /** TRX, decimal, of what is started: the fee for each transfer, as it was last. */
  transferFee: z.string().optional(),
  /** Of what is there: its number. */
  subscription: z.number().optional(),
});

type SmartModeRequest = z.infer<typeof smartModeRequest>;

const STATUS = new Map<string, TextKey>([
  ['active', 'smart-mode-active'],
  ['paused', 'smart-mode-paused'],
  ['deactivated', 'smart-mode-deactivated'],
]);

/** The status that a toggle is to lead to (specification, section 4, endpoint 8). */
const WANTED = { pause: 'paused', resume: 'active' } as const;

/**
 * Smart Mode (specification, section 4, endpoints 6 to 9): it is started, paused and resumed, and ended for good. A
 * toggle that is repeated takes itself back: so the state is read right before it, and never corrected afterwards.
 */
export const smartMode = defineKind<'smart-mode', SmartModeRequest>({
  name: 'smart-mode',
  request: smartModeRequest,
  lifetimeMs: 5 * 60_000,
  target: ({ address }) => address,
  likeness: ({ action, address }) => `${action} ${address}`,
  title(words, { action, label }) {
    const title = words.html('smart-mode-title', { action });
    // As code, within which Telegram makes no links of what somebody wrote.
    return label ? `${title} · <code>${escapeHtml(label)}</code>` : title;
  },
  isFree: ({ action }) => action !== 'start',
  isOngoing: ({ action }) => action === 'start' || action === 'resume',
  terms: (words, { action, guarantee, transferFee }, { estimate }) =>
    words.html(`smart-mode-terms-${action}`, {
      fee: estimate ?? 'none',
      transferFee: transferFee ?? 'none',
      guarantee: guarantee ? 'on' : 'off',
      extra: BW_GUARANTEE_FEE_TRX,
    }),
  async send(rental, apiKey, request) {
    const { action, subscription = 0 } = request;
    if (action === 'start') return started(await rental.activateSmartMode(apiKey, activationOf(request)));
    const outcome =
      action === 'end'
        ? await rental.deactivateSubscription(apiKey, subscription)
        : await rental.toggleSubscription(apiKey, subscription);
    if (outcome.kind !== 'accepted') return outcome;
    const { id, status } = outcome.value;
    if (id !== subscription) {
      return { kind: 'unknown', reason: 'mismatch', message: 'the answer is about another subscription' };
    }
    return { kind: 'accepted', value: { status } };
  },
  statusText: (status) => STATUS.get(status),
  numbering: 'smart-mode',
  priced: ({ action, guarantee }) =>
    action === 'start' ? { amount: 1, hours: 24, variant: variantOf(guarantee) } : undefined,
  headline: ({ action }, { status }) =>
    action !== 'start' && status !== statusAfter(action) ? 'smart-mode-differs' : undefined,
  listing: {
    read: (rental, apiKey) => rental.subscriptions(apiKey),
    obstacle({ action, address, subscription }, listed) {
      if (action === 'start') return listed.some((one) => one.address === address) ? 'listed' : undefined;
      const present = listed.find(({ id }) => id === subscription);
      if (present === undefined) return 'gone';
      return present.status === statusAfter(action) ? 'unchanged' : undefined;
    },
    proofs,
    lock: ({ address }) => `smart-mode:${address}`,
  },
});

/** Fees of one with BW Guarantee say nothing of one without. */
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

/** Only what was wished for proves anything: as long as it was before, the request may still be carried out. */
function proofs(
  { action, address, subscription }: SmartModeRequest,
  listed: readonly Listed[],
  { before }: { before: readonly number[] | undefined },
): Result[] {
  if (action === 'start') {
    // One that was there before proves nothing.
    if (before === undefined) return [];
    return listed
      .filter((one) => one.address === address && !before.includes(one.id))
      .map(({ id }) => ({ order: id }));
  }
  const status = listed.find(({ id }) => id === subscription)?.status ?? 'deactivated';
  return status === statusAfter(action) ? [{ status }] : [];
}

function statusAfter(action: 'pause' | 'resume' | 'end'): string {
  return action === 'end' ? 'deactivated' : WANTED[action];
}
