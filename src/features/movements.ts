import { BigNumber } from 'bignumber.js';
import { screen } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import {
  escapeHtml,
  formatAlternatives,
  formatAmount,
  formatConjunction,
  formatMoment,
  lines,
  momentVariables,
  paragraphs,
  shortenAddress,
  type Words,
} from '../i18n/texts.ts';
import { type SharedReturn, sharedReturns } from '../operations/balance-rises.ts';
import { statusSign } from '../operations/card.ts';
import { LISTED_EARLIER_MS } from '../operations/credits.ts';
import type { OperationKind, RefundSearch } from '../operations/kinds/kind.ts';
import { withdrawal } from '../operations/kinds/withdrawal.ts';
import {
  type Charge,
  type ConfirmedOperation,
  chargeOf,
  type DoneOperation,
  isLikely,
  isUncertain,
  type Operation,
} from '../operations/operation.ts';
import {
  isBackAsBefore,
  isRefundSeen,
  isRefundUnclear,
  missingRefundOf,
  orderStateOf,
} from '../operations/order-state.ts';
import type { AccountReads } from '../rental-api/account-reader.ts';
import type { Outcome } from '../rental-api/client.ts';
import type { DepositRecord, Withdrawal } from '../rental-api/schemas.ts';
import type { ServedTransfer } from '../rental-api/webhook.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, pageButtons, type View, withMenuButton } from '../views/view.ts';
import { latestFirst } from './views/latest-first.ts';
import { limitList } from './views/leaving-account.ts';
import { servedTransfers } from './views/served-transfers.ts';
import { listedUnknown, unknownPayments, waitingWithdrawals } from './views/waiting-money.ts';

const NAME = 'movements';
const OLDER = 'older';
const PAGE_SIZE = 10;
const MAX_MOVEMENTS = 100;
/** Operations read for each page. More than {@link PAGE_SIZE}: some may be free or belong to another account. */
const OPERATIONS_READ = 40;

interface Movements {
  /** Balance in TRX (decimal), if it could be read. */
  balance: string | undefined;
  deposits: DepositRecord[];
  withdrawals: Withdrawal[];
  /** Transfers that Smart Mode has charged, as far as the service's log has them. */
  transfers: readonly ServedTransfer[];
}

interface AccountOf {
  user: number;
  account: number;
}

interface Movement {
  /** ISO 8601. */
  time: string | undefined;
  /** Emoji of the state. */
  sign: string;
  what: string;
  /** Change of the balance in TRX, as text. `undefined` if nothing was credited. */
  amount?: string | undefined;
  /** Change of the balance in TRX. `undefined` if it isn't certain. */
  trx: BigNumber | undefined;
  /** Number of the order at the service. */
  order?: number | undefined;
  /** Id of the operation. */
  id?: string | undefined;
  address?: string | undefined;
  transaction?: string | undefined;
  /** Telegram HTML. */
  note?: string | undefined;
  /** Orders of which this may be the refund. */
  refundOf?: readonly number[];
  /** Operation that made the charge. */
  charged?: DoneOperation;
  /** Whether the service may have returned more than the amount. */
  mayLackFee?: true;
}

