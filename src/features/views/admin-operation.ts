import { BigNumber } from 'bignumber.js';
import type { BotContext } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import type { TextKey } from '../../i18n/keys.ts';
import {
  formatAmount,
  formatDay,
  formatTimeWithSeconds,
  lines,
  paragraphs,
  type Words,
} from '../../i18n/texts.ts';
import { arrivedText, priceText, transactionText } from '../../invoices/card.ts';
import {
  type Invoice,
  isStatusKnown,
  listedStateOf,
  reportedStatus,
  wasPaid,
} from '../../invoices/invoice.ts';
import { headline, refundText, refusalText, targetLine } from '../../operations/card.ts';
import { leftWithoutOthers, priceSeen } from '../../operations/evidence.ts';
import type { Kinds, OperationKind } from '../../operations/kinds/kind.ts';
import {
  type Attempted,
  type ConfirmedOperation,
  decisionOf,
  isConfirmed,
  isSame,
  isUncertain,
  isUnresolved,
  isUpToDate,
  type Operation,
  type OperationRef,
  wasSent,
} from '../../operations/operation.ts';
import { orderStateOf } from '../../operations/order-state.ts';
import { nextSearchAt } from '../../operations/recovery.ts';
import { orTimeout } from '../../platform/async.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { callbackData } from '../../views/callback-data.ts';
import { explorerLinks } from '../../views/explorer-links.ts';
import { button, type View, withAdminButtons } from '../../views/view.ts';
import { resultsRow } from './search-results.ts';

const STATUS_LENGTH = 32;
/** Latest chats that are named of those that opened an invoice. */
const MAX_CHATS = 5;
const OPERATOR_TIMEOUT_MS = 1_500;

/** Name of the feature whose buttons open this view. */
export const UNRESOLVED = 'unresolved';

const REF_SEPARATOR = '_';

/** Returns the argument of a button about an operation. */
export function buttonArgumentOf({ user, id }: OperationRef): string {
  return `${user}${REF_SEPARATOR}${id}`;
}

/** Returns the operation that a button's argument names. */
export function refOfButtonArgument(argument: string): OperationRef {
  const [user, id = ''] = argument.split(REF_SEPARATOR);
  return { user: Number(user), id };
}

/** Shows admins an operation: request, outcome, refund, evidence, and the messages that its user got. */
export async function adminOperationView(
  deps: FeatureDeps,
  ctx: BotContext,
  operation: Operation,
): Promise<View> {
  const { words } = ctx;
  const { operations, invoices, links, supportUrl, now } = deps;
  const { kinds } = operations;
  const { user, request, state } = operation;
  const kind = kinds.of(request);
  const [operators, apiKey, undelivered, invoice] = await Promise.all([
    operatorNumber(deps),
    links.keyToFollow(operation),
    operations.undelivered(user),
    kind.isTrackedElsewhere ? invoices.read(operation) : undefined,
  ]);
  const isUndelivered = undelivered.some((ref) => isSame(ref, operation));
  const html = paragraphs(
    operationTitle(words, { kinds, operators, now: now() }, operation, invoice),
    lines(outcomeLines(words, kind, operation, now()), invoice && invoiceLines(words, invoice)),
    refundLines(words, kind, operation, { supportUrl, now: now() }),
    historyLines(words, kind, operation),
    wasSent(operation) &&
      evidenceLines(words, operation, {
        hasList: kind.listing !== undefined,
        isSearched: apiKey !== undefined,
      }),
    isUncertain(operation) &&
      !kind.isTrackedElsewhere &&
      explorerLinks(words, { address: kind.target(request) }),
    isUncertain(operation) && apiKey === undefined && words.html('admin-operation-no-key'),
    isConfirmed(operation) && messageLines(words, operation, { isUndelivered, invoice, now: now() }),
    words.html('admin-operation-log', { id: operation.id }),
    words.html('events-as-of', { time: formatTimeWithSeconds(now()) }),
  );
  const to = (key: TextKey, name: string) =>
    button(words, key, callbackData(UNRESOLVED, name, buttonArgumentOf(operation)));
  const isOpen = isUncertain(operation);
  // A check shows the page again, too.
  const canBeChecked = state === 'sent' || (isOpen && apiKey !== undefined);
  return withAdminButtons(
    words,
    html,
    canBeChecked ? [to('button-check-again', 'ask')] : [],
    isOpen ? [to('button-went-through', 'went'), to('button-did-not', 'failed')] : [],
    [
      ...(canBeChecked ? [] : [to('button-refresh', 'one')]),
      ...(isOpen || decisionOf(operation)
        ? [button(words, 'button-unresolved-all', callbackData(UNRESOLVED, 'open'))]
        : []),
    ],
    [
      button(words, 'button-operation-user', callbackData('people', 'one', user)),
      button(words, 'button-person', callbackData('people', 'find')),
    ],
    resultsRow(ctx),
  );
}

