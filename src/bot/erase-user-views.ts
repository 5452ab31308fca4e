import { z } from 'zod';
import type { ErasureNotification } from '../accounts/erase-user.ts';
import type { Link } from '../accounts/links.ts';
import type { UserRecord } from '../accounts/users.ts';
import { lines, paragraphs, shortenAddress, type Words } from '../i18n/texts.ts';
import { isUnresolved, type Operation } from '../operations/operation.ts';
import { orTimeout } from '../platform/async.ts';
import { DAY_MS } from '../platform/clock.ts';
import { isSealed } from '../platform/encryption.ts';
import { RETENTION_REASONS, readJson } from '../platform/records.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { withMenuButton } from '../views/view.ts';
import { linkedOf, operationsOfUser, payerOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature.ts';
import { openInvoicesWarning } from './invoice-cards.ts';
import { leftAccountNote } from './report-views.ts';

/** Returns why data of an erased user is retained, one line per reason. */
export function retainedDataLines(words: Words, { isAdmin }: { isAdmin: boolean }): string {
  const reasons = isAdmin ? ([...RETENTION_REASONS, 'kept-admin'] as const) : RETENTION_REASONS;
  return lines(...reasons.map((reason) => words.html(reason)));
}

const SUBSCRIPTIONS_TIMEOUT_MS = 3_000;
const MAX_LISTED = 5;

export async function erasureWarnings(
  deps: FeatureDeps,
  ctx: BotContext,
  user: number,
): Promise<(string | false)[]> {
  const { operations, webhookSubscriptions } = deps;
  const { words } = ctx;
  const account = await linkedOf(deps, ctx)?.open();
  const draft = ctx.session.draft;
  const [isDraft, isReported, invoices, ...others] = await Promise.all([
    draft !== undefined && operations.drafts.open({ user, id: draft.operation }),
    account !== undefined &&
      !account.link.usesOperatorAccount &&
      webhookSubscriptions.isActive(account.link.account),
    invoiceWarnings(deps, words, user, account?.link.account),
    operationWarning(deps, words, user),
    account !== undefined && subscriptionWarning(deps, ctx, account.link),
    adminWarning(deps, words, user),
  ]);
  return [
    ...others,
    ...invoices,
    isDraft && words.html('forget-draft'),
    isReported && words.html('unlink-reports'),
  ].map((one) => one || false);
}

async function operationWarning({ operations }: FeatureDeps, words: Words, user: number) {
  const open = (await operationsOfUser(operations, user)).filter(isUnresolved);
  const named = ({ id, request }: Operation) =>
    `• ${operations.kinds.of(request).title(words, request)} · ${words.html('operation-number', { id })}`;
  return open.length > 0 && lines(words.html('forget-operations'), ...limitList(words, open.map(named)));
}

/** Returns `false` for the operator's account, on which no subscription belongs to the user. */
async function subscriptionWarning(deps: FeatureDeps, ctx: BotContext, link: Link) {
  const { words } = ctx;
  if (link.usesOperatorAccount) return false;
  const payer = await payerOf(deps, ctx);
  const subscriptions = payer?.read((reads) => reads.subscriptions());
  const read = subscriptions && (await orTimeout(subscriptions, SUBSCRIPTIONS_TIMEOUT_MS));
  if (read?.kind !== 'accepted') return words.html('forget-subscriptions-unknown');
  const named = read.value
    .filter(({ status }) => status !== 'deactivated')
    .map(({ label, address, status }) =>
      words.html('forget-subscription', { what: label || shortenAddress(address), status }),
    );
  return named.length > 0 && lines(words.html('forget-subscriptions'), ...limitList(words, named));
}

/** Invoices on the operator's account continue. Others can't be checked without the account's key. */
async function invoiceWarnings(
  { invoices, now }: FeatureDeps,
  words: Words,
  user: number,
  account: number | undefined,
) {
  const { trackedInvoices } = invoices.linkChanges;
  const [guests, own] = await Promise.all([
    trackedInvoices({ user, account: OPERATOR_ACCOUNT }),
    account === undefined ? [] : trackedInvoices({ user, account }),
  ]);
  const named = guests.map(({ number, priceTrx: price }) =>
    words.html('unlink-invoice', { number: String(number), price }),
  );
  const open = words.html('forget-invoices', { count: named.length });
  return [
    openInvoicesWarning(words, own, now()),
    named.length > 0 && lines(open, ...limitList(words, named)),
  ];
}

async function adminWarning({ isAdmin, broadcasts }: FeatureDeps, words: Words, user: number) {
  if (!isAdmin(user)) return false;
  const [active, scheduled] = await Promise.all([broadcasts.active(), broadcasts.scheduled()]);
  const confirmed = [...(active ? [active] : []), ...scheduled].filter(({ admin }) => admin === user);
  return words.html('forget-admin', { broadcasts: confirmed.length });
}

function limitList(words: Words, all: readonly string[]): string[] {
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), words.html('forget-more', { count: more })] : [...all];
}