/** Lists the account's payments. The service lists no orders, so these are the user's operations. */
export const movementsFeature = defineFeature((deps) => {
  const { history, kinds } = deps.operations;

  /** Returns what names an operation: its order's number or, without one, its reference; and its address. */
  function namesOf(kind: OperationKind, { id, request }: Operation, order?: number) {
    const name = kind.listing === undefined && order !== undefined ? { order } : { id };
    return { ...name, address: kind.target(request) };
  }

  /** Returns the charge of an operation whose result is unknown. */
  function uncertainMovement(words: Words, operation: ConfirmedOperation): Movement {
    const { request, claimedAt } = operation;
    const kind = kinds.of(request);
    return {
      ...namesOf(kind, operation),
      time: new Date(claimedAt).toISOString(),
      sign: statusSign(words, kind, operation, deps.now()),
      what: kind.shortTitle(words, request),
      amount: isLikely(operation)
        ? chargeText('−', chargeOf(kind, operation), words)
        : `${signed('−', operation.estimate, words)}${operation.estimate === undefined ? '' : UNCERTAIN}`,
      trx: undefined,
      note: words.html('movement-unknown', { outcome: isLikely(operation) ? 'likely' : 'unknown' }),
    };
  }

  /** Returns the charge of an operation, and its refund if one was reported or seen. */
  function orderMovements(
    words: Words,
    operation: DoneOperation,
    shared: readonly SharedReturn[],
  ): Movement[] {
    const { request, result, claimedAt, settledAt } = operation;
    const { order, txHash, refunded, refundedAt, refund } = result;
    const kind = kinds.of(request);
    const price = chargeOf(kind, operation);
    const trx = price?.isApproximate ? undefined : new BigNumber(price?.trx ?? 0);
    const names = namesOf(kind, operation, order);
    const charge: Movement = {
      ...names,
      time: new Date(claimedAt).toISOString(),
      sign: statusSign(words, kind, operation, deps.now()),
      what: kind.shortTitle(words, request),
      amount: chargeText('−', price, words),
      trx: trx?.negated(),
      transaction: txHash,
      charged: operation,
    };
    const seenAt = isRefundSeen(result) ? (refund?.at ?? settledAt) : undefined;
    const at = refundedAt ?? seenAt;
    if (at === undefined) {
      const missing = missingRefund(operation, shared);
      return [missing ? { ...charge, note: words.html('movement-failed', { refund: missing }) } : charge];
    }
    const refundRow: Movement = {
      ...names,
      time: new Date(at).toISOString(),
      sign: '↩️',
      what: words.plain('movement-refund', { certainty: refunded === undefined ? 'probable' : 'reported' }),
      amount: refunded === undefined ? chargeText('+', price, words) : signed('+', refunded, words),
      trx: refunded === undefined ? trx : new BigNumber(refunded),
      refundOf: order === undefined ? [] : [order],
    };
    return [refundRow, charge];
  }

  /** Returns what came back for one of several orders, each once. */
  function sharedRefunds(
    words: Words,
    shared: readonly SharedReturn[],
    operations: readonly DoneOperation[],
  ): Movement[] {
    return shared.map(({ trx, orders, at, open }) => {
      const prices = operations.flatMap(({ result: { order = 0, price = Number.NaN } }) =>
        orders.includes(order) ? price : [],
      );
      const isOfSeveral = trx.gt(BigNumber.max(...prices));
      const format = isOfSeveral ? formatConjunction : formatAlternatives;
      return {
        time: new Date(at).toISOString(),
        sign: '↩️',
        what: words.plain('movement-refund', { certainty: 'probable' }),
        amount: signed('+', trx.toFixed(), words),
        trx,
        refundOf: orders,
        note: words.html('movement-either', {
          of: isOfSeveral ? 'several' : 'one',
          orders: format(
            [
              ...orders.map(String),
              ...(open === undefined ? [] : [words.plain('operation-ref', { id: open })]),
            ],
            words.language,
          ),
        }),
      };
    });
  }

  /** Returns a text about the refund of an order that failed or wasn't seen to arrive. The refund has no row. */
  function missingRefund(operation: DoneOperation, shared: readonly SharedReturn[]) {
    const { result, request } = operation;
    const order = orderStateOf(kinds.of(request), operation, deps.now());
    const missing = missingRefundOf(result) ?? (isRefundUnclear(result, order) ? 'unclear' : undefined);
    return missing && isAmong(shared, operation) ? 'shared' : missing;
  }

  /** Returns whether the refund of an order may be missing from the list, because the checks of the balance are unclear. */
  function mayLackRefund({ result }: DoneOperation): boolean {
    const { balance = 'same' } = result.refund ?? {};
    return result.status !== 'filled' && result.refunded === undefined && UNCLEAR_FINDINGS.includes(balance);
  }

  /** Returns whether an operation was paid from this account and is missing from the service's lists. */
  function isPaid({ account, request }: Operation, payingAccount: number): boolean {
    const kind = kinds.of(request);
    return account === payingAccount && !kind.isFree?.(request) && !kind.withdrawalAmount;
  }

  /** Returns the user's withdrawals from this account that the service has accepted. */
  function withdrawalsOf(operations: readonly Operation[], from: number): DoneOperation[] {
    return operations.flatMap((one) => {
      const isOfAccount = one.account === from && kinds.of(one.request).withdrawalAmount !== undefined;
      return isOfAccount && one.state === 'done' ? one : [];
    });
  }

  /** Applies the status that the list shows to the user's withdrawal, so that all other screens agree. */
  function applyStatus(account: number, listed: Withdrawal): Promise<unknown> {
    const { id, to_address: address, amount_trx: amount, status, tx_hash: txHash } = listed;
    const name = { account, namespace: withdrawal.name, order: id };
    return deps.operations.applyListedStatus(name, { address, amount, status, ...(txHash && { txHash }) });
  }

  /** Returns the user's operations. If the balance is new, first looks in it for refunds that weren't seen. */
  async function operationsWith(
    balance: string | undefined,
    { user, account, size }: AccountOf & { size: number },
  ) {
    const read = async () => (await history.page(user, { size })).operations;
    const operations = await read();
    const isHidden = (one: Operation) =>
      one.account === account &&
      one.state === 'done' &&
      missingRefundOf(one.result) !== undefined &&
      one.result.refund?.left?.trx !== balance;
    const hidden = operations.filter(isHidden);
    if (hidden.length === 0) return operations;
    await deps.operations.checkRefunds(hidden);
    return read();
  }

  /** `from`: number of later movements, which the pages before have. */
  async function view(
    words: Words,
    from: number,
    { balance, deposits, withdrawals, transfers }: Movements,
    { user, account }: AccountOf,
    ctx: BotContext,
  ): Promise<View> {
    const [operations, announced] = await Promise.all([
      operationsWith(balance, { user, account, size: OPERATIONS_READ * (1 + from / PAGE_SIZE) }),
      deps.addressAnnouncements.waitingFrom(account),
    ]);
    const paid = operations.filter((one) => isPaid(one, account));
    const orders = paid.filter((one) => one.state === 'done');
    const uncertain = paid.filter((one) => isUncertain(one) || one.state === 'closed');
    // Purchases of unknown result have rows.
    const isOwnWithdrawal = (one: Operation) =>
      one.account === account && kinds.of(one.request).withdrawalAmount !== undefined;
    const shared = sharedReturns(orders);
    const own = withdrawalsOf(operations, account);
    const ended = withdrawals.filter(({ id, status }) => ENDED.includes(status) && own.some(isPending(id)));
    if (ended.length > 0)
      ctx.tx.afterCommit(() => Promise.all(ended.map((one) => applyStatus(account, one))));
    // Also of other holders, whose operations show what came back.
    const failed = await Promise.all(
      withdrawals
        .filter(({ status }) => status === 'failed')
        .map(({ id }) => deps.operations.findByOrder({ account, namespace: withdrawal.name, order: id })),
    );
    const made = [...own, ...failed.flatMap((one) => (one?.state === 'done' ? one : []))];
    const madeBy = ({ id }: Withdrawal) => made.find(({ result }) => result.order === id);
    const ownOf = (withdrawal: Withdrawal) => own.find(({ result }) => result.order === withdrawal.id);
    const ownWithdrawals = operations.filter(isOwnWithdrawal);
    const unknown = listedUnknown(ownWithdrawals, withdrawals);
    const inList = [...unknown.values()];
    const all = [
      ...deposits.map((one) => depositMovement(words, one)),
      ...withdrawals.flatMap((one) =>
        withdrawalMovements(words, one, madeBy(one), (ownOf(one) ?? unknown.get(one.id))?.id),
      ),
      ...transfers.map((one) => feeMovement(words, one)),
      ...orders.flatMap((one) => orderMovements(words, one, shared)),
      ...sharedRefunds(words, shared, orders),
      ...uncertain.map((one) => uncertainMovement(words, one)),
    ];
    const listed = latestFirst(all, ({ time }) => time);
    const next = from + PAGE_SIZE;
    const shown = listed.slice(from, next);
    const isLatest = from === 0;
    const gap = isLatest ? gapOf(shown, balance) : undefined;
    const hasFees =
      transfers.length > 0 || orders.some(({ request }) => kinds.of(request).causesOngoingCosts?.(request));
    const missing = [
      ...(hasFees ? [transfers.length > 0 ? 'fees' : 'all-fees'] : []),
      // A missing refund would make the balance higher.
      ...(orders.some(mayLackRefund) && !gap?.trx.lt(0) ? ['refunds'] : []),
      ...(shown.some(({ mayLackFee }) => mayLackFee) ? ['withdrawal-fees'] : []),
    ].map((what) => words.plain('movements-missing', { what }));
    const html = paragraphs(
      words.html('movements-title'),
      ...(shown.length > 0 ? shown.map((one) => movementRow(words, one)) : [words.html('list-empty')]),
      lines(
        isLatest && balance !== undefined && words.html('operation-balance', { balance }),
        ...limitList(words, [
          ...unknownPayments(
            words,
            kinds,
            ownWithdrawals.filter((one) => !inList.includes(one)),
          ),
          ...waitingWithdrawals(words, announced, { now: deps.now(), reader: user }),
        ]),
      ),
      lines(
        words.html('movements-note', {
          pages: isLatest && shown.length === listed.length ? 'one' : 'several',
          first: String(from + 1),
          last: String(from + shown.length),
        }),
        shown.some(({ amount }) => amount?.startsWith(OF_CARD)) && words.html('movements-of-card'),
        shown.some(({ amount }) => amount?.endsWith(UNCERTAIN)) && words.html('movements-uncertain'),
        gapLine(words, gap, missing),
      ),
    );
    const isLast = next >= listed.length || next >= MAX_MOVEMENTS;
    const pages = pageButtons(words, {
      newest: isLatest ? undefined : callbackData(NAME, 'open'),
      older: isLast ? undefined : callbackData(NAME, OLDER, next),
    });
    const toBalance = button(words, 'button-balance', callbackData('menu', 'balance'));
    return withMenuButton(words, html, ...(pages.length > 0 ? [pages] : []), [toBalance]);
  }

  const pageFrom = (from: number) =>
    screen(deps, {
      name: NAME,
      menu: { button: 'button-movements', place: 'balance', for: 'linked' },
      read: readMovements,
      view: (words, movements, link, ctx) => view(words, from, movements, link, ctx),
    });

  return {
    ...pageFrom(0),
    words: ['движения', 'движение', 'перемещения', 'перемещение'],
    buttons: {
      [OLDER]: (ctx, argument) => pageFrom(pageStart(argument)).open(ctx),
    },
  };
});