/** Renders what an operation is: its reference, status, title, address, user and estimate. An invoice has its own status. */
export function operationTitle(
  words: Words,
  { kinds, operators, now }: { kinds: Kinds; operators: number | undefined; now: number },
  operation: Operation,
  invoice?: Invoice,
): string {
  const { id, request, estimate } = operation;
  const kind = kinds.of(request);
  return lines(
    words.html('admin-operation-title', { id }),
    invoice ? words.html(`invoices-${listedStateOf(invoice, now)}`) : headline(words, kind, operation, now),
    kind.title(words, request),
    targetLine(words, kind, request),
    holderLine(words, operation, operators),
    estimate !== undefined && words.html('operation-estimate', { estimate, former: 'none' }),
  );
}

/** Renders the outcome with its price, order, delivery and balance, or why the operation was refused. */
function outcomeLines(words: Words, kind: OperationKind, operation: Operation, now: number): string {
  if (operation.state === 'refused') {
    const { refusal, decided } = operation;
    return decided
      ? ''
      : lines(words.html('admin-operation-refused', { code: refusal.code }), refusalText(words, operation));
  }
  if (operation.state !== 'done') return '';
  const { attempt, result, search, decided } = operation;
  const { order, price, status, delivered, deliveredAt, txHash, balanceLeft } = result;
  const isOver = orderStateOf(kind, operation, now) === 'over';
  return lines(
    order !== undefined &&
      (kind.isTrackedElsewhere
        ? words.html('invoice-number', { number: String(order) })
        : words.html('operation-order', { order: String(order) })),
    price !== undefined && words.html(decided ? 'admin-operation-fell' : 'operation-price', { price }),
    // The evidence of a search has the balances, too.
    !kind.isTrackedElsewhere &&
      (balanceLeft !== undefined || (attempt.balanceBefore !== undefined && search === undefined)) &&
      words.html('admin-operation-balance', {
        before: attempt.balanceBefore ?? '–',
        after: balanceLeft ?? '–',
      }),
    status !== undefined &&
      words.html('admin-operation-delivery', {
        status: isOver && status === 'pending' ? 'unseen' : toPrintable(status, STATUS_LENGTH),
      }),
    delivered !== undefined && words.html('admin-operation-part', { delivered }),
    deliveredAt !== undefined &&
      words.html('admin-operation-delivered', { time: timeOf(words, deliveredAt) }),
    txHash !== undefined && words.html('operation-transaction', { hash: txHash }),
    !kind.isTrackedElsewhere &&
      explorerLinks(words, { address: kind.target(operation.request), transaction: txHash }),
  );
}

/** Renders an invoice's price and times, and its delivery. An admin can look up part payments in the explorer. */
function invoiceLines(words: Words, invoice: Invoice): string {
  const { expiresAt, paidAt, delegatedAt } = invoice;
  return lines(
    priceText(words, invoice),
    words.html('admin-operation-pay-to', { address: invoice.paymentAddress }),
    words.html('admin-operation-expires', { time: timeOf(words, expiresAt) }),
    paidAt !== undefined && words.html('admin-operation-paid', { time: timeOf(words, paidAt) }),
    delegatedAt !== undefined &&
      words.html('admin-operation-invoice-delivered', { time: timeOf(words, delegatedAt) }),
    transactionText({ words, invoice }),
    !wasPaid(invoice) && lines(words.html('admin-operation-unpaid'), arrivedText(words, invoice)),
    cardsText(words, invoice),
  );
}

