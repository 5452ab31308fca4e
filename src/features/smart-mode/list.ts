import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import type { TextKey } from '../../i18n/keys.ts';
import { escapeHtml, formatMoment, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import type { RememberedFees } from '../../operations/fees.ts';
import {
  type CardFees,
  feeLines,
  feeVariables,
  isPausedByUsers,
  knownFees,
  smartMode,
} from '../../operations/kinds/smart-mode.ts';
import type { DoneOperation } from '../../operations/operation.ts';
import type { Operations } from '../../operations/operations.ts';
import { utcDay } from '../../platform/clock.ts';
import type { AccountReads } from '../../rental-api/account-reader.ts';
import type { Outcome } from '../../rental-api/client.ts';
import type { SmartModeSubscription } from '../../rental-api/schemas.ts';
import { BW_GUARANTEE_FEE_TRX, formatTrx } from '../../rental-api/tron.ts';
import type { ServedTransfer } from '../../rental-api/webhook.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withMenuButton } from '../../views/view.ts';
import { servedTransfers } from '../views/served-transfers.ts';

const NAME = smartMode.name;
/** Maximum number of subscriptions on the list. Each one has a row of buttons. */
const MAX_SHOWN = 10;
/** Maximum number of ended subscriptions below them. */
const MAX_ENDED = 2;
/** Number of the user's latest changes of Smart Mode that are searched for ended subscriptions. */
const CHANGES_READ = 10;

export type Action = 'pause' | 'resume' | 'end';

export interface SubscriptionList {
  subscriptions: readonly SmartModeSubscription[];
  /** Transfers of the account that its webhook log contains. `undefined` if the log can't be read. */
  transfers: readonly ServedTransfer[] | undefined;
}

/** Reads the subscriptions and, if the service responds in time, the charges of their transfers. */
export async function readList(reads: AccountReads): Promise<Outcome<SubscriptionList>> {
  const [listed, transfers] = await Promise.all([reads.subscriptions(), servedTransfers(reads)]);
  if (listed.kind !== 'accepted') return listed;
  return { kind: 'accepted', value: { subscriptions: listed.value, transfers } };
}

/**
 * Renders a list of an account's subscriptions, with their fees and charges as far as they are known. `heading`: text
 * above the list.
 */
export async function listView(
  words: Words,
  { subscriptions, transfers }: SubscriptionList,
  about: {
    operations: Pick<Operations, 'fees' | 'findByOrder' | 'history'>;
    user: number;
    account: number;
    /** Users with this account. */
    holders: readonly number[];
    heading: TextKey;
  },
): Promise<View> {
  const { operations, account, heading } = about;
  const shown = subscriptions.slice(0, MAX_SHOWN);
  const remembered = await operations.fees.recall(account, NAME);
  const entries = await Promise.all(
    shown.map(async (one, at) => {
      const { start, fees } = await feesOf(one, { operations, account, remembered });
      const isPausedHere =
        one.status !== 'paused' || (await isPausedByUsers(operations.history, about.holders, one.id));
      const status = isPausedHere ? one.status : 'paused-elsewhere';
      const charged = chargedSoFar(one, start, transfers);
      return entry(words, { ...one, status }, { at, fees, charged, isPaused: one.status === 'paused' });
    }),
  );
  const ended = await endedEntries(words, transfers, about);
  const guaranteeFee = BW_GUARANTEE_FEE_TRX;
  const fees = knownFees(remembered, { guarantee: false, guaranteeFee });
  const html = paragraphs(
    words.html(heading),
    // An entry shows its own fees.
    shown.length === 0 && feeLines(words, { fees: { ...fees, guarantee: guaranteeFee } }),
    ...entries,
    subscriptions.length > MAX_SHOWN && words.html('list-more', { count: subscriptions.length - MAX_SHOWN }),
    shown.length === 0 && words.html('smart-mode-none', { ended: ended.length > 0 ? 'yes' : 'no' }),
    ...ended,
    shown.length + ended.length > 0 &&
      words.html('smart-mode-charged-note', { transfers: transfers ? 'read' : 'unread' }),
  );
  const start = [button(words, 'button-smart-mode-start', callbackData(NAME, 'start'), 'primary')];
  return withMenuButton(words, html, ...shown.map((one, at) => rowOf(words, one, at)), start);
}

/** Renders the subscriptions that the user ended last through the bot. The service doesn't list ended ones. */
async function endedEntries(
  words: Words,
  transfers: SubscriptionList['transfers'],
  about: { operations: Pick<Operations, 'findByOrder' | 'history'>; user: number; account: number },
): Promise<string[]> {
  const { operations, user, account } = about;
  const latest = await operations.history.page(user, { size: CHANGES_READ, after: undefined, kind: NAME });
  const ended = latest.operations.flatMap((operation) => {
    const request = smartMode.request.safeParse(operation.request).data;
    if (request?.action !== 'end' || request.subscription === undefined) return [];
    if (operation.state !== 'done' || operation.account !== account) return [];
    return [{ id: request.subscription, address: request.address, at: operation.settledAt }];
  });
  return Promise.all(
    ended.slice(0, MAX_ENDED).map(async ({ id, address, at }) => {
      const found = await operations.findByOrder({ account, namespace: NAME, order: id });
      const start = found?.state === 'done' ? found : undefined;
      const trx = chargedSoFar({ id, address, created_at: undefined }, start, transfers) ?? 'none';
      return lines(
        words.html('smart-mode-ended', { at: formatMoment(at, words.language) }),
        `<code>${escapeHtml(address)}</code>`,
        words.html('smart-mode-entry-charged', { trx }),
      );
    }),
  );
}

type EntryFees = Pick<CardFees, 'daily' | 'transfer'>;

/** Returns a subscription's fees as far as they are known, and the operation that started it, if the bot did. */
export async function feesOf(
  { id, bw_guarantee: guarantee }: SmartModeSubscription,
  about: { operations: Pick<Operations, 'findByOrder'>; account: number; remembered: RememberedFees },
): Promise<{ start: DoneOperation | undefined; fees: EntryFees }> {
  const { operations, account, remembered } = about;
  const found = await operations.findByOrder({ account, namespace: NAME, order: id });
  const start = found?.state === 'done' ? found : undefined;
  const known = knownFees(remembered, { guarantee, guaranteeFee: BW_GUARANTEE_FEE_TRX });
  return { start, fees: { ...known, ...feesOfStart(start) } };
}

/** Returns the fees that the service named when the bot started the subscription. */
function feesOfStart(start: DoneOperation | undefined): EntryFees {
  if (start === undefined) return {};
  const { attempt, result } = start;
  const { price, transferFee } = result;
  const named = { day: utcDay(attempt.sentAt), isOwn: true };
  return {
    ...(price !== undefined && { daily: { trx: price, ...named } }),
    ...(transferFee !== undefined && { transfer: { trx: transferFee, ...named } }),
  };
}

type ChargedSubscription = Pick<SmartModeSubscription, 'id' | 'address' | 'created_at'>;

/**
 * Returns the least that a subscription was charged, in TRX (decimal): the first day if the bot started it, and the
 * reported transfers. The service reports no later daily fees. `undefined` if nothing is known.
 */
function chargedSoFar(
  subscription: ChargedSubscription,
  start: DoneOperation | undefined,
  transfers: SubscriptionList['transfers'] = [],
): string | undefined {
  const own = transfers.filter((one) => isOf(one, subscription)).map(({ feeTrx }) => feeTrx);
  const first = start?.result.price;
  const charges = first === undefined ? own : [first, ...own];
  return charges.length === 0 ? undefined : formatTrx(BigNumber.sum(...charges));
}

/** An event without a subscription id counts if it has the subscription's address and isn't older. */
function isOf(
  { subscription, address, at }: ServedTransfer,
  { id, address: watched, created_at: since }: ChargedSubscription,
): boolean {
  if (subscription !== undefined) return subscription === id;
  return address === watched && since !== undefined && Date.parse(at) >= Date.parse(since);
}

function entry(
  words: Words,
  { status, label, address, bw_guarantee: guarantee }: SmartModeSubscription,
  about: { at: number; fees: EntryFees; charged: string | undefined; isPaused: boolean },
): string {
  const { at, fees, charged, isPaused } = about;
  return lines(
    words.html('smart-mode-entry', { number: at + 1, status, guarantee: guarantee ? 'on' : 'off' }),
    label ? `<code>${escapeHtml(label)}</code>` : undefined,
    `<code>${escapeHtml(address)}</code>`,
    words.html('smart-mode-entry-daily', feeVariables(words, fees.daily)),
    words.html('smart-mode-entry-transfer', feeVariables(words, fees.transfer)),
    words.html('smart-mode-entry-charged', { trx: charged ?? 'none' }),
    isPaused && words.html('smart-mode-entry-resume', { trx: fees.daily?.trx ?? 'none' }),
  );
}

function rowOf(words: Words, { id, status }: SmartModeSubscription, at: number): InlineKeyboardButton[] {
  const action = (name: Action) => ({
    text: words.plain(`button-${name}`, { number: at + 1 }),
    callback_data: callbackData(NAME, name, id),
  });
  if (status === 'active') return [action('pause'), action('end')];
  return status === 'paused' ? [action('resume'), action('end')] : [action('end')];
}