/** Returns the number of movements before a page, as its button has it. */
function pageStart(argument: string): number {
  const from = Number(argument);
  return from > 0 && from < MAX_MOVEMENTS && from % PAGE_SIZE === 0 ? from : 0;
}

/** Findings of a search that don't show whether an order was refunded. */
const UNCLEAR_FINDINGS: readonly RefundSearch['balance'][] = ['moved', 'unread', 'unlinked'];

/** Statuses with which a withdrawal ends. */
const ENDED: readonly string[] = ['completed', 'failed'];

/** Returns a filter of the withdrawals that are known as pending under this number. */
const isPending =
  (id: number) =>
  ({ result: { order, status } }: DoneOperation) =>
    order === id && status === 'pending';

const isAmong = (shared: readonly SharedReturn[], { result: { order } }: DoneOperation) =>
  order !== undefined && shared.some(({ orders }) => orders.includes(order));

/** Difference between the balance and what the movements since a time explain. */
interface Gap {
  trx: BigNumber;
  /** Epoch milliseconds. */
  since: number;
}

/**
 * Returns by how much the balance is higher than the shown movements explain, since the earliest shown purchase before which
 * the balance was read. `undefined` if that isn't certain.
 */
function gapOf(shown: readonly Movement[], balance: string | undefined): Gap | undefined {
  const first = shown.findLast(({ charged }) => charged?.attempt.balanceBefore !== undefined)?.charged;
  const before = first?.attempt.balanceBefore;
  if (balance === undefined || first === undefined || before === undefined) return undefined;
  const since = first.claimedAt;
  const at = ({ time }: Movement) => Date.parse(time ?? '');
  const later = shown.filter((one) => at(one) >= since);
  const isUnclear = (one: Movement) => one.charged === undefined && !(at(one) < since - LISTED_EARLIER_MS);
  const orders = later.flatMap(({ charged }) => charged?.result.order ?? []);
  const isOfEarlier = ({ refundOf = [] }: Movement) => refundOf.some((order) => !orders.includes(order));
  if (shown.some((one) => !later.includes(one) && isUnclear(one)) || later.some(isOfEarlier))
    return undefined;
  const sum = later.reduce((total, { trx }) => total.plus(trx ?? Number.NaN), new BigNumber(before));
  return sum.isNaN() ? undefined : { trx: new BigNumber(balance).minus(sum), since };
}

