import { BigNumber } from 'bignumber.js';
import { depositAddressNote, linkOf, screen } from '../bot/accounts.ts';
import { defineFeature } from '../bot/feature.ts';
import {
  formatAlternatives,
  formatAmount,
  formatConjunction,
  formatCount,
  formatListTime,
  formatMoment,
  formatShortDay,
  lines,
  momentVariables,
  paragraphs,
  type Words,
} from '../i18n/texts.ts';
import { type SharedReturn, sharedReturns } from '../operations/balance-rises.ts';
import { statusSign } from '../operations/card.ts';
import { kindText, type OperationKind, type RefundSearch } from '../operations/kinds/kind.ts';
import {
  type Charge,
  type ConfirmedOperation,
  chargeOf,
  type DoneOperation,
  isLikely,
  isUncertain,
  type Operation,
} from '../operations/operation.ts';
import { isRefundSeen, missingRefundOf } from '../operations/order-state.ts';
import { qrCode } from '../pictures/qr-code.ts';
import type { AccountReads } from '../rental-api/account-reader.ts';
import type { Outcome } from '../rental-api/client.ts';
import type { DepositInfo, DepositRecord, Withdrawal } from '../rental-api/schemas.ts';
import { readAddress } from '../rental-api/tron.ts';
import type { ServedTransfer } from '../rental-api/webhook.ts';
import { callbackData } from '../views/callback-data.ts';
import { transactionLinks } from '../views/explorer-links.ts';
import { ELLIPSIS, leadingEmoji, renderTable } from '../views/tables.ts';
import { button, type View, withMenuButton } from '../views/view.ts';
import { latestFirst } from './views/latest-first.ts';
import { limitList } from './views/leaving-account.ts';
import { servedTransfers } from './views/served-transfers.ts';
import { waitingWithdrawals } from './views/waiting-money.ts';

const DEPOSIT = 'deposit';
const HISTORY = 'history';
const MAX_DEPOSITS = 10;
/** Maximum number of currencies shown. A longer list would be an error of the service. */
const MAX_CURRENCIES = 5;

export const depositFeature = defineFeature((deps) => {
  const history = screen(deps, {
    name: DEPOSIT,
    retryButton: HISTORY,
    read: (reads) => reads.deposits(),
    view: depositHistory,
  });
  const card = screen(deps, {
    name: DEPOSIT,
    menu: { button: 'button-deposit', place: 'balance', for: 'linked' },
    command: { name: 'deposit', text: 'command-deposit', linked: true },
    buttons: { [HISTORY]: history.open },
    read: (reads) => reads.depositInfo(),
    view: (words, info, { user, account }, ctx) =>
      depositCard(words, info, (address) => depositAddressNote(deps, ctx, { user, account, address })),
  });
  return {
    ...card,
    buttonWords: {
      [HISTORY]: [
        'where is my deposit',
        "where's my deposit",
        'где мой депозит',
        'где моё пополнение',
        'где пополнение',
      ],
    },
    async open(ctx) {
      await card.open(ctx);
      const link = await linkOf(deps, ctx);
      // A user who opens this is about to send money, so the deposit must be found even without an event.
      if (link) ctx.tx.afterCommit(() => deps.pollers.pollSoon(link.account, 'deposits'));
    },
  };
});

const balanceButton = (words: Words) => button(words, 'button-balance', callbackData('menu', 'balance'));

async function depositCard(
  words: Words,
  info: DepositInfo,
  noteOf: (address: string) => Promise<string | false>,
): Promise<View> {
  // Deposits to a wrong address are lost, so an address with a wrong checksum isn't shown.
  const read = readAddress(info.deposit_address);
  if (!read.ok) {
    const again = button(words, 'button-try-again', callbackData(DEPOSIT, 'open'));
    return withMenuButton(words, words.html('deposit-unreadable'), [again]);
  }
  const { address } = read;
  const copy = { text: words.plain('button-copy-address'), copy_text: { text: address } };
  const history = button(words, 'button-deposit-history', callbackData(DEPOSIT, HISTORY));
  const html = paragraphs(
    await noteOf(address),
    words.html('deposit-card', {
      rate: info.usdt_to_trx_rate ?? 'none',
      currencies: formatAlternatives(info.accepted_currencies.slice(0, MAX_CURRENCIES), words.language),
      address,
    }),
  );
  return { ...withMenuButton(words, html, [copy, history], [balanceButton(words)]), photo: qrCode(address) };
}

function depositHistory(words: Words, deposits: DepositRecord[]): View {
  const shown = latestFirst(deposits, ({ created_at }) => created_at).slice(0, MAX_DEPOSITS);
  const html = paragraphs(
    words.html('deposit-history'),
    ...(shown.length > 0 ? shown.map((deposit) => depositLine(words, deposit)) : [words.html('list-empty')]),
    deposits.length > MAX_DEPOSITS && words.html('list-latest', { most: MAX_DEPOSITS }),
  );
  return withMenuButton(words, html, [balanceButton(words)]);
}

