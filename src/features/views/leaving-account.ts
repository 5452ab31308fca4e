import type { Link } from '../../accounts/links.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import type { Session } from '../../bot/session.ts';
import {
  escapeHtml,
  lines,
  paragraphs,
  rentalEndVariables,
  shortenAddress,
  type Words,
} from '../../i18n/texts.ts';
import {
  type Invoice,
  invoiceStateOf,
  isPayable,
  isRevokedFor,
  isTracked,
  listedStateOf,
} from '../../invoices/invoice.ts';
import type { RentalReminders } from '../../notifications/rental-reminders.ts';
import { operationLine } from '../../operations/card.ts';
import { isUnresolved, type Operation } from '../../operations/operation.ts';
import { isFollowed, isRefundAwaited, rentedUntil } from '../../operations/order-state.ts';
import { orTimeout } from '../../platform/async.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import { waitingWithdrawals } from './waiting-money.ts';

const SUBSCRIPTIONS_TIMEOUT_MS = 3_000;
const MAX_LISTED = 5;
/** Maximum number of opened invoices in the search, latest first. */
const MAX_OPENED = 20;
const PAGE_SIZE = 50;
/** Maximum operations that can be read in the time of a handler. */
const MAX_OPERATIONS = 1_000;

/** User whose link may end. `reader`: reader of the warnings. `draft`: open card of the user, if it is known. */
interface Leaving {
  user: number;
  linked: { link: Link; apiKey: string | undefined } | undefined;
  draft?: Session['draft'];
  reader: 'user' | 'admin';
  /** Returns when the user is reminded of a rental's end, in epoch milliseconds. Set if the reminders end too. */
  remindAt?: RentalReminders['onReceipt'];
}

/** Returns warnings, in Telegram's HTML, about things that end with the user's link or continue without it. */
export async function leavingWarnings(
  deps: FeatureDeps,
  words: Words,
  { user, linked, draft, reader, remindAt }: Leaving,
): Promise<(string | false)[]> {
  const { operations, webhookSubscriptions, invoices, now } = deps;
  const own = linked?.link.usesOperatorAccount ? undefined : linked;
  const account = linked?.link.account;
  const [isDraft, isReported, tracked, unfinished, subscriptions, held] = await Promise.all([
    draft !== undefined && operations.drafts.open({ user, id: draft.operation }),
    own !== undefined && webhookSubscriptions.isActive(own.link.account),
    linked === undefined ? [] : invoices.linkChanges.trackedInvoices({ user, account: linked.link.account }),
    operationsWarning(deps, words, { user, linked, reader, remindAt }),
    linked !== undefined && subscriptionsWarning(deps, words, linked, reader),
    account === undefined ? [] : deps.addressAnnouncements.waitingOf({ user, account }),
  ]);
  return [
    unfinished,
    held.length > 0 &&
      lines(
        words.html('leaving-holds'),
        ...limitList(words, waitingWithdrawals(words, held, { now: now(), reader: user })),
      ),
    subscriptions,
    openInvoicesWarning(words, tracked, now()),
    isDraft !== undefined && isDraft !== false && words.html('leaving-draft'),
    isReported && words.html('leaving-reports', { reader }),
  ];
}

/** Returns a warning about invoices that can't be checked without the key, or `false` without any. */
function openInvoicesWarning(words: Words, invoices: readonly Invoice[], now: number): string | false {
  const count = invoices.length;
  if (count === 0) return false;
  return lines(
    words.html('unlink-invoices', { count }),
    ...limitList(
      words,
      invoices.map((one) => invoiceLineWithState(words, one, now)),
    ),
    words.html('unlink-invoices-after'),
  );
}

/**
 * Returns texts about invoices that continue when the user is erased: a guest's, which are on the operator's account, and
 * those of others that the user has opened.
 */
export async function guestInvoiceNotes(
  { invoices, now }: Pick<FeatureDeps, 'invoices' | 'now'>,
  words: Words,
  { user, reader }: Pick<Leaving, 'user' | 'reader'>,
): Promise<(string | false)[]> {
  const [own, opened] = await Promise.all([
    invoices.linkChanges.trackedInvoices({ user, account: OPERATOR_ACCOUNT }),
    invoices.opened(user, MAX_OPENED),
  ]);
  const guests = [...own, ...opened.filter((one) => isTracked(one, now()))];
  const canBePaid = (one: Invoice) => isPayable(invoiceStateOf(one, now())) && !isRevokedFor(one, user);
  const listOf = (key: 'forget-invoices' | 'forget-invoices-unpayable', all: string[]) =>
    all.length > 0 && lines(words.html(key, { count: all.length, reader }), ...limitList(words, all));
  return [
    listOf(
      'forget-invoices',
      guests.filter(canBePaid).map((one) => invoiceLine(words, one)),
    ),
    listOf(
      'forget-invoices-unpayable',
      guests.filter((one) => !canBePaid(one)).map((one) => invoiceLineWithState(words, one, now())),
    ),
  ];
}

/** Returns an invoice's line in a warning. */
function invoiceLine(words: Words, { number, priceTrx: trx, priceUsdt: usdt, note }: Invoice): string {
  const line = words.html('unlink-invoice', { number: String(number), trx, usdt });
  return note === undefined ? line : `${line} · ${escapeHtml(note)}`;
}

function invoiceLineWithState(words: Words, invoice: Invoice, now: number): string {
  return `${words.html(`invoices-${listedStateOf(invoice, now)}`)} · ${invoiceLine(words, invoice)}`;
}