function gapLine(words: Words, gap: Gap | undefined, missing: readonly string[]): string | undefined {
  const lacks = missing.length > 0 ? missing.join('; ') : 'none';
  if (gap === undefined)
    return missing.length > 0 ? words.html('movements-gap', { missing: lacks }) : undefined;
  if (gap.trx.isZero()) return undefined;
  return words.html('movements-difference', {
    trx: gap.trx.abs().toFixed(),
    is: gap.trx.gt(0) ? 'higher' : 'lower',
    missing: lacks,
    ...momentVariables(gap.since, (at) => formatMoment(at, words.language)),
  });
}

const STATUS_SIGNS: Readonly<Record<string, string>> = {
  pending: '⏳',
  confirmed: '✅',
  completed: '✅',
  expired: '⌛',
  failed: '❌',
};
const UNKNOWN_SIGN = '⚠️';
/** Statuses whose sign says enough. */
const DONE = ['confirmed', 'completed'];

function stateOf(
  words: Words,
  status: string,
  of: 'deposit' | 'withdrawal',
): Pick<Movement, 'sign' | 'note'> {
  const sign = Object.hasOwn(STATUS_SIGNS, status) ? STATUS_SIGNS[status] : undefined;
  return {
    sign: sign ?? UNKNOWN_SIGN,
    note: DONE.includes(status) ? undefined : words.html('movement-status', { status, of }),
  };
}

