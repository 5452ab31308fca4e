import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import type { TextKey } from '../i18n/keys.ts';
import {
  escapeHtml,
  formatAlternatives,
  formatConjunction,
  formatCount,
  formatKeyTail,
  formatMoment,
  formatSpan,
  formatTime,
  formatWait,
  groupInFours,
  htmlToPlainText,
  lines,
  momentVariables,
  paragraphs,
  periodVariables,
  rentalEndVariables,
  shortenAddress,
  timeVariables,
  type Words,
  withoutTags,
} from '../i18n/texts.ts';
import { durationFor } from '../input/energy-terms.ts';
import { HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { contractNameOf, ENERGY_PER_TRANSFER, savingOver } from '../rental-api/tron.ts';
import { alertsButton, linkButton } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { explorerLinks } from '../views/explorer-links.ts';
import { messageHelpButton } from '../views/help-buttons.ts';
import { leadingEmoji } from '../views/tables.ts';
import { button, filterButton, inRows, type View } from '../views/view.ts';
import { leftWithoutOthers, priceSeen, watchedOrder } from './evidence.ts';
import { energyHint } from './kinds/energy-order.ts';
import {
  type Kinds,
  kindText,
  type OperationKind,
  type OperationRequest,
  type Result,
  type UntilVariables,
} from './kinds/kind.ts';
import { smartModeRequest } from './kinds/smart-mode.ts';
import {
  type Attempted,
  chargeOf,
  type DoneOperation,
  decisionOf,
  type EarlierPurchase,
  isUncertain,
  type Market,
  type Operation,
  type Refusal,
  type UncertainOperation,
  wasSent,
  wrongCodesOf,
} from './operation.ts';
import {
  ARRIVAL_MS,
  isBackAsBefore,
  isFailed,
  isOpenRise,
  isRefundLost,
  type OrderState,
  orderStateOf,
  rentedUntil,
  USUAL_DELIVERY_MS,
} from './order-state.ts';

/** Callback-data name of the feature that handles the buttons of a card. */
export const CARD_BUTTONS = 'operation';
/** Button of a card that reads its price again. */
export const REFRESH = 'refresh';

/** Renders the card of an operation in any state: status, title, address, price, and what can't be undone. */
export function operationCard(words: Words, operation: Operation, about: CardContext): View {
  const { kind, now } = about;
  const isDraft = operation.state === 'draft';
  if (operation.state === 'refused' && operation.isRepeated) {
    // The card below has the rest.
    const html = `${headline(words, kind, operation, now)} ${outcome(words, operation, about)} ${number(words, operation, about)}`;
    return { html, keyboard: [] };
  }
  const { earlier } = operation.warnings;
  const status = headline(words, kind, operation, now);
  const { request } = operation;
  const isEnded = isEndedCard(operation) || operation.state === 'refused';
  const what = lines(
    kind.title(words, request),
    targetLine(words, kind, request, about.savedName),
    isEnded && kind.noteLine?.(words, request),
  );
  // Above everything else, because a repeated purchase looks like the first one.
  const top =
    isDraft && earlier ? paragraphs(status, earlierPurchase(words, earlier, now), what) : lines(status, what);
  return {
    html: isDraft
      ? paragraphs(top, about.note, warnings(words, kind, operation), conditions(words, kind, operation))
      : paragraphs(
          top,
          outcome(words, operation, about),
          lines(explorer(words, kind, operation), number(words, operation, about)),
        ),
    keyboard: cardButtons(words, operation, about),
  };
}

function titleWithTarget(
  words: Words,
  kind: OperationKind,
  { request }: Operation,
  savedName?: string,
): string {
  return `${kind.title(words, request)} → ${withName(shortenAddress(kind.target(request)), savedName)}`;
}

/** Appends the name under which the user saved an address, if any, to Telegram's HTML about it. */
const withName = (html: string, name: string | undefined) =>
  name === undefined ? html : `${html} · ${escapeHtml(name)}`;

/** Renders an operation in a list: title, address, and the number that its receipt shows. */
export function operationLine(words: Words, kind: OperationKind, operation: Operation): string {
  const id = orderNumber(words, kind, operation) ?? words.html('operation-number', { id: operation.id });
  return `${titleWithTarget(words, kind, operation)} · ${id}`;
}

/** Renders the follow-up: what happened to an operation after its first outcome. */
export function operationFollowUp(words: Words, operation: Operation, context: CardContext): string {
  // Only the receipt has the button that turns instant alerts on.
  const about = { ...context, canAlert: false };
  const { kind, now } = about;
  const { state, request } = operation;
  const order = orderNumber(words, kind, operation);
  const title = titleWithTarget(words, kind, operation, context.savedName);
  const what = [title, ...(order === undefined ? [] : [order])].join(' · ');
  // The receipt above the follow-up has the other details.
  if (state === 'done' && operation.result.status === 'filled') {
    const until = untilOf(words, operation, about);
    const news = (until && kind.delivered?.(words, request, until)) ?? headline(words, kind, operation, now);
    return lines(news, what);
  }
  // Money for one of several orders, none of which is known to have failed. One of them alone isn't named.
  if (state === 'done' && !isFailed(operation.result)) {
    const { order, refund } = operation.result;
    const isNamed = order !== undefined && (refund?.among ?? refund?.open) !== undefined && !refund?.isKnown;
    const returned = isNamed && either(words, operation.result);
    if (returned) return lines(`↩️ ${returned}`, eitherNote(words, operation, kind, 'all'));
  }
  const details =
    state === 'unknown' && operation.search?.over !== true
      ? uncertainty(words, operation, about)
      : (statusLine(words, operation, about) ?? outcome(words, operation, about));
  const isOver = state === 'done' && orderStateOf(kind, operation, now) === 'over';
  return lines(
    headline(words, kind, operation, now),
    what,
    isOver && charged(words, kind, operation),
    details,
    number(words, operation, about),
  );
}

/** Renders only status, title and number if needed, without tags and buttons, for when Telegram refuses the other messages. */
export function plainCard(words: Words, operation: Operation, about: CardContext): View {
  const { kind, now } = about;
  const html = lines(
    headline(words, kind, operation, now),
    kind.title(words, operation.request),
    operation.state === 'unknown' && uncertainty(words, operation, about),
    operation.state === 'likely' && likelihood(words, operation),
    number(words, operation, about),
    isUncertain(operation) && about.supportUrl && words.html('operation-support', { url: about.supportUrl }),
  );
  return { html: withoutTags(html), keyboard: [] };
}

/** Renders the id of an operation whose user may have to ask a person about it. */
function number(words: Words, operation: Operation, { kind, now }: CardContext): string | undefined {
  const { id, state } = operation;
  const order = orderStateOf(kind, operation, now);
  const hasFailed = state === 'done' && operation.result.status === 'failed';
  const isUndelivered = order === 'partial' || order === 'returned' || order === 'over' || hasFailed;
  const isWithdrawn = state === 'done' && kind.withdrawalAmount !== undefined;
  const isAsked =
    isUncertain(operation) ||
    isWithdrawn ||
    (state === 'refused' && !isAlreadyDone(operation)) ||
    state === 'closed' ||
    state === 'void' ||
    isUndelivered;
  return isAsked || decisionOf(operation) ? words.html('operation-number', { id }) : undefined;
}

/** Renders a short reply to the receipt: number, title and current status. */
export function inShort(
  words: Words,
  operation: Operation,
  { kinds, now }: { kinds: Pick<Kinds, 'of'>; now: number },
): string {
  const kind = kinds.of(operation.request);
  return lines(
    words.html('operation-here', { order: shownOrder(kind, operation) ?? 'none', id: operation.id }),
    kind.title(words, operation.request),
    headline(words, kind, operation, now),
    partlyDelivered(words, kind, operation),
  );
}

/** Renders the line with the address that a request is for, and the name under which the user saved it, if any. */
export function targetLine(
  words: Words,
  kind: OperationKind,
  request: OperationRequest,
  savedName?: string,
): string {
  return withName(
    words.html(kind.targetText ?? 'operation-address', { address: kind.target(request) }),
    savedName,
  );
}

/**
 * Returns a short title for tables and reminders, as plain text. `delivered`: the delivered amount, if it is less than
 * ordered.
 */
export function shortTitle(
  words: Words,
  kind: OperationKind,
  request: OperationRequest,
  delivered: number | undefined,
): string {
  const what = kind.shortTitle(words, request);
  if (delivered === undefined) return what;
  return words.plain('order-part', { delivered: formatCount(delivered, words.language), what });
}

/** Renders the delivered part of a partly delivered order. */
function partlyDelivered(words: Words, kind: OperationKind, operation: Operation): string | undefined {
  if (operation.state !== 'done' || operation.decided) return undefined;
  const { request, result } = operation;
  if (result.delivered === undefined) return undefined;
  return words.html('order-partial', { part: shortTitle(words, kind, request, result.delivered) });
}

/** Renders the old message of a card after the card was sent again further down. There its order may have changed. */
export function movedCard(words: Words): View {
  return { html: words.html('operation-continued'), keyboard: [] };
}

/** Renders links to what happened on the chain, from the request on. */
function explorer(words: Words, kind: OperationKind, operation: Operation): string | undefined {
  const { state, request } = operation;
  const isSent = state === 'done' || state === 'closed' || isUncertain(operation);
  if (!isSent || kind.isTrackedElsewhere) return undefined;
  const transaction = state === 'done' ? operation.result.txHash : undefined;
  return explorerLinks(words, { address: kind.target(request), transaction });
}

/** Reasons for which the service or the bot would refuse the same request again. */
const FINAL_REFUSALS: ReadonlySet<Refusal['reason']> = new Set([
  'already',
  'gone',
  'unchanged',
  'listed',
  'blocked',
  'operator',
  'operator-ongoing',
]);

function isCharged(kind: OperationKind, request: OperationRequest): boolean {
  return !kind.isFree?.(request) && !kind.withdrawalAmount;
}

/** Returns whether the card has a line with the price. The terms of other charged kinds contain it. */
function showsPrice(kind: OperationKind, request: OperationRequest): boolean {
  return isCharged(kind, request) ? !kind.terms : kind.rentedEnergy !== undefined;
}

/** Returns whether a draft would charge a price that isn't known. Its card can't be confirmed. */
export function lacksPrice(kind: OperationKind, { request, estimate }: Operation): boolean {
  return estimate === undefined && isCharged(kind, request) && showsPrice(kind, request);
}

/** Returns the text of the button that confirms a draft. */
export function confirmLabelOf(kind: OperationKind, { request, warnings }: Operation): TextKey {
  const isRepeated = warnings.like !== undefined || warnings.voided !== undefined;
  return isRepeated ? kindText(kind, 'anyway') : (kind.confirmLabel?.(request) ?? 'button-confirm');
}

function cardButtons(words: Words, operation: Operation, about: CardContext): InlineKeyboardButton[][] {
  const { kind, reminder } = about;
  const { id, request } = operation;
  const { like, voided, earlier } = operation.warnings;
  const on = (text: TextKey, action: string, style?: 'success' | 'danger') =>
    button(words, text, callbackData(CARD_BUTTONS, action, id), style);
  const [cancel, menu] = [on('button-cancel', 'cancel'), on('button-menu', 'menu')];
  const again = on(kind.oneMore?.(request) ?? kindText(kind, 'again'), 'again');
  const { listButton } = kind;
  const listAndMenu = [...(listButton ? [button(words, listButton.text, listButton.data)] : []), menu];
  switch (operation.state) {
    case 'draft': {
      const hasPrice = operation.estimate !== undefined || !showsPrice(kind, request);
      const showIt = like && button(words, 'button-show-it', callbackData(CARD_BUTTONS, 'show', like));
      const isWasted = isForContract(kind, request) || earlier?.state === 'pay-to';
      const open = openInvoiceButton(words, earlier);
      // A seller may want another invoice for the address. A buyer pays one.
      const isInstead = open !== undefined && earlier?.state !== 'sale';
      const whenWanted = isWasted || isInstead ? undefined : 'success';
      const style = earlier?.state === 'arriving' ? 'danger' : whenWanted;
      const label = confirmLabelOf(kind, operation);
      const confirm = on(label, 'confirm', like || voided ? 'danger' : hasPrice ? style : undefined);
      const deciding = [
        ...(showIt ? [[showIt]] : []),
        ...(hasPrice ? [] : [[on('button-check-price', REFRESH, whenWanted)]]),
        ...(lacksPrice(kind, operation) ? [] : [[confirm]]),
      ];
      const rows = (kind.options?.(words, request) ?? []).map((row) =>
        row.map(({ label, value, isChosen }) =>
          filterButton(label, callbackData(CARD_BUTTONS, 'option', `${id}_${value}`), isChosen),
        ),
      );
      const questions = Object.entries(kind.questions?.(request) ?? {}).map(([step, label]) =>
        button(words, label, callbackData(CARD_BUTTONS, 'back', `${id}_${step}`)),
      );
      // A card with options is an order of energy. It leads to everything else that can be done with its address.
      // Another order of the address wouldn't repeat the warning about a void card.
      const hasMore = rows.length > 0 && voided === undefined;
      const others = hasMore ? [...questions, on('button-more-for-address', 'more')] : questions;
      const isShort = kind.mayLackBalance?.(request, operation.balance) === true;
      return [
        ...(open ? [[open]] : []),
        ...rows,
        ...deciding,
        ...(isShort ? [[depositButton(words)]] : []),
        ...inRows(others),
        [on('button-back', 'back'), cancel],
      ];
    }
    case 'claimed':
    case 'sent':
    case 'replaced':
      return [];
    case 'awaiting':
      return [[cancel]];
    case 'void':
      return [[on('button-show-again', 'again'), menu]];
    case 'unknown':
    case 'likely':
      return [
        [on('button-i-checked', 'checked'), messageHelpButton(words, 'unknown')],
        [...supportButton(words, about.supportUrl), menu],
      ];
    case 'done': {
      // Neither a one-time operation nor a list change other than a withdrawal can be repeated.
      if (kind.once || (kind.listing && !kind.withdrawalAmount))
        return [
          ...(kind.mayLackBalance?.(request, operation.attempt.balanceBefore)
            ? [[depositButton(words)]]
            : []),
          ...supportButtons(words, operation, about),
          listAndMenu,
        ];
      return [
        ...(offersAlerts(operation, about) ? [[alertsButton(words, id)]] : []),
        ...(reminder === 'off' ? [[on('button-reminder-on', 'remind')]] : []),
        ...(isReminderSet(about) ? [[on('button-reminder-off', 'unremind')]] : []),
        ...(about.offersSellerMode ? [[on('button-seller-mode', 'sell')]] : []),
        ...failureButtons(words, operation, about),
        [again, menu],
      ];
    }
    case 'closed':
      return [[again, menu]];
    case 'refused': {
      const { reason } = operation.refusal;
      if (FINAL_REFUSALS.has(reason) || conflictText(operation)) return [listAndMenu];
      const isOwn = operation.account !== OPERATOR_ACCOUNT && !operation.usesOperatorAccount;
      const mustLink = isOwn && (reason === 'key' || reason === 'unlinked');
      const retry = reason === 'price' ? 'button-show-new-price' : 'button-try-again';
      return [
        ...(mustLink ? [[linkButton(words)]] : []),
        ...(isOwn && reason === 'insufficient' ? [[shortageButton(words, kind, operation)]] : []),
        ...supportButtons(words, operation, about),
        [on(retry, 'again'), menu],
      ];
    }
    case 'expired':
      return [[on('button-try-again', 'again'), menu]];
    case 'cancelled':
      // A seller would have to find the customer's address and note again.
      return [[...(kind.isPaidByOther?.(request) ? [on('button-show-again', 'again')] : []), menu]];
    default:
      return [[menu]];
  }
}

/** Returns the button of an invoice for the same address that can be paid, or may have been. */
function openInvoiceButton(words: Words, earlier: EarlierPurchase | undefined) {
  if (earlier?.id === undefined || !['invoice', 'sale', 'unreported'].includes(earlier.state))
    return undefined;
  const text = words.plain('button-open-invoice', { number: String(earlier.invoice) });
  return { text, callback_data: callbackData('invoice', 'show', earlier.id) };
}

/** Returns the ways to the balance and to support below an order that failed, or whose refund wasn't seen in the end. */
function failureButtons(
  words: Words,
  operation: DoneOperation,
  about: CardContext,
): InlineKeyboardButton[][] {
  const isFailed = orderStateOf(about.kind, operation, about.now) === 'failed';
  if (!isFailed && !isRefundLost(operation.result)) return supportButtons(words, operation, about);
  const balance = button(words, 'button-balance', callbackData('menu', 'balance'));
  return [[balance, ...supportButton(words, about.supportUrl)]];
}

const depositButton = (words: Words) => button(words, 'button-deposit', callbackData('deposit', 'open'));

/**
 * Returns the deposit button of an operation that the balance didn't cover. If its price is known, it leads to the question
 * about missing funds, so that a deposit continues the operation.
 */
function shortageButton(words: Words, { withdrawalAmount }: OperationKind, { id, estimate }: Operation) {
  const isContinued = estimate !== undefined && withdrawalAmount === undefined;
  return isContinued
    ? button(words, 'button-deposit', callbackData(CARD_BUTTONS, 'again', id))
    : depositButton(words);
}

function supportButton(words: Words, supportUrl: string | undefined): InlineKeyboardButton[] {
  return supportUrl ? [{ text: words.plain('button-support'), url: supportUrl }] : [];
}

/**
 * Returns the way to support below an operation whose text leads there: the order is late, its refund wasn't seen in the end,
 * or an admin has decided on it and the user sees another outcome.
 */
export function supportButtons(
  words: Words,
  operation: Operation,
  { kind, supportUrl, now }: Pick<CardContext, 'kind' | 'supportUrl' | 'now'>,
): InlineKeyboardButton[][] {
  const isLost =
    operation.state === 'done' &&
    (isRefundLost(operation.result) ||
      (orderStateOf(kind, operation, now) === 'unseen' && isLate(operation, now)));
  const buttons = isLost || decisionOf(operation) ? supportButton(words, supportUrl) : [];
  return buttons.length > 0 ? [buttons] : [];
}

/** Context for rendering a card. */
export interface CardContext {
  kind: OperationKind;
  /** Name under which the user saved the address of the operation. */
  savedName?: string | undefined;
  /** Whether the service sends the deliveries of this account to the bot. */
  reported: boolean;
  /** Time of the reminder in epoch milliseconds, or `off`. The receipt has the button that turns reminders off or on. */
  reminder?: 'off' | number | undefined;
  /** Whether users can turn instant alerts on. */
  canAlert?: boolean;
  /** The user has unlinked the account that paid, so the bot learns nothing more of the operation. */
  isUnlinked?: boolean;
  /** Whether the receipt of a customer's invoice offers seller mode. */
  offersSellerMode?: boolean;
  supportUrl?: string | undefined;
  /** Text about a draft, below its title, as Telegram HTML. */
  note?: string | undefined;
  now: number;
}

/** Returns whether the receipt offers instant alerts. Without them, the bot doesn't see the delivery. */
function offersAlerts(operation: DoneOperation, about: CardContext): boolean {
  const { kind, reported, canAlert, isUnlinked, now } = about;
  const isOwn = operation.account !== OPERATOR_ACCOUNT && !operation.usesOperatorAccount;
  return (
    canAlert === true && !reported && !isUnlinked && isOwn && orderStateOf(kind, operation, now) === 'unseen'
  );
}

/** First lines of orders that need no variables. */
const ORDER_HEADLINES = {
  awaited: 'order-awaited',
  unseen: 'order-unseen',
  over: 'order-over',
  partial: 'order-partly-delivered',
  delivered: 'order-delivered',
  failed: 'order-undelivered',
} as const satisfies Partial<Record<OrderState, TextKey>>;

/** Renders the first line of a card: the operation's status. `now`: epoch milliseconds. */
export function headline(words: Words, kind: OperationKind, operation: Operation, now: number): string {
  // A manual resolution doesn't prove that nothing was charged.
  if (operation.state === 'refused' && operation.decided) return words.html('operation-decided');
  if (isAlreadyDone(operation))
    return kind.unchangedHeadline?.(words, operation.request) ?? words.html('operation-already');
  // A manual resolution says that the operation succeeded, but not with which result.
  if (operation.state === 'done' && !operation.decided) {
    const { request, result } = operation;
    const own = kind.headline?.(request, result);
    if (own) return words.html(own);
    const order = orderStateOf(kind, operation, now);
    if (order === 'returned') {
      return words.html('order-returned', returnOf(words, operation));
    }
    if (order === 'unseen' && isPastDue(operation, now)) return words.html('order-unseen-since');
    if (order) return words.html(ORDER_HEADLINES[order]);
  }
  const { state, warnings } = operation;
  if (isEndedCard(operation) && warnings.voided)
    return words.html('operation-ended-void', { state, id: warnings.voided });
  const keys: Record<Operation['state'], TextKey> = {
    draft: lacksPrice(kind, operation) ? 'operation-unpriced' : 'operation-check',
    cancelled: 'cancelled',
    replaced: 'operation-replaced',
    expired: 'operation-expired',
    void: 'operation-void',
    awaiting: 'operation-awaiting',
    claimed: kindText(kind, 'going'),
    sent: kindText(kind, 'going'),
    done: kindText(kind, 'done'),
    refused: kindText(kind, 'refused'),
    unknown: isUnlikely(kind, operation) ? 'operation-unlikely' : 'operation-uncertain',
    likely: kindText(kind, 'likely'),
    closed: 'operation-closed',
  };
  return words.html(keys[state]);
}

/** Returns whether a card ended without its confirmation. */
const isEndedCard = ({ state }: Operation) =>
  state === 'cancelled' || state === 'replaced' || state === 'expired';

/** Returns whether a one-time operation was refused because it isn't needed any more. */
const isAlreadyDone = (operation: Operation) =>
  operation.state === 'refused' &&
  (operation.refusal.reason === 'already' || operation.refusal.reason === 'unchanged');

/** Returns the emoji of an operation's status, as its first line shows it. */
export function statusSign(words: Words, kind: OperationKind, operation: Operation, now: number): string {
  return leadingEmoji(htmlToPlainText(headline(words, kind, operation, now)));
}

/** Renders what *Confirm* agrees to: the known price, and what can't be undone. */
function conditions(words: Words, kind: OperationKind, operation: Operation): string {
  const { request, estimate, balance, usesOperatorAccount, confirmableFrom: from } = operation;
  const charges = isCharged(kind, request);
  const isPaidByOther = kind.isPaidByOther?.(request) === true;
  const energy = kind.rentedEnergy?.(request);
  const hasCodePeriod = from !== undefined && kind.needsCode?.(request) === true;
  return paragraphs(
    usesOperatorAccount && words.html('operation-operators'),
    lines(
      energy !== undefined && energyHint(words, energy),
      kind.terms?.(words, request, { estimate, balance }),
    ),
    (charges || kind.rentedEnergy) &&
      lines(
        showsPrice(kind, request) && price(words, kind, operation),
        !isPaidByOther && !isForContract(kind, request) && saving(words, kind, operation, estimate),
        charges &&
          (balance === undefined
            ? words.html('operation-no-balance')
            : words.html('operation-balance', { balance })),
      ),
    lines(
      from !== undefined &&
        (hasCodePeriod
          ? words.html('operation-code-from', {
              confirm: words.plain(confirmLabelOf(kind, operation)),
              ...periodVariables(from, operation.expiresAt),
            })
          : words.html('operation-from', timeVariables(from))),
      !isPaidByOther && words.html(kindText(kind, 'truth')),
      // The period of the code ends with the card.
      !hasCodePeriod && words.html('operation-valid-until', momentVariables(operation.expiresAt, formatTime)),
    ),
  );
}

function price(words: Words, kind: OperationKind, operation: Operation): string {
  const { request, estimate, estimateAt, formerEstimate, market } = operation;
  if (estimate === undefined) {
    const invoiced = kind.isPaidByOther?.(request) ? 'customer' : 'buyer';
    return words.html('operation-no-estimate', { pays: isCharged(kind, request) ? 'balance' : invoiced });
  }
  const former = formerEstimate === estimate ? 'none' : (formerEstimate ?? 'none');
  return lines(
    withUsd(words, words.html('operation-estimate', { estimate, former }), estimate, market),
    estimateAt !== undefined && oldPriceLine(words, estimateAt),
  );
}

/** Renders the time of an old price, in epoch milliseconds. */
export function oldPriceLine(words: Words, at: number): string {
  return words.html(
    'price-old',
    momentVariables(at, (time) => formatMoment(time, words.language)),
  );
}

/** Returns whether the card warns that what is bought for the address is wasted. */
function isForContract(kind: OperationKind, request: OperationRequest): boolean {
  return contractNameOf(kind.target(request)) !== undefined;
}

/** Renders what the user should check twice. */
function warnings(
  words: Words,
  kind: OperationKind,
  {
    request,
    warnings: { lookalike, like, isLikeLikely, voided, isSupplied, earlier, wantedHours },
  }: Operation,
): string {
  const contract = contractNameOf(kind.target(request));
  return paragraphs(
    wantedHours !== undefined &&
      words.html('order-hours-replaced', { wanted: wantedHours, hours: durationFor(wantedHours) }),
    contract !== undefined &&
      words.html('operation-contract', {
        name: contract,
        lost: kind.withdrawalAmount ? 'money' : 'resources',
      }),
    lookalike &&
      words.html('operation-lookalike', {
        known: groupInFours(lookalike),
        given: groupInFours(kind.target(request)),
      }),
    isSupplied && words.html('operation-supplied'),
    like && like !== earlier?.id && duplicateWarning(words, like, isLikeLikely),
    voided && words.html('operation-repeats-void', { id: voided }),
  );
}

const duplicateWarning = (words: Words, id: string, isLikely = false) =>
  words.html('operation-like', { id, state: isLikely ? 'likely' : 'unknown' });

/** Renders the warnings about earlier operations that a request may repeat, for a user who may pay because of it. */
export function repetitionWarnings(
  words: Words,
  { earlier, like, isLikeLikely }: Pick<Operation['warnings'], 'earlier' | 'like' | 'isLikeLikely'>,
  now: number,
): string {
  return paragraphs(
    earlier && earlierPurchase(words, earlier, now),
    like !== undefined && like !== earlier?.id && duplicateWarning(words, like, isLikeLikely),
  );
}

/** Renders that the user has energy for the address already, or will have it. */
function earlierPurchase(words: Words, earlier: EarlierPurchase, now: number) {
  const { state, invoice = 0, id, energy, at, until, hours, running } = earlier;
  const { language } = words;
  const newest = words.html('energy-earlier', {
    state,
    number: String(invoice),
    id: id ?? 'none',
    amount: energy,
    age: formatSpan(words, now - at),
    ...rentalEndVariables(until, { hours, language }),
  });
  if (running === undefined) return newest;
  const { count, energy: amount, unseen, returned = 0, until: next } = running;
  // The next end may be on another day, whatever the durations are.
  const end = rentalEndVariables(next, { hours: 24, language });
  return lines(newest, words.html('energy-running', { count, amount, unseen, returned, ...end }));
}

/** Delay until the user should try again if the service names none. */
const DEFAULT_RETRY_SECONDS = 60;

/** Returns whether the text of a reason addresses the holder of the account that pays. */
function isAboutPayingAccount(reason: Refusal['reason']): boolean {
  return reason === 'key' || reason === 'insufficient' || reason === 'unlinked';
}

/** Renders the details of the outcome, below the headline. */
function outcome(words: Words, operation: Operation, about: CardContext): string | undefined {
  switch (operation.state) {
    case 'done':
      return paragraphs(byHand(words, operation), done(words, operation, about));
    case 'awaiting': {
      const { confirmableFrom: from } = operation;
      return lines(
        words.html('operation-awaiting-note'),
        from === undefined
          ? words.html('operation-valid-until', momentVariables(operation.expiresAt, formatTime))
          : words.html('operation-code-from', {
              confirm: 'none',
              ...periodVariables(from, operation.expiresAt),
            }),
      );
    }
    case 'claimed': {
      const { confirmableFrom: from } = operation;
      return from === undefined ? undefined : words.html('operation-code-kept', timeVariables(from));
    }
    case 'refused':
      return isAlreadyDone(operation) ? undefined : refusalText(words, operation);
    case 'unknown':
      return isUnlikely(about.kind, operation)
        ? uncertainty(words, operation, about)
        : paragraphs(uncertainty(words, operation, about), searchResult(words, operation, about));
    case 'likely': {
      const isWatched = watchedOrder({ of: () => about.kind }, operation) !== undefined;
      return paragraphs(
        likelihood(words, operation),
        unlinkedText(words, operation, about) ??
          lines(
            likelyUntil(words, operation, about),
            words.html('operation-likely-next', {
              by:
                isReportPossible(about) && !operation.search?.over
                  ? 'report'
                  : isWatched
                    ? 'balance'
                    : 'none',
            }),
          ),
      );
    }
    case 'closed':
      return lines(
        operation.wasLikely
          ? likelyFall(words, operation)
          : lines(words.html('operation-closed-note'), balanceEvidence(words, operation, 'over')),
        words.html('operation-closed-next', { reported: isReportPossible(about) ? 'yes' : 'no' }),
      );
    default:
      return undefined;
  }
}

/** Texts of refusals that another attempt can't solve. The service may have other codes than these. */
const CONFLICTS: ReadonlyMap<string, TextKey> = new Map([
  ['SMART_MODE_CONFLICT', 'refusal-smart-mode'],
  ['PACKAGE_CONFLICT', 'refusal-package'],
  ['INVALID_STATE', 'refusal-state'],
  ['SUBSCRIPTION_NOT_FOUND', 'refusal-gone'],
]);

function conflictText({ refusal }: Extract<Operation, { state: 'refused' }>): TextKey | undefined {
  return refusal.reason === 'other' ? CONFLICTS.get(refusal.code) : undefined;
}

/** Explains to the user why an operation was refused. */
export function refusalText(words: Words, operation: Extract<Operation, { state: 'refused' }>) {
  const { account, usesOperatorAccount, refusal, estimate = 'none' } = operation;
  const { reason, price = 'none' } = refusal;
  if (reason === 'by-hand') return byHand(words, operation);
  const seconds = refusal.seconds || DEFAULT_RETRY_SECONDS;
  const when = formatWait(words, seconds);
  // Neither a guest nor an admin can do anything about the operator's own account at the service.
  if (isAboutPayingAccount(reason) && account === OPERATOR_ACCOUNT) return words.html('refusal-unavailable');
  if (reason === 'key' && usesOperatorAccount)
    return words.html('account-key-refused', { tail: formatKeyTail('') });
  const conflict = conflictText(operation);
  if (conflict) return words.html(conflict);
  const codes = wrongCodesOf(operation);
  return words.html(`refusal-${reason}`, {
    codes,
    when,
    price,
    estimate,
    minutes: Math.ceil(seconds / 60),
    ...shortageOf(operation),
  });
}

/** Returns the balance right before a refused request and what it lacked, in TRX (decimal), as far as both are known. */
function shortageOf({ attempt, estimate, request }: Extract<Operation, { state: 'refused' }>) {
  const balance = attempt?.balanceBefore;
  const dailyFee = smartModeRequest.safeParse(request).data?.fees?.daily?.trx;
  const missing = new BigNumber(estimate ?? dailyFee ?? Number.NaN).minus(balance ?? Number.NaN);
  // The balance has fallen since it was read.
  if (balance === undefined || missing.lte(0)) return { balance: 'none', missing: 'none' };
  return { balance, missing: missing.isNaN() ? 'none' : missing.toFixed() };
}

/**
 * Time after a request in which the service may still charge it, in milliseconds. An unchanged balance after it makes a charge
 * unlikely.
 */
const CHARGED_MS = MINUTE_MS;

/** Returns whether an operation of unknown outcome most likely cost nothing: the balance was unchanged a minute after it. */
function isUnlikely(kind: OperationKind, operation: Operation): operation is UncertainOperation {
  if (operation.state !== 'unknown' || kind.isFree?.(operation.request)) return false;
  const { search, attempt } = operation;
  const { charged, next } = search?.seen ?? {};
  const isUnmixed = search?.balance === 'same' && charged === undefined && next === undefined;
  return isUnmixed && search.at >= attempt.sentAt + CHARGED_MS;
}

/** Explains why the outcome is unknown and that the user shouldn't repeat the operation. */
function uncertainty(words: Words, operation: UncertainOperation, about: CardContext): string {
  const { attempt, search } = operation;
  const isOver = search?.over || about.isUnlinked;
  if (isUnlikely(about.kind, operation))
    return lines(
      balanceEvidence(words, operation, isOver ? 'over' : 'running'),
      unlinkedText(words, operation, about),
      words.html('operation-unlikely-next', { search: isOver ? 'over' : 'running' }),
    );
  return words.html(attempt.unexpectedReply ? 'operation-unexpected' : 'operation-unknown', {
    search: isOver ? 'over' : 'running',
  });
}

/** Explains why the bot won't tell how an operation ends. */
function unlinkedText(words: Words, { account }: Operation, { isUnlinked }: CardContext): string | undefined {
  return isUnlinked ? words.html('operation-unlinked', { account: String(account) }) : undefined;
}

/** Explains why an operation has most likely gone through. */
function likelihood(words: Words, operation: Operation): string {
  return `${likelyFall(words, operation)} ${words.html('operation-likely')}`;
}

/** Returns whether the service may still report the order of an operation whose result isn't certain. */
function isReportPossible({ kind, reported, isUnlinked }: CardContext): boolean {
  return kind.isProvenByReports === true && reported && !isUnlinked;
}

/** Renders the end of the rental that has most likely begun. */
function likelyUntil(
  words: Words,
  { attempt, request }: UncertainOperation,
  { kind, now }: CardContext,
): string | undefined {
  const hours = kind.rentedHours?.(request);
  const until = attempt.sentAt + (hours ?? 0) * HOUR_MS;
  if (hours === undefined || until <= now) return undefined;
  return words.html('operation-likely-until', rentalEndVariables(until, { hours, language: words.language }));
}

function likelyFall(words: Words, { estimate = 'none' }: Operation): string {
  return words.html('operation-fell', { price: estimate });
}

/** Renders the admin's reason after a manual resolution, and what is known of the balance. */
function byHand(words: Words, operation: Operation): string | undefined {
  const decision = decisionOf(operation);
  if (decision === undefined) return undefined;
  const { outcome, reason } = decision;
  const price = (operation.state === 'done' && operation.result.price) || 'none';
  const sent = wasSent(operation) ? operation : undefined;
  const { left = 'none', deposited = 'none' } = sent?.search?.seen ?? {};
  const before = sent?.attempt.balanceBefore ?? 'none';
  return words.html('operation-by-hand', { outcome, reason, price, before, left, deposited });
}

/** Renders what the first line doesn't say of the order's or withdrawal's status. */
function statusLine(words: Words, operation: Operation, about: CardContext): string | undefined {
  const { kind, reported, now, supportUrl } = about;
  if (operation.state !== 'done') return undefined;
  const unlinked = unlinkedText(words, operation, about);
  const { result } = operation;
  const { status } = result;
  if (unlinked !== undefined && !result.refund?.over) return unlinked;
  const own = status === undefined ? undefined : kind.statusText?.(status);
  if (own) return lines(words.html(own), failedWithdrawal(words, operation, supportUrl));
  const isUndocumented = status !== undefined && !ORDER_STATUSES.includes(status);
  const statusAtService = isUndocumented && words.html('order-status', { status });
  // Energy is bought for a transfer that burns TRX if it isn't there yet.
  const usdt = kind.rentedEnergy?.(operation.request) === undefined ? 'no' : 'yes';
  switch (orderStateOf(kind, operation, now)) {
    case undefined:
      return statusAtService || undefined;
    case 'partial':
      return partlyDelivered(words, kind, operation);
    case 'awaited':
      return lines(statusAtService, words.html('order-awaited-note', { usdt }));
    case 'unseen': {
      const refund = either(words, result);
      const late = isLate(operation, now);
      return lines(
        statusAtService,
        refund,
        refund !== undefined && eitherNote(words, operation, kind, 'own'),
        reported && words.html('order-alerts-on', { usdt }),
        refund === undefined && late && words.html('order-unseen-late', { support: supportUrl ?? 'none' }),
        refund === undefined &&
          !late &&
          !reported &&
          words.html('order-unseen-note', { usdt, arrival: isPastDue(operation, now) ? 'said' : 'unsaid' }),
        offersAlerts(operation, about) && words.html('order-alerts'),
      );
    }
    case 'over':
      return operation.result.refund?.over ? refundText(words, operation, supportUrl) : undefined;
    case 'returned':
      return lines(balanceAfterRefund(words, result), words.html('order-returned-note'));
    case 'delivered':
      return undefined;
    case 'failed':
      return lines(charged(words, kind, operation), refundText(words, operation, supportUrl));
  }
}

/** Returns whether the first line says that an order wasn't seen to arrive. */
const isPastDue = ({ settledAt, result }: DoneOperation, now: number) =>
  now >= settledAt + ARRIVAL_MS || result.refund?.balance === 'either';

/** Returns whether most orders take less time than this one. */
const isLate = ({ settledAt }: DoneOperation, now: number) => now >= settledAt + USUAL_DELIVERY_MS;

/** Renders what the balance shows of the return of a failed withdrawal. */
function failedWithdrawal(words: Words, operation: DoneOperation, support = 'none') {
  const { attempt, result } = operation;
  const { status, refund } = result;
  if (status !== 'failed') return undefined;
  const { balanceBefore: before } = attempt;
  const left = refund?.left?.trx;
  if (left !== undefined && isBackAsBefore(operation)) return words.html('withdrawal-back', { left });
  const hasBalances = before !== undefined && left !== undefined;
  const isBack = refund?.balance === 'back';
  return lines(
    hasBalances && words.html('withdrawal-balances', { before, left }),
    words.html('withdrawal-returned', { refund: isBack ? 'back' : 'unclear' }),
    !isBack &&
      refund?.over &&
      words.html('order-refund-missing', { support, balances: hasBalances ? 'shown' : 'none' }),
  );
}

/** Statuses of an order that the specification shows (section 2). */
const ORDER_STATUSES = ['pending', 'filled', 'failed'];

/** Renders a rise of the balance that may be the refund of this order or of another one. */
function either(words: Words, { order, price, refund }: Result): string | undefined {
  const isOpen = isOpenRise(refund);
  if (refund === undefined || (refund.balance !== 'either' && !isOpen)) return undefined;
  const { rise = 'none', among = isOpen ? [] : undefined, isKnown, open } = refund;
  const orders = order !== undefined && among ? [order, ...among].toSorted((one, other) => one - other) : [];
  const names = [
    ...orders.map(String),
    ...(isOpen && open ? [words.plain('operation-ref', { id: open })] : []),
  ];
  // More came back than this order cost.
  const isOfSeveral = price !== undefined && new BigNumber(rise).gt(price) && orders.length > 2;
  const format = isOfSeveral ? formatConjunction : formatAlternatives;
  return words.html('order-refund', {
    refund: `${isOfSeveral ? 'several' : 'either'}${isKnown ? '-known' : ''}`,
    account: 'none',
    open: 'none',
    trx: rise,
    orders: names.length > 0 ? format(names, words.language) : 'none',
  });
}

/** Renders the balance and the advice below a rise that may be the refund of this order or of another one. */
function eitherNote(
  words: Words,
  { request, result }: DoneOperation,
  kind: OperationKind,
  of: 'own' | 'all',
) {
  return words.html('order-either-note', {
    balance: result.refund?.left?.trx ?? 'none',
    of,
    usdt: kind.rentedEnergy?.(request) === undefined ? 'no' : 'yes',
  });
}

/** Returns the variables of the texts about the refund of an order that the balance shows. */
function returnOf(words: Words, { attempt, estimate, result }: DoneOperation) {
  const { order, price, refund } = result;
  const { left, rise, among = [], asBefore, isKnown } = refund ?? {};
  const isAsBefore = left === undefined || isEqual(left.trx, attempt.balanceBefore);
  // Without a price, a balance as before the order says more than the price on its card.
  const ownTrx = price ?? (isAsBefore ? undefined : estimate) ?? 'none';
  const isTogether = !isKnown && rise !== undefined;
  const orders = [...(order === undefined ? [] : [order]), ...among].toSorted((one, other) => one - other);
  return {
    found: isKnown ? 'known' : isTogether ? 'together' : asBefore === undefined ? 'own' : 'as-before',
    trx: isTogether ? rise : ownTrx,
    price: price === undefined ? 'card' : 'charged',
    orders: formatConjunction(orders.map(String), words.language),
    id: asBefore ?? 'none',
  };
}

/** Renders what the bot knows of the refund of an order. */
export function refundText(words: Words, operation: DoneOperation, support = 'none'): string {
  const { account, attempt, result } = operation;
  const { price = 'none', refunded, refund } = result;
  const { balanceBefore: before = 'none' } = attempt;
  const left = (before !== 'none' && refund?.left?.trx) || 'none';
  const text = (found: string, trx: string) =>
    words.html('order-refund', {
      refund: found,
      trx,
      orders: 'none',
      account: String(account),
      open: refund?.open ?? 'none',
    });
  const balances = () =>
    words.html('order-refund-balances', { before, left, is: isEqual(left, before) ? 'same' : 'other' });
  if (refunded !== undefined)
    return lines(
      text(refund?.balance === 'back' ? 'confirmed' : 'reported', refunded),
      balanceAfterRefund(words, result),
    );
  const shared = either(words, result);
  if (!refund?.over) {
    if (shared !== undefined || refund?.balance !== 'moved') return shared ?? text('awaited', price);
    return lines(text('unclear', price), left !== 'none' && balances());
  }
  const { balance } = refund;
  // A search that began with a failure lasts an hour.
  const isUnreportedSame = balance === 'same' && result.status !== 'failed';
  const isEnough = !isRefundLost(result) || isUnreportedSame;
  const found = () =>
    balance === 'back'
      ? words.html('order-refund-seen', returnOf(words, operation))
      : text(isUnreportedSame ? 'none' : balance, price);
  // Each of several orders has another balance before it, so the balances would seem to contradict the refund.
  const showsBalances = left !== 'none' && shared === undefined;
  return lines(
    shared ?? found(),
    balanceAfterRefund(words, result),
    isUnreportedSame && words.html('order-missed', { support }),
    !isEnough && showsBalances && balances(),
    !isEnough && words.html('order-refund-missing', { support, balances: showsBalances ? 'shown' : 'none' }),
  );
}

const isEqual = (trx: string, other: string | undefined) => new BigNumber(trx).eq(other ?? Number.NaN);

/** Renders the balance that shows the probable refund of an order. */
function balanceAfterRefund(words: Words, { refund }: Result): string | undefined {
  if (refund?.balance !== 'back' || refund.left === undefined) return undefined;
  return words.html('order-refund-left', { balance: refund.left.trx });
}

function done(words: Words, operation: DoneOperation, about: CardContext): string {
  // The price and balance of a failed order may be outdated, because the charge may have been refunded.
  const { result } = operation;
  const { status, price, txHash, balanceLeft, refund } = result;
  const { kind, now } = about;
  const own = operation.decided
    ? undefined
    : kind.receipt?.(words, operation.request, result, operation.attempt);
  const state = orderStateOf(kind, operation, now);
  return lines(
    orderNumber(words, kind, operation),
    own,
    own === undefined &&
      !operation.decided &&
      status !== 'failed' &&
      !kind.isFree?.(operation.request) &&
      charged(words, kind, operation),
    state === 'delivered' && saving(words, kind, operation, price),
    own === undefined && statusLine(words, operation, about),
    useBefore(words, operation, about),
    reminderLine(words, operation, about),
    txHash !== undefined && words.html('operation-transaction', { hash: txHash }),
    status !== 'failed' &&
      state !== 'returned' &&
      refund?.balance !== 'either' &&
      refund?.balance !== 'moved' &&
      balanceLeft !== undefined &&
      words.html('operation-left', { balance: balanceLeft }),
  );
}

/** Renders the number of an order at the service. */
function orderNumber(words: Words, kind: OperationKind, operation: Operation): string | undefined {
  const order = shownOrder(kind, operation);
  return order === undefined ? undefined : words.html('operation-order', { order });
}

/** Returns the number of an order at the service, if the receipt shows it. */
function shownOrder(kind: OperationKind, operation: Operation): string | undefined {
  const order = operation.state === 'done' ? operation.result.order : undefined;
  return order === undefined || kind.listing || kind.isTrackedElsewhere ? undefined : String(order);
}

function charged(words: Words, kind: OperationKind, operation: DoneOperation): string {
  const { estimate, market } = operation;
  const { trx: price, isApproximate = false } = chargeOf(kind, operation) ?? {};
  if (price === undefined) return words.html('operation-price-unknown');
  if (isApproximate) return words.html('operation-price-of-card', { price });
  const text =
    estimate === undefined || estimate === price
      ? words.html('operation-price', { price })
      : words.html('operation-price-differs', { price, estimate });
  // A withdrawal's card doesn't say what it is worth, so its receipt doesn't either.
  return kind.withdrawalAmount ? text : withUsd(words, text, price, market);
}

/** Appends the amount in USD to a text with an amount in TRX (decimal), if the rate is known. */
function withUsd(words: Words, text: string, trx: string, market: Market | undefined): string {
  const usd = new BigNumber(market?.usdRate ?? 0).times(trx).decimalPlaces(2, BigNumber.ROUND_HALF_UP);
  return usd.gt(0) ? `${text} ${words.html('operation-usd', { usd: usd.toFixed() })}` : text;
}

/**
 * Renders what rented energy for `price` TRX saves, or has saved, compared with the TRX that the transfers it is enough for
 * would burn. Rounded down, so never too much.
 */
function saving(
  words: Words,
  kind: OperationKind,
  { request, market, state }: Operation,
  price: string | undefined,
): string | undefined {
  const energy = kind.rentedEnergy?.(request);
  if (energy === undefined || market?.burnTrx === undefined || price === undefined) return undefined;
  const saved = savingOver(market.burnTrx, { energy, price });
  if (saved) return words.html('operation-saving', { ...saved, is: state === 'done' ? 'past' : 'ahead' });
  return state === 'draft' && energy >= ENERGY_PER_TRANSFER ? words.html('operation-saving-none') : undefined;
}

function useBefore(words: Words, operation: Operation, about: CardContext): string | undefined {
  const until = untilOf(words, operation, about);
  return until && words.html('operation-use-before', until);
}

/** Returns whether the user will be reminded of the end of the rental. */
function isReminderSet(about: CardContext): about is CardContext & { reminder: number } {
  return typeof about.reminder === 'number' && about.reminder > about.now;
}

function reminderLine(words: Words, { request }: Operation, about: CardContext): string | undefined {
  if (!isReminderSet(about)) return undefined;
  const { kind, reminder } = about;
  const hours = kind.rentedHours?.(request) ?? 0;
  return words.html('rental-reminder', rentalEndVariables(reminder, { hours, language: words.language }));
}

/** Returns the variables of a text with the end of the rented time, unless that is over or unknown. */
function untilOf(
  { language }: Words,
  operation: Operation,
  { kind, now }: CardContext,
): UntilVariables | undefined {
  const until = rentedUntil(kind, operation);
  const hours = kind.rentedHours?.(operation.request) ?? 0;
  return until === undefined || until <= now ? undefined : rentalEndVariables(until, { hours, language });
}

function searchResult(words: Words, operation: UncertainOperation, about: CardContext): string | undefined {
  const { search } = operation;
  const unlinked = unlinkedText(words, operation, about);
  if (search === undefined) return unlinked;
  const isUnread = search.balance === 'unread' && search.seen?.left === undefined && !search.seen?.listed;
  const isPriceMixed =
    search.balance === 'mixed' && priceSeen(operation, leftWithoutOthers(search.seen)) !== undefined;
  // The balance contains the deposits, so it can't show that nothing was charged.
  const hasSign = isPriceMixed || (search.balance !== 'same' && search.seen?.deposited !== undefined);
  const running = hasSign ? 'operation-unconfirmed' : 'operation-no-sign';
  const unread = words.html('operation-unread', { what: about.kind.listing ? 'list' : 'balance' });
  return lines(
    unlinked ?? (search.over ? words.html('operation-search-over') : isUnread ? unread : words.html(running)),
    balanceEvidence(words, operation, search.over || unlinked ? 'over' : 'running'),
  );
}

/** Renders what the last search has seen in the balance. */
function balanceEvidence(
  words: Words,
  operation: Pick<Operation, 'id'> & Pick<Attempted, 'attempt' | 'estimate' | 'search'>,
  search: 'running' | 'over',
): string | undefined {
  const { balance = 'unread', seen } = operation.search ?? {};
  if (balance === 'unread') return undefined;
  const left = leftWithoutOthers(seen);
  const difference = new BigNumber(operation.attempt.balanceBefore ?? Number.NaN).minus(left ?? Number.NaN);
  const fell = difference.gt(0) ? difference.toFixed() : 'none';
  const isPrice = priceSeen(operation, left) !== undefined;
  const { deposited, charged = 'none', isEarlier, next = isEarlier ? 'earlier' : 'none', or } = seen ?? {};
  if (deposited !== undefined && balance !== 'same')
    return words.html('operation-evidence-deposited', {
      deposited,
      charged,
      fell,
      by: isPrice ? 'price' : 'other',
      others: balance === 'mixed' ? 'yes' : 'no',
    });
  if (or !== undefined && fell !== 'none')
    return words.html('operation-evidence-one-of', {
      fell,
      charged,
      refs: formatAlternatives([operation.id, ...or], words.language),
    });
  if (balance === 'mixed' && difference.isZero())
    return words.html('operation-evidence-hidden', { charged, next });
  return words.html('operation-evidence', {
    balance: isPrice && balance === 'mixed' ? 'price' : balance,
    fell,
    charged,
    next,
    search,
  });
}