function depositLine(
  words: Words,
  { amount, amount_trx: trx, currency, status, created_at }: DepositRecord,
): string {
  const isConverted = status === 'confirmed' && currency !== 'TRX';
  return words.html('movement-deposit', {
    ...momentOf(words, created_at),
    amount: amount ?? '?',
    currency: currency ?? '',
    trx: (isConverted && trx) || 'none',
    status,
  });
}

function momentOf({ language }: Words, time: string | undefined) {
  if (time === undefined) return { unix: 'none', at: 'none' };
  return momentVariables(Date.parse(time), (at) => formatMoment(at, language));
}

const MAX_MOVEMENTS = 15;
/** Operations read for the list. More than {@link MAX_MOVEMENTS}: some may be free or belong to another account. */
const OPERATIONS_READ = 40;

interface Movements {
  /** Balance in TRX (decimal), if it could be read. */
  balance: string | undefined;
  deposits: DepositRecord[];
  withdrawals: Withdrawal[];
  /** Transfers that Smart Mode has charged, as far as the service's log has them. */
  transfers: readonly ServedTransfer[];
}

interface Movement {
  /** ISO 8601. */
  time: string | undefined;
  /** Emoji of the state. */
  sign: string;
  /** Number of the order at the service. */
  order?: number | undefined;
  what: string;
  /** Shorter words for a table whose lines would be too long. */
  short: string;
  amount: string;
  transaction?: string | undefined;
  /** Line below the table with details of the row, as Telegram HTML. */
  note?: string | undefined;
  /** Whether the service may have returned more than the amount. */
  mayLackFee?: true;
}