/** Renders in how many chats the invoice is shown, with the ids of those that opened its link: one of them is the payer's. */
function cardsText(words: Words, invoice: Invoice): string {
  const cards = invoice.cards.filter(({ message }) => message !== undefined);
  const chats = cards.filter(({ isForMaker }) => !isForMaker).map(({ chat }) => `<code>${chat}</code>`);
  const more = chats.length - MAX_CHATS;
  return lines(
    words.html('admin-operation-cards', { count: cards.length }),
    chats.length > 0 &&
      `${words.html('admin-operation-opened')} ${chats.slice(-MAX_CHATS).join(', ')}${more > 0 ? ` (+${more})` : ''}`,
  );
}

/** Renders what the user reads about the refund of an order, if the receipt says something of it. */
function refundLines(
  words: Words,
  kind: OperationKind,
  operation: Operation,
  { supportUrl, now }: Pick<FeatureDeps, 'supportUrl'> & { now: number },
) {
  const order = orderStateOf(kind, operation, now);
  if (operation.state !== 'done' || order === undefined) return '';
  const { refund } = operation.result;
  const isRead =
    order === 'failed' ||
    (refund?.over ? order === 'over' : order === 'unseen' && refund?.balance === 'either');
  if (!isRead) return '';
  return lines(words.html('admin-operation-refund'), refundText(words, operation, supportUrl));
}

function historyLines(words: Words, kind: OperationKind, operation: Operation): string {
  const decision = decisionOf(operation);
  return lines(
    isConfirmed(operation) &&
      words.html('admin-operation-confirmed', { time: timeOf(words, operation.claimedAt) }),
    wasSent(operation) &&
      words.html('admin-operation-sent', { time: timeOf(words, operation.attempt.sentAt) }),
    'settledAt' in operation &&
      !isUnresolved(operation) &&
      !decision &&
      // An invoice isn't over when it was made.
      (kind.isTrackedElsewhere && operation.state === 'done'
        ? words.html('admin-operation-created', { time: timeOf(words, operation.settledAt) })
        : words.html('admin-operation-ended', {
            time: timeOf(words, operation.settledAt),
            by: settledBy(operation),
          })),
    decision &&
      words.html('admin-operation-decided', {
        outcome: words.plain(outcomeButton(decision.outcome)),
        reason: decision.reason,
        admin: String(decision.admin),
        time: timeOf(words, decision.at),
      }),
  );
}

function settledBy(operation: Operation): 'reply' | 'user' | 'unsent' | 'evidence' {
  if (operation.state === 'closed') return 'user';
  if ('settledBy' in operation && operation.settledBy === 'reply') return 'reply';
  return wasSent(operation) ? 'evidence' : 'unsent';
}

/** Renders which messages of the user's chat show the operation, and whether the user knows its latest state. */
function messageLines(
  words: Words,
  operation: ConfirmedOperation,
  { isUndelivered, invoice, now }: { isUndelivered: boolean; invoice: Invoice | undefined; now: number },
): string {
  const { card, followUp, shownAt, sentFollowUps = [] } = operation.receipt;
  // The receipt of an invoice is the card of its maker, which is edited with the invoice, not with the operation.
  const invoiceCard = invoice?.cards.find(({ isForMaker }) => isForMaker);
  const isInvoiceShown = !invoice || !invoiceCard || isStatusKnown(invoiceCard, reportedStatus(invoice, now));
  const shown = isUpToDate(operation) && isInvoiceShown ? 'shown' : 'pending';
  return lines(
    words.html('admin-operation-receipt', {
      message: String(card ?? 'none'),
      at: shownAt === undefined || invoice ? 'none' : timeOf(words, shownAt),
    }),
    ...sentFollowUps.map(({ message, at }) =>
      words.html('admin-operation-follow-up', {
        message: String(message),
        at: timeOf(words, at),
        is: message === followUp ? 'current' : 'replaced',
      }),
    ),
    words.html('admin-operation-shown', { state: isUndelivered ? 'undelivered' : shown }),
  );
}