const UNCERTAIN = '?';
const OF_CARD = '≈';

function signed(sign: '+' | '−', amount: string | undefined, { language }: Words): string {
  return amount === undefined ? UNCERTAIN : sign + formatAmount(amount, language);
}

function chargeText(sign: '+' | '−', charge: Charge | undefined, words: Words): string {
  return `${charge?.isApproximate ? OF_CARD : ''}${signed(sign, charge?.trx, words)}`;
}

/** Returns a deposit. Only a confirmed one has changed the balance. */
function depositMovement(words: Words, deposit: DepositRecord): Movement {
  const { amount, amount_trx, currency = 'TRX', status, created_at: time, tx_hash: transaction } = deposit;
  const isCredited = status === 'confirmed';
  const credited = currency === 'TRX' ? amount : amount_trx;
  const isNamed = currency !== 'TRX' || !isCredited;
  return {
    time,
    ...stateOf(words, status, 'deposit'),
    what: words.plain('movement-deposit-of', { currency, sum: (isNamed && amount) || 'none' }),
    ...(isCredited && { amount: signed('+', credited, words) }),
    trx: isCredited ? new BigNumber(credited ?? Number.NaN) : new BigNumber(0),
    transaction,
  };
}

/** Returns the fee of a transfer that Smart Mode has served. */
function feeMovement(words: Words, { at, feeTrx, address }: ServedTransfer): Movement {
  return {
    time: at,
    sign: '🔁',
    what: words.plain('movement-fee'),
    amount: signed('−', feeTrx, words),
    trx: new BigNumber(feeTrx).negated(),
    address,
  };
}