/** Lists the account's payments. The service lists no orders, so these are the user's operations. */
export const movementsFeature = defineFeature((deps) => {
  const { history, kinds } = deps.operations;

  /** Returns the charge of an operation whose result is unknown. */
  function uncertainMovement(words: Words, operation: ConfirmedOperation): Movement {
    const { request, claimedAt } = operation;
    const kind = kinds.of(request);
    return {
      time: new Date(claimedAt).toISOString(),
      sign: statusSign(words, kind, operation, deps.now()),
      what: kind.shortTitle(words, request),
      short: shortName(words, kind),
      amount: isLikely(operation)
        ? chargeText('−', chargeOf(kind, operation), words)
        : `${signed('−', operation.estimate, words)}${operation.estimate === undefined ? '' : UNCERTAIN}`,
      note: words.html('movement-unknown', { outcome: isLikely(operation) ? 'likely' : 'unknown' }),
    };
  }

  /** Returns the charge of an operation, and its refund if one was reported or seen. */
  function orderMovements(
    words: Words,
    operation: DoneOperation,
    shared: readonly SharedReturn[],
  ): Movement[] {
    const { request, result, claimedAt } = operation;
    const { order, txHash, refunded, refundedAt, refund } = result;
    const kind = kinds.of(request);
    const price = chargeOf(kind, operation);
    const charge: Movement = {
      time: new Date(claimedAt).toISOString(),
      sign: statusSign(words, kind, operation, deps.now()),
      order,
      what: kind.shortTitle(words, request),
      short: shortName(words, kind),
      amount: chargeText('−', price, words),
      transaction: txHash,
    };
    const at = refundedAt ?? (isRefundSeen(result) ? refund?.at : undefined);
    if (at === undefined) {
      const missing = missingRefund(operation, shared);
      return [missing ? { ...charge, note: words.html('movement-failed', { refund: missing }) } : charge];
    }
    const certainty = refunded === undefined ? 'probable' : 'reported';
    const returned: Movement = {
      time: new Date(at).toISOString(),
      sign: '↩️',
      order,
      what: words.plain('movement-refund', { certainty }),
      short: words.plain('movement-refund', { certainty: refunded === undefined ? 'short' : certainty }),
      amount: refunded === undefined ? chargeText('+', price, words) : signed('+', refunded, words),
    };
    return [charge, returned];
  }

  /** Returns what came back for one of several orders, each once. */
  function sharedRefunds(words: Words, operations: readonly DoneOperation[]): Movement[] {
    return sharedReturns(operations).map(({ trx, orders, at }) => {
      const prices = operations.flatMap(({ result: { order = 0, price = Number.NaN } }) =>
        orders.includes(order) ? price : [],
      );
      const isOfSeveral = trx.gt(BigNumber.max(...prices));
      const format = isOfSeveral ? formatConjunction : formatAlternatives;
      return {
        time: new Date(at).toISOString(),
        sign: '↩️',
        what: words.plain('movement-refund', { certainty: 'probable' }),
        short: words.plain('movement-refund', { certainty: 'short' }),
        amount: signed('+', trx.toFixed(), words),
        note: words.html('movement-either', {
          of: isOfSeveral ? 'several' : 'one',
          orders: format(orders.map(String), words.language),
        }),
      };
    });
  }

  /** Returns a text about the refund of a failed order. The refund has no row. */
  function missingRefund({ result }: DoneOperation, shared: readonly SharedReturn[]) {
    const { order } = result;
    const missing = missingRefundOf(result);
    const isShared = order !== undefined && shared.some(({ orders }) => orders.includes(order));
    return missing && isShared ? 'shared' : missing;
  }

  /** Returns whether the refund of an order may be missing from the list, because the checks of the balance are unclear. */
  function mayLackRefund({ result }: DoneOperation): boolean {
    const { balance = 'same' } = result.refund ?? {};
    return result.status !== 'filled' && result.refunded === undefined && UNCLEAR_FINDINGS.includes(balance);
  }

  /** Returns whether the balance shows that a failed withdrawal from this account probably came back with its fee. */
  function isReturnSeen(operation: Operation, from: number): operation is DoneOperation {
    const { account, request, state } = operation;
    const isOfAccount = account === from && kinds.of(request).withdrawalAmount !== undefined;
    return isOfAccount && state === 'done' && isRefundSeen(operation.result);
  }

  /** Returns whether an operation was paid from this account and is missing from the service's lists. */
  function isPaid({ account, request }: Operation, payingAccount: number): boolean {
    const kind = kinds.of(request);
    return account === payingAccount && !kind.isFree?.(request) && !kind.withdrawalAmount;
  }

  async function view(
    words: Words,
    { balance, deposits, withdrawals, transfers }: Movements,
    { user, account }: { user: number; account: number },
  ): Promise<View> {
    const [{ operations }, announced] = await Promise.all([
      history.page(user, { size: OPERATIONS_READ }),
      deps.addressAnnouncements.waitingOf({ user, account }),
    ]);
    const paid = operations.filter((one) => isPaid(one, account));
    const orders = paid.filter((one) => one.state === 'done');
    const uncertain = paid.filter((one) => isUncertain(one) || one.state === 'closed');
    const shared = sharedReturns(orders);
    const returned = operations.flatMap((one) =>
      isReturnSeen(one, account) ? (one.result.order ?? []) : [],
    );
    const all = [
      ...deposits.map((one) => depositMovement(words, one)),
      ...withdrawals.flatMap((one) => withdrawalMovements(words, one, returned.includes(one.id))),
      ...transfers.map((one) => feeMovement(words, one)),
      ...orders.flatMap((one) => orderMovements(words, one, shared)),
      ...sharedRefunds(words, orders),
      ...uncertain.map((one) => uncertainMovement(words, one)),
    ];
    const shown = latestFirst(all, ({ time }) => time).slice(0, MAX_MOVEMENTS);
    const hasFees =
      transfers.length > 0 || orders.some(({ request }) => kinds.of(request).causesOngoingCosts?.(request));
    const missing = [
      ...(hasFees ? [transfers.length > 0 ? 'fees' : 'all-fees'] : []),
      ...(orders.some(mayLackRefund) ? ['refunds'] : []),
      ...(shown.some(({ mayLackFee }) => mayLackFee) ? ['withdrawal-fees'] : []),
    ].map((what) => words.plain('movements-missing', { what }));
    const html = paragraphs(
      words.html('movements-title'),
      shown.length > 0 ? movementTable(words, shown) : words.html('list-empty'),
      lines(
        balance !== undefined && words.html('operation-balance', { balance }),
        ...limitList(words, waitingWithdrawals(words, announced, deps.now())),
      ),
      lines(
        words.html('movements-note', { most: MAX_MOVEMENTS }),
        shown.some(({ amount }) => amount.startsWith(OF_CARD)) && words.html('movements-of-card'),
        shown.some(({ amount }) => amount.endsWith(UNCERTAIN)) && words.html('movements-uncertain'),
        missing.length > 0 && words.html('movements-gap', { missing: missing.join('; ') }),
      ),
    );
    return withMenuButton(words, html, [balanceButton(words)]);
  }

  return screen(deps, {
    name: 'movements',
    menu: { button: 'button-movements', place: 'balance', for: 'linked' },
    read: readMovements,
    view,
  });
});

/** Findings of a search that don't show whether an order was refunded. */
const UNCLEAR_FINDINGS: readonly RefundSearch['balance'][] = ['moved', 'unread', 'unlinked'];

