import type { Audience, Broadcast } from '../broadcasts/broadcast.ts';
import { counted, moment } from '../i18n/formats.ts';
import { LANGUAGES, type Words } from '../i18n/texts.ts';
import { lines, paragraphs } from '../i18n/view.ts';
import type { MakingState } from './broadcast-making.ts';

const MINUTE_MS = 60_000;
/** Longest duration that is shown in minutes. Longer ones are shown in hours. */
const MINUTES = 120;

/** Returns the name of an audience. */
export function audienceName(words: Words, audience: Audience): string {
  const who = audience.who === 'language' ? audience.language : audience.who;
  return words.plain('making-audience', { who, days: audience.who === 'active' ? audience.days : 0 });
}

/** Returns the name of an audience for the admin log, which has no language. */
export function audienceNoted(audience: Audience): string {
  const { who } = audience;
  const which = who === 'language' ? audience.language : who === 'active' ? `${audience.days} d` : undefined;
  return which === undefined ? who : `${who} ${which}`;
}

/** Returns the line of a broadcast that hasn't started. */
export function scheduledLine(words: Words, { startAt, audience }: Broadcast): string {
  const audienceIs = audienceName(words, audience);
  return words.html('broadcasts-scheduled-one', {
    when: moment(startAt, words.language),
    audience: audienceIs,
  });
}

/** Returns the line of a broadcast that has ended, with its result. */
export function endedLine(
  words: Words,
  { startAt, audience, state, sent, total, endedAt }: Broadcast,
): string {
  const { language } = words;
  return words.html('broadcasts-ended-one', {
    when: moment(endedAt ?? startAt, language),
    audience: audienceName(words, audience),
    ...{ state, sent: counted(sent, language), total: counted(total, language) },
  });
}

/**
 * Returns everything that *Send* confirms. `count`: number of recipients, above 0. `ms`: duration of sending, in
 * milliseconds.
 */
export function sendingLines(
  words: Words,
  { draft, anew }: MakingState,
  { count, ms }: { count: number; ms: number },
): string {
  const { language } = words;
  const own = LANGUAGES.filter((one) => draft?.contents[one]);
  const minutes = Math.ceil(ms / MINUTE_MS);
  const inHours = minutes > MINUTES;
  return paragraphs(
    anew && words.html('making-anew', { why: anew }),
    words.html('making-card'),
    lines(
      draft?.audience && words.html('making-to', { audience: audienceName(words, draft.audience) }),
      words.html('making-count', { count: counted(count, language) }),
      words.html('making-says', { own: own.length === 0 ? 'none' : own.join(', ').toUpperCase() }),
      words.html('making-when', { when: draft?.at === undefined ? 'now' : moment(draft.at, language) }),
      words.html('making-takes', {
        unit: minutes <= 1 ? 'minute' : inHours ? 'hours' : 'minutes',
        number: counted(inHours ? Math.ceil(minutes / 60) : minutes, language),
      }),
    ),
    draft?.at !== undefined && words.html('making-late'),
    words.html('making-final'),
  );
}
