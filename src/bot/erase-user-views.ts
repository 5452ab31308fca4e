import { z } from 'zod';
import type { ErasureNotification } from '../accounts/erase-user.ts';
import type { Link } from '../accounts/links.ts';
import type { UserRecord } from '../accounts/users.ts';
import { shortenAddress } from '../i18n/formats.ts';
import type { Texts, Words } from '../i18n/texts.ts';
import { lines, paragraphs, withMenuButton } from '../i18n/view.ts';
import { isUnresolved, type Operation } from '../operations/operation.ts';
import { isSealed } from '../platform/encryption.ts';
import { readJson } from '../platform/records.ts';
import { orTimeout } from '../platform/retry.ts';
import { RETENTION_REASONS } from '../platform/stored-data.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { linkedOf, operationsOfUser } from './accounts.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature.ts';
import { openInvoicesWarning } from './invoice-cards.ts';
import { leftAccountNote } from './report-views.ts';

/** Returns what is retained of a user whose data is deleted, and why, one line each. */
export function retainedDataLines(words: Words, { isAdmin }: { isAdmin: boolean }): string {
  const reasons = isAdmin ? ([...RETENTION_REASONS, 'kept-admin'] as const) : RETENTION_REASONS;
  return lines(...reasons.map((reason) => words.html(reason)));
}

const SUBSCRIPTIONS_TIMEOUT_MS = 3_000;
/** Maximum number of items of each kind that are listed. */
const MAX_LISTED = 5;

interface Deps
  extends Pick<
    FeatureDeps,
    'operations' | 'invoices' | 'rental' | 'links' | 'webhookSubscriptions' | 'broadcasts' | 'isAdmin' | 'now'
  > {}

/**
 * Creates the function that returns warnings to show before a user's data is deleted, one paragraph each: what
 * continues anyway, and what ends.
 */
export function createErasureWarnings(deps: Deps) {
  const { operations, invoices, rental, webhookSubscriptions, broadcasts, isAdmin, now } = deps;

  async function ofOperations(words: Words, user: number) {
    const open = (await operationsOfUser(operations, user)).filter(isUnresolved);
    const named = ({ id, request }: Operation) =>
      `• ${operations.kinds.of(request).title(words, request)} · ${words.html('operation-number', { id })}`;
    return open.length > 0 && lines(words.html('forget-operations'), ...firstOf(words, open.map(named)));
  }

  /** Returns `false` for the operator's account, on which no subscription belongs to the user. */
  async function ofSubscriptions(words: Words, account: { link: Link; apiKey: string | undefined }) {
    if (account.link.operators) return false;
    const { apiKey } = account;
    const asked =
      apiKey === undefined
        ? undefined
        : await orTimeout(rental.subscriptions(apiKey), SUBSCRIPTIONS_TIMEOUT_MS);
    if (asked?.kind !== 'accepted') return words.html('forget-subscriptions-unknown');
    const running = asked.value.filter(({ status }) => status !== 'deactivated');
    const named = running.map(({ label, address, status }) =>
      words.html('forget-subscription', { what: label || shortenAddress(address), status }),
    );
    return named.length > 0 && lines(words.html('forget-subscriptions'), ...firstOf(words, named));
  }

  /** Invoices on the operator's account continue. Others can't be checked without the account's key. */
  async function ofInvoices(words: Words, user: number, account: number | undefined) {
    const [guests, own = []] = await Promise.all(
      [OPERATOR_ACCOUNT, ...(account === undefined ? [] : [account])].map((of) =>
        invoices.linkChanges.trackedInvoices({ user, account: of }),
      ),
    );
    const named = (guests ?? []).map(({ number, priceTrx: price }) =>
      words.html('unlink-invoice', { number: String(number), price }),
    );
    const open = words.html('forget-invoices', { count: named.length });
    return [
      openInvoicesWarning(words, own, { about: 'unlink', now: now() }),
      named.length > 0 && lines(open, ...firstOf(words, named)),
    ];
  }

  async function ofAdmin(words: Words, user: number) {
    if (!isAdmin(user)) return false;
    const [active, scheduled] = await Promise.all([broadcasts.active(), broadcasts.scheduled()]);
    const confirmed = [...(active ? [active] : []), ...scheduled].filter(({ admin }) => admin === user);
    return words.html('forget-admin', { broadcasts: confirmed.length });
  }

  return async (ctx: BotContext, user: number): Promise<(string | false)[]> => {
    const { words } = ctx;
    const account = await linkedOf(deps, ctx)?.open();
    const draft = ctx.session.draft;
    const [isDraft, isReported, ofTheirInvoices, ...others] = await Promise.all([
      draft !== undefined && operations.drafts.open({ user, id: draft.operation }),
      account !== undefined && !account.link.operators && webhookSubscriptions.isActive(account.link.account),
      ofInvoices(words, user, account?.link.account),
      ofOperations(words, user),
      account !== undefined && ofSubscriptions(words, account),
      ofAdmin(words, user),
    ]);
    return [
      ...others,
      ...ofTheirInvoices,
      isDraft && words.html('forget-draft', { confirm: words.plain('button-confirm') }),
      isReported && words.html('unlink-reports'),
    ].map((one) => one || false);
  };
}