function timeOf(words: Words, at: number): string {
  return `${formatDay(at, words.language)}, ${formatTimeWithSeconds(at)}`;
}

/** `isSearched`: the user's API key is stored, so the search continues. */
function evidenceLines(
  words: Words,
  operation: ConfirmedOperation & Attempted,
  { hasList, isSearched }: { hasList: boolean; isSearched: boolean },
): string {
  const { search } = operation;
  // The service's own reply needs no further evidence.
  if (search === undefined && !isUnresolved(operation)) return '';
  const { seen = {} } = search ?? {};
  const next = isSearched ? nextSearchAt(operation) : undefined;
  return lines(
    words.html('admin-operation-evidence'),
    balanceLines(words, operation),
    hasList
      ? seen.listed && words.html('admin-operation-listed', { entries: entriesText(words, seen.listed) })
      : seen.reports && words.html('admin-operation-reports', { entries: entriesText(words, seen.reports) }),
    words.html('admin-operation-checks', {
      count: search?.count ?? 0,
      last: search ? formatTimeWithSeconds(search.at) : '–',
    }),
    next !== undefined && words.html('admin-operation-next', { next: formatTimeWithSeconds(next) }),
  );
}

/** Renders the balance before and after the operation, and what else changed it. */
export function balanceLines(words: Words, operation: ConfirmedOperation & Attempted): string {
  const { search, attempt } = operation;
  const { seen = {} } = search ?? {};
  const { left, deposited, charged } = seen;
  const leftAlone = leftWithoutOthers(seen);
  const changeTo = (balance: string | undefined) =>
    new BigNumber(balance ?? Number.NaN).minus(attempt.balanceBefore ?? Number.NaN);
  const change = changeTo(left);
  const ownChange = changeTo(leftAlone);
  const directionOf = (trx: BigNumber) => (trx.lt(0) ? 'fell' : 'rose');
  const by = priceSeen(operation, leftAlone) === undefined ? 'other' : 'price';
  return lines(
    words.html('admin-operation-balance-seen', {
      before: attempt.balanceBefore ?? '–',
      after: left ?? 'none',
    }),
    !change.isNaN() &&
      !change.isZero() &&
      words.html('admin-operation-change', {
        direction: directionOf(change),
        trx: change.abs().toFixed(),
        by: deposited === undefined && charged === undefined ? by : 'other',
      }),
    (deposited ?? charged) !== undefined &&
      !ownChange.isNaN() &&
      words.html('admin-operation-others', {
        deposited: deposited ?? 'none',
        charged: charged ?? 'none',
        direction: ownChange.isZero() ? 'none' : directionOf(ownChange),
        trx: ownChange.abs().toFixed(),
        by,
      }),
  );
}

function entriesText(
  words: Words,
  entries: readonly { id?: number; order?: number; status: string; amount?: string | undefined }[],
) {
  const each = entries.map(({ id, order, status, amount }) => {
    const suffix = amount ? ` ${formatAmount(toPrintable(amount, STATUS_LENGTH), words.language)} TRX` : '';
    return `№ ${id ?? order} ${toPrintable(status, STATUS_LENGTH)}`.trimEnd() + suffix;
  });
  return each.join(', ') || 'none';
}

/** Returns the label of the button for an outcome that an admin can decide on. It is the outcome's name everywhere. */
export function outcomeButton(outcome: 'done' | 'not-done') {
  return outcome === 'done' ? 'button-went-through' : 'button-did-not';
}

/** Renders the user and the account of an operation. */
export function holderLine(words: Words, operation: Operation, operators: number | undefined): string {
  const { user, account, usesOperatorAccount } = operation;
  const isOperators = account === OPERATOR_ACCOUNT;
  return words.html('admin-operation-whose', {
    user: String(user),
    payer: isOperators || usesOperatorAccount ? 'operator' : 'own',
    account: isOperators ? String(operators ?? 'none') : String(account),
  });
}

/** Returns the number of the operator account, or `undefined` if the service doesn't reply in time. */
export const operatorNumber = ({ operator }: Pick<FeatureDeps, 'operator'>): Promise<number | undefined> =>
  orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
