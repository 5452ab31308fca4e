import { BigNumber } from 'bignumber.js';
import type { TextKey } from '../i18n/keys.ts';
import {
  formatAmount,
  formatCount,
  formatMoment,
  formatTimeWithSeconds,
  lines,
  type Words,
} from '../i18n/texts.ts';
import type { DailyEventMetrics } from '../notifications/event-metrics.ts';
import type { OutboxBacklog } from '../notifications/outbox.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import {
  type DepositRecord,
  decimal,
  recordId,
  toPrintable,
  type WebhookLogEntry,
} from '../rental-api/schemas.ts';
import { readLoggedEvent } from '../rental-api/webhook.ts';

const TYPE_LENGTH = 28;

type Reason = keyof DailyEventMetrics['rejected'];

/** Renders the day's numbers of events by how they arrived, and of rejected requests by reason. */
export function eventFigures(words: Words, events: DailyEventMetrics): string {
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
export function eventDelays(words: Words, { handledMs, sentMs }: DailyEventMetrics): string {
  return lines(
    words.html('events-delay', { what: 'handled', ...delayArguments(words, handledMs) }),
    words.html('events-delay', { what: 'sent', ...delayArguments(words, sentMs) }),
  );
}

/** Renders the number of chats with unsent notifications and the age of the oldest one. */
export function outboxBacklogLine(words: Words, { chats, isMore, oldestMs = 0 }: OutboxBacklog): string {
  const minutes = Math.floor(oldestMs / MINUTE_MS);
  return words.html('events-waiting', { chats: isMore ? `${chats}+` : chats, minutes });
}

/** Returns the latest events, newest first, or `false` without any. */
export function latestEvents(words: Words, { events }: DailyEventMetrics): string | false {
  const each = newestFirst(events).map(({ at, source, type, account }) => {
    const name = formatEventName(words, toPrintable(type, TYPE_LENGTH));
    const how = source === 'log' ? 'logged' : 'sent';
    const arrival = words.html('events-event', { time: formatTimeWithSeconds(at), how });
    return `${arrival} ${name} · ${words.html('events-account', { account: String(account) })}`;
  });
  return each.length > 0 && lines(words.html('events-latest'), ...mergeRepeats(each));
}

/** Returns the latest rejected requests, newest first, or `false` without any. */
export function latestRejections(words: Words, { rejections }: DailyEventMetrics): string | false {
  const each = newestFirst(rejections).map(
    ({ at, reason }) => `${formatTimeWithSeconds(at)} ${words.html(`events-rejected-${reason}`)}`,
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
const LARGEST_BOUND_MS = 300_000;

function delayArguments(words: Words, summary: DailyEventMetrics['handledMs']): Record<string, string> {
  const within = (ms: number) =>
    words.plain('events-within', { seconds: ms > LARGEST_BOUND_MS ? 0 : ms / 1000 });
  if (summary === undefined) return { half: 'none' };
  return { half: within(summary.median), most: within(summary.p99) };
}

const LOGGED_TYPE_LENGTH = 40;
const [MAX_LINES, LINE_LENGTH, MAX_INDENT] = [30, 100, 12];
/** Maximum number of attempts shown. A higher one would be an error of the service. */
const MAX_ATTEMPTS = 999;
const MAX_AMOUNT = 1e12;

const NUMBERS = { order_id: 'webhook-log-order', invoice_id: 'webhook-log-invoice' } as const;
const AMOUNTS = { energy_amount: 'webhook-log-energy', bandwidth_amount: 'webhook-log-bandwidth' } as const;

/** Renders an entry of the service's webhook log: the event, and whether it was received. */
export function loggedEventLines(words: Words, entry: WebhookLogEntry): string {
  const { event_type, response_status, created_at } = entry;
  const { data } = readLoggedEvent(entry);
  const status = httpStatusText(response_status);
  const isReceived = status?.startsWith('2') === true;
  const attemptCount = Math.max(0, Math.trunc(Math.min(entry.attempts, MAX_ATTEMPTS)));
  const attempts = words.html('webhook-log-attempts', {
    attempts: entry.attempts > MAX_ATTEMPTS ? `${MAX_ATTEMPTS}+` : attemptCount,
  });
  return lines(
    joinParts(
      `${isReceived ? '📬' : '⚠️'} ${formatEventName(words, toPrintable(event_type, LOGGED_TYPE_LENGTH))}`,
      orderNumberOf(words, data),
      amountOf(words, data),
    ),
    joinParts(
      isReceived
        ? words.html('webhook-log-received', { status: String(status) })
        : attemptCount > 0 && words.html('webhook-log-not-received', { status: status ?? 'none' }),
      attempts,
      formatMoment(Date.parse(created_at), words.language),
    ),
  );
}

/** Returns the payload with limited number and length of lines and without invisible characters. */
export function payloadText(words: Words, payload: unknown): string {
  const all = JSON.stringify(payload, undefined, 2).split('\n');
  const shown = all.slice(0, MAX_LINES).map((line) => {
    const text = line.trimStart();
    return `${line.slice(0, Math.min(line.length - text.length, MAX_INDENT))}${toPrintable(text, LINE_LENGTH)}`;
  });
  return words.html('webhook-log-payload', {
    payload: shown.join('\n'),
    more: Math.max(0, all.length - MAX_LINES),
  });
}

function joinParts(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}

type Data = Record<string, unknown>;

const orderNumberOf = (words: Words, data: Data) => firstNumberIn(words, NUMBERS, data);

function amountOf(words: Words, data: Data): string | undefined {
  const bought = firstNumberIn(words, AMOUNTS, data);
  if (bought !== undefined) return bought;
  const { amount, currency, amount_trx } = data;
  const inCurrency = currency === 'TRX' || currency === 'USDT' ? positiveAmount(amount) : undefined;
  const shown = inCurrency ?? positiveAmount(amount_trx);
  return shown && `${formatAmount(shown, words.language)} ${inCurrency === undefined ? 'TRX' : currency}`;
}

function firstNumberIn(words: Words, keys: Readonly<Record<string, TextKey>>, data: Data) {
  for (const [field, key] of Object.entries(keys)) {
    const value = recordId.safeParse(data[field]).data;
    if (value !== undefined && value > 0)
      return words.html(key, { number: String(value), amount: formatCount(value, words.language) });
  }
  return undefined;
}

function positiveAmount(value: unknown): string | undefined {
  const amount = new BigNumber(decimal.safeParse(value).data ?? 0);
  return amount.gt(0) && amount.lt(MAX_AMOUNT) ? amount.toFixed() : undefined;
}

/** Returns the HTTP status as text; `undefined` for anything else, such as 0 without a response. */
function httpStatusText(status: number | null | undefined): string | undefined {
  return Number.isInteger(status) && /^[1-9]\d\d$/.test(String(status)) ? String(status) : undefined;
}

/** Renders a deposit of the service's list. */
export function depositLine(words: Words, { amount, currency, status, created_at }: DepositRecord): string {
  return words.html('movement-deposit', {
    when: timeText(words, created_at),
    amount: amount ?? '?',
    currency: currency ?? '',
    status,
  });
}

function timeText({ language }: Words, time: string | undefined): string {
  return time === undefined ? '–' : formatMoment(Date.parse(time), language);
}

const EVENT_NAMES: Readonly<Record<string, TextKey>> = {
  'order.filled': 'event-order-filled',
  'order.failed': 'event-order-failed',
  'deposit.pending': 'event-deposit-pending',
  'deposit.confirmed': 'event-deposit-confirmed',
  'deposit.expired': 'event-deposit-expired',
  'withdrawal.pending': 'event-withdrawal-pending',
  'withdrawal.completed': 'event-withdrawal-completed',
  'withdrawal.failed': 'event-withdrawal-failed',
  'invoice.paid': 'event-invoice-paid',
  'invoice.delegated': 'event-invoice-delegated',
  'invoice.expired': 'event-invoice-expired',
  'invoice.failed': 'event-invoice-failed',
  'smart_mode.transfer': 'event-smart-mode-transfer',
};

/**
 * Returns a readable name of an event type in Telegram's HTML. Unknown types are shown unchanged. The specification documents
 * only `order.filled` (section 6). The other names combine a resource and one of its statuses.
 */
function formatEventName(words: Words, type: string): string {
  const key = Object.hasOwn(EVENT_NAMES, type) ? EVENT_NAMES[type] : undefined;
  return key ? words.html(key) : words.html('event-type', { type });
}