function firstOf(words: Words, all: readonly string[]): string[] {
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), words.html('forget-more', { count: more })] : [...all];
}

/** Results after which nothing was sent, but a later attempt may succeed. */
const RETRIED_RESULTS: readonly Sent['kind'][] = ['later', 'away', 'failed'];

/**
 * Creates the function that notifies users that their data was deleted, in a message that isn't recorded. It returns
 * `unclear` if Telegram's answer got lost. It rejects if the message certainly wasn't delivered and must be sent again.
 */
export function createErasureNotifier(deps: {
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  isAdmin: (user: number) => boolean;
}): (forgotten: ErasureNotification) => Promise<'notified' | 'unclear'> {
  const { sender, texts, isAdmin } = deps;
  return async ({ user, language, unlinked: left }) => {
    const words = texts.in(language);
    const html = paragraphs(
      words.html('forget-done'),
      retainedDataLines(words, { isAdmin: isAdmin(user) }),
      left && leftAccountNote(words, left.account, left.events),
      left !== undefined &&
        left.unchecked > 0 &&
        words.html('unlinked-invoices', { account: String(left.account), count: left.unchecked }),
      words.html('forget-anew'),
    );
    const { kind } = await sender.send(user, withMenuButton(words, html));
    if (RETRIED_RESULTS.includes(kind)) throw new Error(`the user was not notified of the erasure: ${kind}`);
    return kind === 'unclear' ? 'unclear' : 'notified';
  };
}

const DAY_MS = 24 * 3600_000;
/** Maximum number of entries of the admin log that are searched. 90 days have fewer. */
const MAX_LOG_ENTRIES = 10_000;

/** Kinds with at most one record per user, with their names in the copy. */
const SINGLE_RECORDS = {
  link: 'link',
  addresses: 'addresses',
  'notification-settings': 'notices',
} as const;
/** Kinds that have a section of their own. All others are in `other`. */
const SECTIONS = new Set<string>([
  ...Object.keys(SINGLE_RECORDS),
  ...['conversation', 'user', 'operation', 'invoice', 'notification'],
]);

const createdSchema = z.looseObject({ createdAt: z.number() });
const cardsSchema = z.looseObject({ cards: z.array(z.looseObject({ chat: z.number() })) });

/**
 * Creates the function that copies what is stored about a user, as indented JSON. The copy has every record under the
 * user's own number, whatever its kind, but no sealed secret. From other records it has the parts about this user.
 */
export function createPrivacyCopy(
  deps: Pick<FeatureDeps, 'userRecords' | 'users' | 'addressAnnouncements' | 'adminLog' | 'now'>,
) {
  const { userRecords, users, addressAnnouncements, adminLog, now } = deps;

  /**
   * Returns the admin log entries about the user or the user's operations, and those that the user made as an admin.
   */
  async function logEntriesAbout(user: number, operations: readonly string[]) {
    const known = new Set([String(user), ...operations]);
    const acts = await adminLog.latest(MAX_LOG_ENTRIES);
    return acts
      .filter(({ admin, about = '' }) => admin === user || known.has(about.split(':')[0] ?? ''))
      .map(({ at, action: act, about, admin }) => ({
        at,
        act,
        about,
        ...(admin === user && { byYou: true }),
      }));
  }

  return async ({ tx }: BotContext, user: number): Promise<{ text: string } | { waitMs: number }> => {
    const read = await userRecords.read(user);
    if ('waitMs' in read) return read;
    const { records } = read;
    const of = (kind: string) => records.filter((one) => one.kind === kind);
    const [person, withdrawnTo, adminActs] = await Promise.all([
      users.find(user),
      addressAnnouncements.ofUser(user),
      logEntriesAbout(
        user,
        of('operation').map(({ name }) => name),
      ),
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
  };
}

function latestFirst(records: readonly UserRecord[]) {
  const found = records.flatMap(({ value }) => createdSchema.safeParse(value).data ?? []);
  return found.toSorted((one, other) => other.createdAt - one.createdAt);
}

/** Names a notification that was sent: the outbox stores only its name. */
function notification({ name, value }: UserRecord): object {
  return typeof value === 'object' ? { name, ...value } : { name, sent: true };
}

/** Leaves out the chats of other people that show an invoice. */
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
  return typeof value === 'string' && isSealed(value) ? 'encrypted, and in no copy' : value;
}
