import type { InlineKeyboardButton } from 'grammy/types';
import type { BotContext } from '../../bot/context.ts';
import { adminsOnly, defineFeature, type FeatureDeps } from '../../bot/feature.ts';
import { show } from '../../bot/reply.ts';
import {
  formatCount,
  formatDay,
  formatTimeWithSeconds,
  formatZonelessTime,
  lines,
  paragraphs,
  type Words,
} from '../../i18n/texts.ts';
import type { DailyEventMetrics, EventMetrics } from '../../notifications/event-metrics.ts';
import type { OutboxBacklog } from '../../notifications/outbox-store.ts';
import { orTimeout } from '../../platform/async.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withAdminButtons } from '../../views/view.ts';
import { formatEventName } from '../views/event-names.ts';
import { operatorReportsButton } from '../views/reports.ts';

const EVENTS = 'events';
const OPERATOR_TIMEOUT_MS = 1_500;

type Day = 'today' | 'yesterday';

interface EventsDeps extends FeatureDeps {
  eventMetrics: Pick<EventMetrics, 'readDay'>;
  readOutboxBacklog: () => Promise<OutboxBacklog>;
}

export const eventsFeature = defineFeature((deps: EventsDeps) => {
  const { eventMetrics, readOutboxBacklog, webhookSubscriptions, operator, operatorKey, hookUrl, now } = deps;

  /** Returns the line about the reports of the operator account's events, and the button that turns them on or off. */
  async function operatorReports(words: Words): Promise<{ html: string; buttons: InlineKeyboardButton[] }> {
    if (operatorKey === undefined || hookUrl === undefined) return { html: '', buttons: [] };
    const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
    const textOf = (reports: string) => words.html('events-operator', { reports });
    if (account === undefined) return { html: textOf('unknown'), buttons: [] };
    const reports = (await webhookSubscriptions.isActive(account)) ? 'on' : 'off';
    return { html: textOf(reports), buttons: [operatorReportsButton(words, reports, EVENTS)] };
  }

  async function read(words: Words, day: Day): Promise<View> {
    const at = now();
    const isToday = day === 'today';
    const of = isToday ? at : at - DAY_MS;
    const [events, waiting, reports] = await Promise.all([
      eventMetrics.readDay(of),
      isToday ? readOutboxBacklog() : undefined,
      isToday ? operatorReports(words) : undefined,
    ]);
    const html = paragraphs(
      words.html('events-title', { day: formatDay(of, words.language), which: day }),
      eventFigures(words, events),
      lines(eventDelays(words, events), waiting && outboxBacklogLine(words, waiting)),
      reports?.html,
      latestEvents(words, events),
      latestRejections(words, events),
      words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
    );
    const other = isToday ? 'yesterday' : 'today';
    const days = [
      button(words, 'button-refresh', callbackData(EVENTS, day)),
      button(words, `button-events-${other}`, callbackData(EVENTS, other)),
    ];
    return withAdminButtons(words, html, days, reports?.buttons ?? []);
  }

  const shown = (day: Day) => async (ctx: BotContext) => show(ctx, await read(ctx.words, day));

  return adminsOnly(deps, {
    name: EVENTS,
    button: 'button-events',
    command: { name: 'events', text: 'command-events' },
    open: shown('today'),
    buttons: { today: shown('today'), yesterday: shown('yesterday') },
  });
});

const TYPE_LENGTH = 28;

type Reason = keyof DailyEventMetrics['rejected'];

/** Renders the day's numbers of events by how they arrived, and of rejected requests by reason. */
function eventFigures(words: Words, events: DailyEventMetrics): string {
  const { received, duplicates, recovered } = events;
  const count = (number: number) => formatCount(number, words.language);
  const reasons = (Object.entries(events.rejected) as [Reason, number][])
    .filter(([, times]) => times > 0)
    .toSorted(([, one], [, other]) => other - one);
  const rejected = reasons.reduce((sum, [, times]) => sum + times, 0);
  return lines(
    words.html('events-received', { count: count(received) }),
    words.html('events-recovered', { count: count(recovered) }),
    words.html('events-duplicates', { count: count(duplicates) }),
    words.html('events-rejected', { count: count(rejected) }),
    ...reasons.map(([why, times]) => `   ${count(times)} · ${words.html(`events-rejected-${why}`)}`),
  );
}

/** Renders two delays: until events were handled, and from queueing notifications until they were sent. */
function eventDelays(words: Words, { handledMs, sentMs }: DailyEventMetrics): string {
  return lines(
    words.html('events-delay', { what: 'handled', ...delayArguments(words, handledMs) }),
    words.html('events-delay', { what: 'sent', ...delayArguments(words, sentMs) }),
  );
}

function latestEvents(words: Words, { events }: DailyEventMetrics): string | false {
  const each = newestFirst(events).map(({ at, source, type, account }) => {
    const name = formatEventName(words, toPrintable(type, TYPE_LENGTH));
    const how = source === 'log' ? 'logged' : 'sent';
    const arrival = words.html('events-event', { time: formatZonelessTime(at), how });
    return `${arrival} ${name} · ${words.html('account-number', { account: String(account) })}`;
  });
  return each.length > 0 && lines(words.html('events-latest'), ...mergeRepeats(each));
}

function latestRejections(words: Words, { rejections }: DailyEventMetrics): string | false {
  const each = newestFirst(rejections).map(
    ({ at, reason }) => `${formatZonelessTime(at)} ${words.html(`events-rejected-${reason}`)}`,
  );
  return each.length > 0 && lines(words.html('events-latest-rejections'), ...mergeRepeats(each));
}

function mergeRepeats(texts: readonly string[]): string[] {
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

/** Highest upper bound of a delay bucket, in milliseconds. Longer delays are in a bucket without one. */
const LARGEST_BOUND_MS = 5 * MINUTE_MS;

function delayArguments(words: Words, summary: DailyEventMetrics['handledMs']): Record<string, string> {
  const within = (ms: number) =>
    words.plain('events-within', { seconds: ms > LARGEST_BOUND_MS ? 0 : ms / 1000 });
  if (summary === undefined) return { half: 'none' };
  return { half: within(summary.median), most: within(summary.p99) };
}

export function outboxBacklogLine(words: Words, { chats, isMore, oldestMs = 0 }: OutboxBacklog): string {
  const minutes = Math.floor(oldestMs / MINUTE_MS);
  return words.html('events-waiting', { chats: isMore ? `${chats}+` : chats, minutes });
}