/** Returns a user's {@link MAX_OPERATIONS} latest confirmed operations, latest first. */
export async function operationsOfUser(
  { history }: FeatureDeps['operations'],
  user: number,
): Promise<Operation[]> {
  const all: Operation[] = [];
  let after: string | undefined;
  do {
    const page = await history.page(user, { size: PAGE_SIZE, after });
    all.push(...page.operations);
    after = page.older;
  } while (after !== undefined && all.length < MAX_OPERATIONS);
  return all;
}

type UnfinishedDeps = Pick<FeatureDeps, 'operations' | 'isAdmin' | 'now'>;

/**
 * Returns whether the link's end affects an operation: it is of the link's account. Without a link (`account` is missing),
 * those of all accounts count, because their keys aren't here any more. The operator's key stays here.
 */
function isAffected(
  { isAdmin }: UnfinishedDeps,
  { account, usesOperatorAccount, user }: Operation,
  linked: number | undefined,
): boolean {
  return !(usesOperatorAccount && isAdmin(user)) && (linked === undefined || account === linked);
}

/** Returns whether the user isn't told how an operation ends once the link has ended. Without a link, nothing is followed. */
function isUnfinished(deps: UnfinishedDeps, operation: Operation, linked: number | undefined): boolean {
  if (!isAffected(deps, operation, linked)) return false;
  const kind = deps.operations.kinds.of(operation.request);
  return isUnresolved(operation) || (linked !== undefined && isFollowed(kind, operation, deps.now()));
}

/** Returns a line for each operation whose result would have been reported to the user, whose link has ended. */
export async function unfinishedLines(
  deps: UnfinishedDeps,
  words: Words,
  { user, account }: { user: number; account: number },
): Promise<string[]> {
  const { kinds } = deps.operations;
  return (await operationsOfUser(deps.operations, user))
    .filter((one) => isUnfinished(deps, one, account))
    .map((one) => `• ${operationLine(words, kinds.of(one.request), one)}`);
}

async function operationsWarning(
  deps: FeatureDeps,
  words: Words,
  { user, linked, reader, remindAt }: Pick<Leaving, 'user' | 'linked' | 'reader' | 'remindAt'>,
) {
  const { operations, now } = deps;
  const { kinds } = operations;
  const account = linked?.link.account;
  const every = await operationsOfUser(operations, user);
  const open = every.filter((one) => isUnfinished(deps, one, account)).map(lineOf);
  const checked = every
    .filter((one) => isAffected(deps, one, account))
    .filter((one) => isRefundAwaited(kinds, one) && one.result.status === 'failed')
    .map(lineOf);
  function lineOf(operation: Operation): string {
    return `• ${operationLine(words, kinds.of(operation.request), operation)}`;
  }
  const reminders = (await Promise.all(every.map(reminderOf))).filter((line) => line !== undefined);
  async function reminderOf(operation: Operation): Promise<string | undefined> {
    const kind = kinds.of(operation.request);
    if (remindAt === undefined || (rentedUntil(kind, operation) ?? 0) <= now()) return undefined;
    const at = await remindAt(operation);
    const hours = kind.rentedHours?.(operation.request) ?? 0;
    if (typeof at !== 'number') return undefined;
    const end = rentalEndVariables(at, { hours, language: words.language });
    return `${lineOf(operation)} · ${words.html('rental-reminder', end)}`;
  }
  return (
    open.length + checked.length + reminders.length > 0 &&
    paragraphs(
      open.length > 0 && lines(words.html('leaving-operations', { reader }), ...limitList(words, open)),
      checked.length > 0 && lines(words.html('leaving-refunds', { reader }), ...limitList(words, checked)),
      reminders.length > 0 && lines(words.html('leaving-reminders'), ...limitList(words, reminders)),
    )
  );
}

/** Returns a warning about Smart Mode. Subscriptions on the operator's account don't belong to the user. */
export async function subscriptionsWarning(
  { accountReader }: Pick<FeatureDeps, 'accountReader'>,
  words: Words,
  { link: { account, usesOperatorAccount }, apiKey }: { link: Link; apiKey: string | undefined },
  reader: Leaving['reader'] | 'suspending',
) {
  if (usesOperatorAccount) return false;
  const reading =
    apiKey === undefined
      ? undefined
      : accountReader.open({ account, apiKey }).read((reads) => reads.subscriptions());
  const read = reading && (await orTimeout(reading, SUBSCRIPTIONS_TIMEOUT_MS));
  if (read?.kind !== 'accepted') return words.html('leaving-subscriptions-unknown');
  const left = read.value.filter(({ status }) => status !== 'deactivated');
  const listOf = (key: 'leaving-subscriptions' | 'leaving-subscriptions-paused', isPaused: boolean) => {
    const named = left
      .filter(({ status }) => (status === 'paused') === isPaused)
      .map(({ label, address, status }) =>
        words.html('leaving-subscription', {
          what: label ? `${label} → ${shortenAddress(address)}` : shortenAddress(address),
          status,
        }),
      );
    return named.length > 0 && lines(words.html(key, { reader }), ...limitList(words, named));
  };
  return (
    left.length > 0 &&
    paragraphs(listOf('leaving-subscriptions', false), listOf('leaving-subscriptions-paused', true))
  );
}

/** Returns the first lines of a list, and how many more there are. */
export function limitList(words: Words, all: readonly string[]): string[] {
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), words.html('list-more', { count: more })] : [...all];
}