const STATUS_SIGNS: Readonly<Record<string, string>> = {
  pending: '⏳',
  confirmed: '✅',
  completed: '✅',
  expired: '⌛',
  failed: '❌',
};
const UNKNOWN_SIGN = '⚠️';

function stateOf(words: Words, status: string): Pick<Movement, 'sign' | 'note'> {
  return Object.hasOwn(STATUS_SIGNS, status)
    ? { sign: STATUS_SIGNS[status] ?? UNKNOWN_SIGN }
    : { sign: UNKNOWN_SIGN, note: words.html('movement-status', { status }) };
}

const UNCERTAIN = '?';
const OF_CARD = '≈';

function signed(sign: '+' | '−', amount: string | undefined, { language }: Words): string {
  return amount === undefined ? UNCERTAIN : sign + formatAmount(amount, language);
}

function chargeText(sign: '+' | '−', charge: Charge | undefined, words: Words): string {
  return `${charge?.isApproximate ? OF_CARD : ''}${signed(sign, charge?.trx, words)}`;
}

/** Returns the name of a kind without its emoji. */
function shortName(words: Words, kind: OperationKind): string {
  const name = words.plain(kindText(kind, 'filter'));
  return name.slice(leadingEmoji(name).length).trimStart();
}

function depositMovement(words: Words, deposit: DepositRecord): Movement {
  const { amount, amount_trx, currency = 'TRX', status, created_at: time, tx_hash: transaction } = deposit;
  const isTrx = currency === 'TRX';
  const credited = isTrx ? amount : status === 'confirmed' ? amount_trx : undefined;
  const { language } = words;
  const isWhole = Number.isInteger(Number(amount));
  const known = isWhole ? formatCount(Number(amount), language) : amount && formatAmount(amount, language);
  const about = { currency, amount: known ?? 'none' };
  return {
    time,
    ...stateOf(words, status),
    what: words.plain('movement-deposit-long', about),
    short: words.plain('movement-deposit-short', about),
    amount: signed('+', credited, words),
    transaction,
  };
}

/** Returns the fee of a transfer that Smart Mode has served. */
function feeMovement(words: Words, { at, feeTrx }: ServedTransfer): Movement {
  return {
    time: at,
    sign: '🔁',
    what: words.plain('movement-fee', { length: 'long' }),
    short: words.plain('movement-fee', { length: 'short' }),
    amount: signed('−', feeTrx, words),
  };
}

/**
 * Returns a withdrawal with its fee, like the prices of withdrawals in the history, and the refund of a failed one. The
 * service refunds the amount (specification, section 3). It names no time of that, and doesn't say if the fee is included.
 * `isSeen`: the balance shows that it probably is.
 */
function withdrawalMovements(words: Words, withdrawal: Withdrawal, isSeen: boolean): Movement[] {
  const { amount_trx, fee_trx = '0', status, created_at: time, tx_hash } = withdrawal;
  const what = words.plain('withdrawal-short');
  const withFee = new BigNumber(amount_trx).plus(fee_trx).toFixed();
  const amount = signed('−', withFee, words);
  const transaction = tx_hash ?? undefined;
  const charge = { time, ...stateOf(words, status), what, short: what, amount, transaction };
  if (status !== 'failed') return [charge];
  const refund: Movement = {
    time,
    sign: '↩️',
    what: words.plain('movement-refund', { certainty: isSeen ? 'probable' : 'reported' }),
    short: words.plain('movement-refund', { certainty: isSeen ? 'short' : 'reported' }),
    amount: signed('+', isSeen ? withFee : amount_trx, words),
    ...(!isSeen && { mayLackFee: true }),
  };
  return [refund, charge];
}

/**
 * Renders the movements with links to their transactions. Links and lines below the table name an order by its number, and any
 * other row by its time and amount.
 */
function movementTable(words: Words, movements: readonly Movement[]): string {
  const named = movements.map((movement) => ({ ...movement, name: nameOf(words, movement) }));
  const links = transactionLinks(words, named);
  const notes = named.flatMap(({ name, note }) => (note === undefined ? [] : `${name}: ${note}`));
  const tableOf = (length: 'what' | 'short') =>
    renderTable(
      ['left', 'left', 'left', 'shrinking', 'right'],
      movements.map((one) => [
        String(one.order ?? ''),
        one.time === undefined ? '–' : formatShortDay(Date.parse(one.time), words.language),
        one.sign,
        one[length],
        one.amount,
      ]),
    );
  const table = tableOf('what');
  return paragraphs(table.includes(ELLIPSIS) ? tableOf('short') : table, lines(links, ...notes));
}

function nameOf({ language }: Words, { order, time, amount }: Movement): string {
  if (order !== undefined) return String(order);
  return time === undefined ? amount : `${formatListTime(Date.parse(time), language)} (${amount})`;
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