/** Results after which nothing was sent, but a later attempt may succeed. */
const RETRIED_RESULTS: readonly Sent['kind'][] = ['later', 'away', 'failed'];

/**
 * Creates the function that notifies users that their data was deleted, in a message that isn't recorded.
 * Returns `unclear` if Telegram's response got lost, and `unsent` if the message wasn't delivered and must be sent again.
 */
export function createErasureNotifier(
  deps: Pick<FeatureDeps, 'texts' | 'isAdmin'> & { sender: Pick<Sender, 'send'> },
): (notification: ErasureNotification) => Promise<'notified' | 'unsent' | 'unclear'> {
  const { sender, texts, isAdmin } = deps;
  return async ({ user, language, unlinked: left }) => {
    const words = texts.in(language);
    const html = paragraphs(
      words.html('forget-done'),
      retainedDataLines(words, { isAdmin: isAdmin(user) }),
      left && leftAccountNote(words, left),
    );
    const { kind } = await sender.send(user, withMenuButton(words, html));
    if (RETRIED_RESULTS.includes(kind)) return 'unsent';
    return kind === 'unclear' ? 'unclear' : 'notified';
  };
}

/** Maximum searched entries of the admin log. 90 days have fewer. */
const MAX_LOG_ENTRIES = 10_000;

const SINGLE_RECORDS = {
  link: 'link',
  addresses: 'addresses',
  'notification-settings': 'notices',
} as const;
/** Kinds with their own section. All others are in `other`. */
const SECTIONS = new Set<string>([
  ...Object.keys(SINGLE_RECORDS),
  ...['conversation', 'user', 'operation', 'invoice', 'notification'],
]);

const createdSchema = z.looseObject({ createdAt: z.number() });
const cardsSchema = z.looseObject({ cards: z.array(z.looseObject({ chat: z.number() })) });

/** Copies all records of a user as indented JSON without sealed secrets, and parts of other records. */
export async function copyOfUserData(
  deps: FeatureDeps,
  { tx }: BotContext,
  user: number,
): Promise<{ text: string } | { waitMs: number }> {
  const { userRecords, users, addressAnnouncements, now } = deps;
  const read = await userRecords.read(user);
  if ('waitMs' in read) return read;
  const { records } = read;
  const of = (kind: string) => records.filter((one) => one.kind === kind);
  const operations = of('operation').map(({ name }) => name);
  const [person, withdrawnTo, adminActs] = await Promise.all([
    users.find(user),
    addressAnnouncements.ofUser(user),
    logEntriesAbout(deps, user, operations),
  ]);
  const day = (days: number) => new Date(days * DAY_MS).toISOString().slice(0, 10);
  const single = Object.entries(SINGLE_RECORDS).map(([kind, name]) => [name, of(kind)[0]?.value]);
  const copy = {
    user,
    asOf: new Date(now()).toISOString(),
    person: person && { ...person, firstDay: day(person.firstDay), lastDay: day(person.lastDay) },
    // Both as stored before this tap, which leaves an open flow.
    session: readJson(z.unknown(), tx.session) ?? {},
    openQuestion: readJson(z.unknown(), tx.loadedConversation),
    ...Object.fromEntries(single),
    withdrawnTo,
    notifications: of('notification').map(notification),
    operations: latestFirst(of('operation')),
    invoices: latestFirst(of('invoice')).map((invoice) => withOwnCards(invoice, user)),
    adminActs,
    other: byKind(records.filter(({ kind }) => !SECTIONS.has(kind))),
  };
  return { text: JSON.stringify(copy, withoutSealed, 2) };
}

async function logEntriesAbout({ adminLog }: FeatureDeps, user: number, operations: readonly string[]) {
  const known = new Set([String(user), ...operations]);
  const entries = await adminLog.latest(MAX_LOG_ENTRIES);
  return entries
    .filter(({ admin, about = '' }) => admin === user || known.has(about.split(':')[0] ?? ''))
    .map(({ at, action: act, about, admin }) => ({ at, act, about, ...(admin === user && { byYou: true }) }));
}

function latestFirst(records: readonly UserRecord[]) {
  const found = records.flatMap(({ value }) => createdSchema.safeParse(value).data ?? []);
  return found.toSorted((one, other) => other.createdAt - one.createdAt);
}

function notification({ name, value }: UserRecord): object {
  return typeof value === 'object' ? { name, ...value } : { name, sent: true };
}

function withOwnCards(invoice: object, user: number): object {
  const { data } = cardsSchema.safeParse(invoice);
  return data === undefined ? invoice : { ...data, cards: data.cards.filter(({ chat }) => chat === user) };
}

function byKind(records: readonly UserRecord[]): Record<string, unknown> {
  const kinds: Record<string, Record<string, unknown>> = {};
  for (const { kind, name, value } of records) kinds[kind] = { ...kinds[kind], [name || 'value']: value };
  return kinds;
}

function withoutSealed(_key: string, value: unknown): unknown {
  return typeof value === 'string' && isSealed(value) ? 'encrypted, not included' : value;
}
