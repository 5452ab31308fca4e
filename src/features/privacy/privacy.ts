import { z } from 'zod';
import type { Accounts } from '../../accounts/accounts.ts';
import type { UserRecord } from '../../accounts/users.ts';
import type { BotContext } from '../../bot/context.ts';
import { defineFeature, type FeatureDeps } from '../../bot/feature.ts';
import { sendFile, showText, showToast } from '../../bot/reply.ts';
import type { TextKey } from '../../i18n/keys.ts';
import { lines, paragraphs } from '../../i18n/texts.ts';
import { DAY_MS, roundUpToMinutes } from '../../platform/clock.ts';
import { isSealed } from '../../platform/encryption.ts';
import { readJson } from '../../platform/records.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button } from '../../views/view.ts';

const NAME = 'privacy';
interface PrivacyDeps extends FeatureDeps, Pick<Accounts, 'userRecords' | 'addressAnnouncements'> {
  privacyLines: readonly TextKey[];
}

/** Shows what is stored about the user, and sends a copy. Telegram's terms require this of every bot. */
export const privacyFeature = defineFeature((deps: PrivacyDeps) => {
  const { supportUrl, privacyLines, now } = deps;

  return {
    name: NAME,
    command: { name: 'privacy', text: 'command-privacy' },
    keepsFlow: true,
    async open(ctx) {
      const { words } = ctx;
      const html = paragraphs(
        words.html('privacy'),
        supportUrl && words.html('operation-support', { url: supportUrl }),
      );
      const details = button(words, 'button-privacy-details', callbackData(NAME, 'details'));
      const copy = button(words, 'button-privacy-copy', callbackData(NAME, 'copy'));
      const forget = button(words, 'button-forget', callbackData('forget', 'open'));
      await showText(ctx, html, [details, copy], [forget]);
    },
    buttons: {
      async details(ctx) {
        const { words } = ctx;
        const html = paragraphs(
          words.html('privacy-details'),
          lines(...privacyLines.map((text) => words.html(text))),
          words.html('privacy-elsewhere'),
        );
        await showText(ctx, html, [button(words, 'button-back', callbackData(NAME, 'open'))]);
      },
      async copy(ctx) {
        const { words, from } = ctx;
        const made = await copyOfUserData(deps, ctx, from.id);
        if ('waitMs' in made)
          return showToast(ctx, 'toast-privacy-wait', { minutes: roundUpToMinutes(made.waitMs) });
        const file = { name: `kept-${new Date(now()).toISOString().slice(0, 10)}.json`, text: made.text };
        if (!(await sendFile(ctx, file, words.html('privacy-file')))) showToast(ctx, 'toast-file-slow');
      },
    },
  };
});

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
async function copyOfUserData(
  deps: PrivacyDeps,
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
    operations: latestRecordsFirst(of('operation')),
    invoices: latestRecordsFirst(of('invoice')).map((invoice) => withOwnCards(invoice, user)),
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

function withoutSealed(_key: string, value: unknown): unknown {
  return typeof value === 'string' && isSealed(value) ? 'encrypted, not included' : value;
}
