import type { AdminLogEntry } from '../../accounts/admin-log.ts';
import type { BotContext } from '../../bot/context.ts';
import { adminsOnly, defineFeature } from '../../bot/feature.ts';
import { show } from '../../bot/reply.ts';
import { escapeHtml, formatAmount, formatMoment, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { callbackData } from '../../views/callback-data.ts';
import { pageButtons, withAdminButtons } from '../../views/view.ts';

const ADMIN_LOG = 'admin-log';
const LOG_PAGE_SIZE = 10;
/** Limits a subject so that ten entries fit in a message. */
const MAX_SUBJECT_LENGTH = 120;

export const adminLogFeature = defineFeature((deps) => {
  async function page(ctx: BotContext, after?: string): Promise<void> {
    const { words } = ctx;
    const { entries, older, isFirst } = await deps.adminLog.page(LOG_PAGE_SIZE, after);
    const nameOf = await namesOf(entries);
    const html = paragraphs(
      words.html('admin-log-title'),
      ...entries.map((entry) => logEntry(words, entry, nameOf)),
      entries.length === 0 && words.html('admin-log-empty'),
    );
    const pages = pageButtons(words, {
      newest: isFirst ? undefined : callbackData(ADMIN_LOG, 'open'),
      older: older === undefined ? undefined : callbackData(ADMIN_LOG, 'older', older),
    });
    await show(ctx, withAdminButtons(words, html, pages));
  }

  /** Reads the @names of the admins and users that entries are about. */
  async function namesOf(entries: readonly AdminLogEntry[]): Promise<NameOf> {
    const ids = new Set(entries.flatMap((entry) => [entry.admin, userOf(entry) ?? []].flat()));
    const found = await Promise.all([...ids].map((user) => deps.users.find(user)));
    const names = new Map(found.map((user) => [user?.user, user?.username]));
    return (user) => names.get(user);
  }

  return adminsOnly(deps, {
    name: ADMIN_LOG,
    button: 'button-admin-log',
    command: { name: 'log', text: 'command-admin-log' },
    open: (ctx) => page(ctx),
    buttons: { older: page },
  });
});

/** Returns the @name of a user without its sign, if it is known. */
type NameOf = (user: number) => string | undefined;

/** Returns the id of the user that an entry is about, if it is about one. */
const userOf = ({ action, about }: AdminLogEntry) =>
  action.startsWith('person-') ? Number(about) : undefined;

function logEntry(words: Words, entry: AdminLogEntry, nameOf: NameOf): string {
  const { at, admin, action, about } = entry;
  const what = words.html(`admin-act-${action}`);
  const subject = about === undefined ? '' : toPrintable(subjectOf(words, action, about), MAX_SUBJECT_LENGTH);
  const user = userOf(entry);
  const name = user && nameOf(user);
  return lines(
    words.html('admin-log-entry', {
      time: formatMoment(at, words.language),
      admin: String(admin),
      name: nameOf(admin) ?? 'none',
    }),
    subject === '' ? what : `${what} · <code>${escapeHtml(subject)}</code>${name ? ` @${name}` : ''}`,
  );
}

/** Audience at the beginning of an entry about a broadcast, as it is stored. */
const AUDIENCE = /^(?:language )?(?<who>[a-z]+)(?: (?<days>\d+) d)?(?=[:,]|$)/;

/** Id of a broadcast at the end of its entry. No screen finds it. */
const BROADCAST_ID = /, [\w-]{8,}$/;
const STORED_TIME = /(?<=, )\d{4}-\d\d-\d\d \d\d:\d\d UTC/;

/** Returns what an entry is about: amounts, and the audience and time of a broadcast, in the reader's language. */
function subjectOf(words: Words, action: AdminLogEntry['action'], about: string): string {
  if (action === 'operator-cap' || action === 'operator-alert')
    return about.replace(/\d+\.\d+/g, (trx) => formatAmount(trx, words.language));
  if (!action.startsWith('broadcast-')) return about;
  return about
    .replace(BROADCAST_ID, '')
    .replace(STORED_TIME, (time) => formatMoment(Date.parse(time), words.language))
    .replace(AUDIENCE, (_, who: string, days = '') => words.plain('making-audience', { who, days }));
}