/**
 * Returns a withdrawal with its fee, like the prices of withdrawals in the history, and the refund of a failed one. The
 * service refunds the amount (specification, section 3). It names no time of that, and doesn't say if the fee is included.
 * `made`: the operation that made it. The balance may show that the fee probably came back, too. `ownId`: id of the user's
 * operation that made it, or may have.
 */
function withdrawalMovements(
  words: Words,
  listed: Withdrawal,
  made: DoneOperation | undefined,
  ownId: string | undefined,
): Movement[] {
  const { amount_trx, fee_trx = '0', status, created_at: time, tx_hash, to_address: address } = listed;
  const withFee = new BigNumber(amount_trx).plus(fee_trx);
  const names = { time, id: ownId, address };
  const charge: Movement = {
    ...names,
    ...stateOf(words, status, 'withdrawal'),
    what: words.plain('withdrawal-short'),
    amount: signed('−', withFee.toFixed(), words),
    trx: withFee.negated(),
    transaction: tx_hash ?? undefined,
  };
  if (status !== 'failed') return [charge];
  const isSeen = made !== undefined && isRefundSeen(made.result);
  const returned = isSeen ? withFee : new BigNumber(amount_trx);
  const refund: Movement = {
    ...names,
    ...(isSeen && { time: new Date(made.result.refund?.at ?? made.settledAt).toISOString() }),
    sign: '↩️',
    what: words.plain('movement-refund', {
      certainty: isSeen && !isBackAsBefore(made) ? 'probable' : 'reported',
    }),
    amount: signed('+', returned.toFixed(), words),
    trx: returned,
    ...(!isSeen && { mayLackFee: true }),
  };
  return [refund, charge];
}

/** Renders a movement in two lines: what and how much; when, and what tells it from others. */
function movementRow(words: Words, movement: Movement): string {
  const { time, sign, what, amount, order, id, address, transaction, note } = movement;
  const at = time === undefined ? undefined : Date.parse(time);
  const url = transaction === undefined ? undefined : words.explorerUrl('transaction', transaction);
  const about = words.html('movement-about', {
    ...(at === undefined
      ? { unix: 'none', at: 'none' }
      : momentVariables(at, (moment) => formatMoment(moment, words.language))),
    order: order === undefined ? 'none' : String(order),
    id: id ?? 'none',
    to: address === undefined ? 'none' : shortenAddress(address),
  });
  return lines(
    `${sign} ${escapeHtml(what)}${amount === undefined ? '' : ` · <b>${amount}\u00a0TRX</b>`}`,
    [about, note, url && words.html('explorer-transaction', { url })].filter(Boolean).join(' · '),
  );
}

async function readMovements(reads: AccountReads): Promise<Outcome<Movements>> {
  const [deposits, withdrawals, profile, transfers = []] = await Promise.all([
    reads.deposits(),
    reads.withdrawals(),
    reads.profile(),
    servedTransfers(reads),
  ]);
  if (deposits.kind !== 'accepted') return deposits;
  if (withdrawals.kind !== 'accepted') return withdrawals;
  return {
    kind: 'accepted',
    value: {
      balance: profile.kind === 'accepted' ? profile.value.balance_trx : undefined,
      deposits: deposits.value,
      withdrawals: withdrawals.value,
      transfers,
    },
  };
}
