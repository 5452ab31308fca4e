import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { escapeHtml, formatShortDay, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import type { Outcome } from '../../rental-api/client.ts';
import type { SmartModeSubscription } from '../../rental-api/schemas.ts';
import { BW_GUARANTEE_FEE_TRX, formatTrx, SAMPLE_ADDRESS } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import type { Fees, RememberedFees } from '../fees.ts';
import { isConfirmed, isUnresolved, type Operation } from '../operation.ts';
import type { History } from '../queries.ts';
import { defineKind, type Listed, type Result } from './kind.ts';

const knownFeeSchema = z.object({
  /** TRX, decimal. */
  trx: z.string(),
  /** Day (UTC) on which the service named the fee: `2025-06-01`. */
  day: z.string(),
  /** Whether the service named it to the account itself. */
  isOwn: z.boolean(),
});

const cardFeesSchema = z.object({
  daily: knownFeeSchema.optional(),
  /** Whole fee of a transfer, including BW Guarantee if it is on. */
  transfer: knownFeeSchema.optional(),
  /** Price of BW Guarantee for each transfer, in TRX (decimal). */
  guarantee: z.string(),
  /** The service's price of a single transfer, including BW Guarantee if it is on. TRX, decimal. */
  singleTransfer: z.string().optional(),
});

type KnownFee = z.infer<typeof knownFeeSchema>;

/** Fees on a card, as far as they are known when it is made. */
export type CardFees = z.infer<typeof cardFeesSchema>;

/** Request of Smart Mode. */
export const smartModeRequest = z.object({
  kind: z.literal('smart-mode'),
  action: z.enum(['start', 'pause', 'resume', 'end']),
  address: z.string(),
  label: z.string().optional(),
  /** For `start` and `resume`: whether BW Guarantee is on. */
  guarantee: z.boolean().optional(),
  /** Fees on the card of a `start` or on the receipt of a `resume`. */
  fees: cardFeesSchema.optional(),
  /** For the other actions: the id of the subscription. */
  subscription: z.number().optional(),
});

type SmartModeRequest = z.infer<typeof smartModeRequest>;

/** Wanted status after a toggle (specification, section 4, endpoint 8). */
const WANTED = { pause: 'paused', resume: 'active' } as const;

/**
 * Smart Mode (specification, section 4, endpoints 6 to 9): starts, pauses, resumes or ends a subscription.
 *
 * A repeated toggle undoes itself. So the status is read right before a toggle, and never corrected afterwards. A toggle
 * needs no card: it costs nothing, and another one undoes it.
 */
export const smartMode = defineKind<'smart-mode', SmartModeRequest>({
  name: 'smart-mode',
  request: smartModeRequest,
  sample: { kind: 'smart-mode', action: 'start', address: SAMPLE_ADDRESS, label: 'Shop', guarantee: true },
  lifetimeMs: 5 * MINUTE_MS,
  target: ({ address }) => address,
  targetText: 'smart-mode-target',
  duplicateKey: ({ action, address }) => `${action} ${address}`,
  title(words, { action, label }) {
    const title = words.html('smart-mode-title', { action });
    // Inside `<code>`, Telegram creates no links from user-written text.
    return label ? `${title} · <code>${escapeHtml(label)}</code>` : title;
  },
  shortTitle: (words, { action }) => words.plain('smart-mode-short', { action }),
  isFree: ({ action }) => action !== 'start',
  causesOngoingCosts: ({ action }) => action === 'start' || action === 'resume',
  isConfirmedByItsButton: ({ action }) => action === 'pause' || action === 'resume',
  onlyEndsCosts: ({ action }) => action === 'pause' || action === 'end',
  mayLackBalance: mayBeShort,
  terms(words, request, { balance }) {
    const terms = words.html(`smart-mode-terms-${request.action}`);
    if (request.action === 'resume')
      return paragraphs(uncoveredFeeText(words, request, balance), knownFeeLines(words, request), terms);
    if (request.action === 'end' || request.action === 'pause') return terms;
    return paragraphs(
      mayBeShort(request, balance) && words.html('smart-mode-short-of-funds'),
      feeLines(words, request),
      terms,
    );
  },
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
  namedFees({ action, guarantee }, { price: daily, transferFee }) {
    if (action !== 'start') return undefined;
    return { daily, [guarantee ? 'guaranteedTransfer' : 'transfer']: transferFee };
  },
  unchangedHeadline: (words, { action }) => words.html('smart-mode-unchanged', { action }),
  headline: (request, result) =>
    isDifferent(request, result) ? 'smart-mode-differs' : `smart-mode-is-${request.action}`,
  receipt(words, request, result, { balanceBefore }) {
    if (isDifferent(request, result)) return words.html('order-status', { status: result.status ?? '' });
    if (request.action === 'resume')
      return paragraphs(
        uncoveredFeeText(words, request, balanceBefore),
        lines(
          knownFeeLines(words, request),
          words.html('smart-mode-resumed-fee', { before: balanceBefore ?? 'none' }),
        ),
      );
    if (request.action !== 'start') return '';
    const { price: fee = 'none', transferFee: transfer = 'none' } = result;
    // The reply was lost. The fees of the card are the best known ones.
    if (fee === 'none' && transfer === 'none' && request.fees?.daily) return knownFeeLines(words, request);
    return words.html('smart-mode-now-start', { fee, transfer, guarantee: stateOfGuarantee(request) });
  },
  listButton: { text: 'button-smart-mode', data: callbackData('smart-mode', 'open') },
  listing: {
    read: (reads) => reads.subscriptions(),
    obstacle({ action, address, subscription }, listed) {
      if (action === 'start') return listed.some((one) => one.address === address) ? 'listed' : undefined;
      const present = listed.find(({ id }) => id === subscription);
      // The service doesn't list ended subscriptions.
      if (present === undefined && action === 'end') return 'unchanged';
      // The card names the address, so a subscription of another one must not be changed.
      if (present?.address !== address) return 'gone';
      return isAlready(action, present) ? 'unchanged' : undefined;
    },
    proofs,
    lock: ({ address }) => `smart-mode:${address}`,
  },
});

/**
 * Returns the fees of a subscription with or without BW Guarantee, as far as they are known. Those that the service named
 * to the account itself take precedence. `guaranteeFee`: price of BW Guarantee for each transfer, in TRX (decimal).
 */
export function knownFees(
  { own, ofAnyAccount }: RememberedFees,
  { guarantee, guaranteeFee }: { guarantee: boolean; guaranteeFee: string },
): Pick<CardFees, 'daily' | 'transfer'> {
  const from = (fees: Fees, isOwn: boolean) => ({
    daily: fees.daily && { ...fees.daily, isOwn },
    transfer: transferFee(fees, isOwn),
  });
  function transferFee({ transfer, guaranteedTransfer }: Fees, isOwn: boolean): KnownFee | undefined {
    const named = guarantee ? guaranteedTransfer : transfer;
    if (named) return { ...named, isOwn };
    // BW Guarantee adds its price to the fee of each transfer (specification, section 1).
    const other = guarantee ? transfer : guaranteedTransfer;
    const difference = new BigNumber(guarantee ? guaranteeFee : `-${guaranteeFee}`);
    return other && { ...other, isOwn, trx: formatTrx(difference.plus(other.trx)) };
  }
  const [first, second] = [from(own, true), from(ofAnyAccount, false)];
  return { daily: first.daily ?? second.daily, transfer: first.transfer ?? second.transfer };
}

type AboutFees = Pick<SmartModeRequest, 'fees' | 'guarantee'>;

function knownFeeLines(words: Words, request: AboutFees): string {
  const { daily, transfer } = request.fees ?? {};
  const guarantee = stateOfGuarantee(request);
  return lines(
    words.html('smart-mode-fee-daily', feeVariables(words, daily)),
    words.html('smart-mode-fee-transfer', { ...feeVariables(words, transfer), guarantee }),
  );
}

/** Renders which fees are known, and which the service names only after *Confirm*. */
export function feeLines(words: Words, request: AboutFees): string {
  const { daily, transfer, singleTransfer, guarantee: extra = BW_GUARANTEE_FEE_TRX } = request.fees ?? {};
  const guarantee = stateOfGuarantee(request);
  return lines(
    knownFeeLines(words, request),
    !transfer && request.guarantee && words.html('smart-mode-fee-bandwidth', { extra }),
    !transfer &&
      singleTransfer !== undefined &&
      words.html('smart-mode-fee-single', { single: singleTransfer, guarantee }),
    !(daily && transfer) && words.html('smart-mode-fees-unknown'),
  );
}

/** Returns the variables of a text about a fee. */
export function feeVariables({ language }: Words, fee: KnownFee | undefined) {
  if (fee === undefined) return { trx: 'none', day: '', of: 'own' };
  return {
    trx: fee.trx,
    day: formatShortDay(Date.parse(fee.day), language),
    of: fee.isOwn ? 'own' : 'any',
  };
}

const stateOfGuarantee = ({ guarantee }: AboutFees) => (guarantee ? 'on' : 'off');

/** Returns whether the balance is known to be empty, or lower than a known fee: at a start the daily one. */
function mayBeShort(request: SmartModeRequest, balance: string | undefined): boolean {
  const { action, fees } = request;
  if (action === 'resume') return uncoveredFee(request, balance) !== undefined;
  if (action !== 'start') return false;
  const known = new BigNumber(balance ?? Number.NaN);
  return known.lte(0) || known.lt(fees?.daily?.trx ?? 0);
}

/** Returns the lowest known fee that the balance doesn't cover, in TRX (decimal). An empty balance covers none. */
function uncoveredFee({ fees }: SmartModeRequest, balance: string | undefined): string | undefined {
  const known = new BigNumber(balance ?? Number.NaN);
  const uncovered = [fees?.daily?.trx, fees?.transfer?.trx].filter((fee) => fee && known.lt(fee));
  const [lowest] = uncovered.toSorted((one = '0', other = '0') => new BigNumber(one).comparedTo(other) ?? 0);
  return lowest ?? (known.lte(0) ? 'none' : undefined);
}

function uncoveredFeeText(words: Words, request: SmartModeRequest, balance: string | undefined) {
  const fee = uncoveredFee(request, balance);
  return fee && balance && words.html('smart-mode-resume-short', { balance, fee });
}

function activationOf({ address, label, guarantee = false }: SmartModeRequest) {
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

/** Returns whether a subscription has the status already that an action leads to. */
export function isAlready(
  action: 'pause' | 'resume' | 'end',
  { status }: Pick<SmartModeSubscription, 'status'>,
): boolean {
  return status === statusAfter(action);
}

function statusAfter(action: 'pause' | 'resume' | 'end'): string {
  return action === 'end' ? 'deactivated' : WANTED[action];
}

/** Returns whether the latest change of a subscription that these users made here was a pause, or may have been one. */
export async function isPausedByUsers(
  history: Pick<History, 'page'>,
  users: readonly number[],
  subscription: number,
): Promise<boolean> {
  const changeOf = ({ request }: Operation) => {
    const change = smartModeRequest.safeParse(request).data;
    return change?.subscription === subscription ? change.action : undefined;
  };
  const isWanted = (one: Operation) =>
    changeOf(one) !== undefined && (one.state === 'done' || isUnresolved(one));
  const pages = await Promise.all(
    users.map((user) => history.page(user, { size: 1, kind: smartMode.name, isWanted })),
  );
  const [latest] = pages
    .flatMap(({ operations }) => operations.filter(isConfirmed))
    .toSorted((one, other) => other.claimedAt - one.claimedAt);
  return latest !== undefined && changeOf(latest) === 'pause';
}
