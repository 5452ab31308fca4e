import { z } from 'zod';
import type { Accounts } from '../../accounts/accounts.ts';
import type { UserRecord } from '../../accounts/user-records.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { DAY_MS, utcDay } from '../../platform/clock.ts';
import { isSealed } from '../../platform/encryption.ts';

export interface UserCopyDeps extends FeatureDeps, Pick<Accounts, 'userRecords' | 'addressAnnouncements'> {}

/** Maximum searched entries of the admin log. 90 days have fewer. */
const MAX_LOG_ENTRIES = 10_000;

/** Maximum other users' invoices that are copied. */
const MAX_OPENED = 1_000;

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

/**
 * Copies all records of a user into a file of indented JSON without sealed secrets, with parts of other records and with
 * times in ISO 8601. The
 * file's name is `fileName` and the date. `session` and `openQuestion`: state of the user's chat, if it is known. Returns
 * `waitMs` if the user's data was read too often.
 */
export async function copyOfUserData(
  deps: UserCopyDeps,
  user: number,
  { fileName, ...chat }: { fileName: string; session?: unknown; openQuestion?: unknown },
): Promise<{ name: string; text: string } | { waitMs: number }> {
  const { userRecords, users, invoices, addressAnnouncements, now } = deps;
  const read = await userRecords.read(user);
  if ('waitMs' in read) return read;
  const { records } = read;
  const of = (kind: string) => records.filter((one) => one.kind === kind);
  const operations = of('operation').map(({ name }) => name);
  const [person, opened, withdrawnTo, adminActs] = await Promise.all([
    users.find(user),
    invoices.opened(user, MAX_OPENED),
    addressAnnouncements.ofUser(user),
    logEntriesAbout(deps, user, operations),
  ]);
  const day = (days: number) => utcDay(days * DAY_MS);
  const single = Object.entries(SINGLE_RECORDS).map(([kind, name]) => [name, of(kind)[0]?.value]);
  const copy = {
    user,
    asOf: new Date(now()).toISOString(),
    person: person && { ...person, firstDay: day(person.firstDay), lastDay: day(person.lastDay) },
    ...chat,
    ...Object.fromEntries(single),
    withdrawnTo,
    notifications: of('notification').map(notification),
    operations: latestRecordsFirst(of('operation')),
    invoices: latestRecordsFirst(of('invoice')).map((invoice) => withOwnCards(invoice, user)),
    openedInvoices: opened.map(
      ({ number, address, energy, hours, priceTrx, priceUsdt, status, createdAt }) => ({
        number,
        address,
        energy,
        hours,
        priceTrx,
        priceUsdt,
        status,
        createdAt,
      }),
    ),
    adminActs,
    other: byKind(records.filter(({ kind }) => !SECTIONS.has(kind))),
  };
  return { name: `${fileName}-${utcDay(now())}.json`, text: JSON.stringify(copy, readable, 2) };
}

async function logEntriesAbout({ adminLog }: FeatureDeps, user: number, operations: readonly string[]) {
  const known = new Set([String(user), ...operations]);
  const entries = await adminLog.latest(MAX_LOG_ENTRIES);
  return entries
    .filter(({ admin, about = '' }) => admin === user || known.has(about.split(':')[0] ?? ''))
    .map(({ at, action: act, about, admin }) => ({ at, act, about, ...(admin === user && { byYou: true }) }));
}

function latestRecordsFirst(records: readonly UserRecord[]) {
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

/** Name of a field with a time in epoch milliseconds. */
const TIME_FIELD = /^(at|since|until)$|(At|Since|Until|From)$/;

/** Replaces sealed secrets, and writes times in ISO 8601. */
function readable(key: string, value: unknown): unknown {
  if (typeof value === 'number' && TIME_FIELD.test(key)) return new Date(value).toJSON() ?? value;
  return typeof value === 'string' && isSealed(value) ? 'encrypted, not included' : value;
}
