import { z } from 'zod';
import type { OwnRecord } from '../accounts/own-records.ts';
import { isSealed } from '../platform/encryption.ts';
import { readJson } from '../platform/records.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';

const DAY_MS = 24 * 3600_000;
/** Maximum number of entries of the admin log that are searched. 90 days have fewer. */
const MAX_ACTS = 10_000;

/** Kinds with at most one record per user, with their names in the copy. */
const SINGLE = {
  link: 'link',
  addresses: 'addresses',
  'notice-settings': 'notices',
} as const;
/** Kinds that have a section of their own. All others are in `other`. */
const SECTIONS = new Set<string>([
  ...Object.keys(SINGLE),
  ...['conversation', 'person', 'operation', 'invoice', 'notice'],
]);

const createdSchema = z.looseObject({ createdAt: z.number() });
const cardsSchema = z.looseObject({ cards: z.array(z.looseObject({ chat: z.number() })) });

/**
 * Creates the function that copies what is stored about a user, as indented JSON. The copy has every record under the
 * user's own number, whatever its kind, but no sealed secret. From other records it has the parts about this user.
 */
export function createPrivacyCopy(
  deps: Pick<FeatureDeps, 'ownRecords' | 'people' | 'announced' | 'adminLog' | 'now'>,
) {
  const { ownRecords, people, announced, adminLog, now } = deps;

  /**
   * Returns the admin log entries about the user or the user's operations, and those that the user made as an admin.
   */
  async function actsAbout(user: number, operations: readonly string[]) {
    const known = new Set([String(user), ...operations]);
    const acts = await adminLog.latest(MAX_ACTS);
    return acts
      .filter(({ admin, about = '' }) => admin === user || known.has(about.split(':')[0] ?? ''))
      .map(({ at, act, about, admin }) => ({ at, act, about, ...(admin === user && { byYou: true }) }));
  }

  return async ({ tx }: BotContext, user: number): Promise<{ text: string } | { waitMs: number }> => {
    const read = await ownRecords.read(user);
    if ('waitMs' in read) return read;
    const { records } = read;
    const of = (kind: string) => records.filter((one) => one.kind === kind);
    const [person, withdrawnTo, adminActs] = await Promise.all([
      people.find(user),
      announced.ofUser(user),
      actsAbout(
        user,
        of('operation').map(({ name }) => name),
      ),
    ]);
    const day = (days: number) => new Date(days * DAY_MS).toISOString().slice(0, 10);
    const single = Object.entries(SINGLE).map(([kind, name]) => [name, of(kind)[0]?.value]);
    const copy = {
      user,
      asOf: new Date(now()).toISOString(),
      person: person && { ...person, first: day(person.first), last: day(person.last) },
      // Both as stored before this tap, which leaves an open flow.
      session: readJson(z.unknown(), tx.session) ?? {},
      openQuestion: readJson(z.unknown(), tx.loadedConversation),
      ...Object.fromEntries(single),
      withdrawnTo,
      notifications: of('notice').map(notification),
      operations: latestFirst(of('operation')),
      invoices: latestFirst(of('invoice')).map((invoice) => withOwnCards(invoice, user)),
      adminActs,
      other: byKind(records.filter(({ kind }) => !SECTIONS.has(kind))),
    };
    return { text: JSON.stringify(copy, withoutSealed, 2) };
  };
}

function latestFirst(records: readonly OwnRecord[]) {
  const found = records.flatMap(({ value }) => createdSchema.safeParse(value).data ?? []);
  return found.toSorted((one, other) => other.createdAt - one.createdAt);
}

/** Names a notification that was sent: the outbox stores only its name. */
function notification({ name, value }: OwnRecord): object {
  return typeof value === 'object' ? { name, ...value } : { name, sent: true };
}

/** Leaves out the chats of other people that show an invoice. */
function withOwnCards(invoice: object, user: number): object {
  const { data } = cardsSchema.safeParse(invoice);
  return data === undefined ? invoice : { ...data, cards: data.cards.filter(({ chat }) => chat === user) };
}

function byKind(records: readonly OwnRecord[]): Record<string, unknown> {
  const kinds: Record<string, Record<string, unknown>> = {};
  for (const { kind, name, value } of records) kinds[kind] = { ...kinds[kind], [name || 'value']: value };
  return kinds;
}

function withoutSealed(_key: string, value: unknown): unknown {
  return typeof value === 'string' && isSealed(value) ? 'encrypted, and in no copy' : value;
}
