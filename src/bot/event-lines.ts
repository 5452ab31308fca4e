import { eventName } from '../i18n/event-name.ts';
import { clockSeconds, counted } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import type { DaysEvents } from '../notifications/metrics.ts';
import type { Backlog } from '../notifications/outbox.ts';
import { printable } from '../rental-api/printable.ts';

const TYPE_LENGTH = 28;
const MINUTE_MS = 60_000;

type Reason = keyof DaysEvents['refused'];

/** Returns the number of events within a day, and of refused ones by reason, most frequent first. */
export function eventFigures(words: Words, events: DaysEvents): string {
  const { taken, copies, missed } = events;
  const count = (number: number) => counted(number, words.language);
  const reasons = (Object.entries(events.refused) as [Reason, number][])
    .filter(([, times]) => times > 0)
    .toSorted(([, one], [, other]) => other - one);
  const refused = reasons.reduce((sum, [, times]) => sum + times, 0);
  return lines(
    words.html('events-taken', { count: count(taken) }),
    words.html('events-missed', { count: count(missed) }),
    words.html('events-copies', { count: count(copies) }),
    words.html('events-refused', { count: count(refused) }),
    ...reasons.map(([why, times]) => `   ${count(times)} · ${words.html(`events-refused-${why}`)}`),
  );
}

/** Returns the delays until events were handled, and from then until users were notified. */
export function eventLags(words: Words, { handledMs, toldMs }: DaysEvents): string {
  return lines(
    words.html('events-handled', lag(words, handledMs)),
    words.html('events-told', lag(words, toldMs)),
  );
}

/** Returns how many chats have pending notifications, and the age of the oldest one. */
export function waitingLine(words: Words, { chats, isMore, oldestMs = 0 }: Backlog): string {
  const minutes = Math.floor(oldestMs / MINUTE_MS);
  return words.html('events-waiting', { chats, more: isMore ? 'yes' : 'no', minutes });
}

/**
 * Returns the latest events, newest first, with time, sign of how each one came in, type and account. Returns `false`
 * if there are none.
 */
export function latestEvents(words: Words, { events }: DaysEvents): string | false {
  const each = newestFirst(events).map(({ at, how, type, account }) => {
    const name = eventName(words, printable(type, TYPE_LENGTH));
    const came = words.html('events-event', { time: clockSeconds(at), how });
    return `${came} ${name} · ${words.html('events-account', { account: String(account) })}`;
  });
  return each.length > 0 && lines(words.html('events-latest'), ...counting(each));
}

export function latestRefusals(words: Words, { refusals }: DaysEvents): string | false {
  const each = newestFirst(refusals).map(
    ({ at, why }) => `${clockSeconds(at)} ${words.html(`events-refused-${why}`)}`,
  );
  return each.length > 0 && lines(words.html('events-latest-refusals'), ...counting(each));
}

/** Merges equal lines in a row into one line with a count. */
function counting(texts: readonly string[]): string[] {
  const runs: { text: string; times: number }[] = [];
  for (const text of texts) {
    const last = runs.at(-1);
    if (last?.text === text) last.times += 1;
    else runs.push({ text, times: 1 });
  }
  return runs.map(({ text, times }) => (times > 1 ? `${text} ×${times}` : text));
}

function newestFirst<Item extends { at: number }>(items: readonly Item[]): Item[] {
  return items.toReversed().toSorted((one, other) => other.at - one.at);
}

function lag(words: Words, spread: DaysEvents['handledMs']): Record<string, string> {
  if (spread === undefined) return { says: 'nothing' };
  const within = (ms: number) => words.plain('events-within', { ms });
  const says = spread.half === spread.most ? 'most' : 'both';
  return { says, half: within(spread.half), most: within(spread.most) };
}
