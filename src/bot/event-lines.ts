import { BigNumber } from 'bignumber.js';
import { eventName } from '../i18n/event-name.ts';
import { clockSeconds, counted, moment, shortened } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import type { DaysEvents } from '../notifications/metrics.ts';
import type { Backlog } from '../notifications/outbox.ts';
import { printable } from '../rental-api/printable.ts';
import {
  type DepositRecord,
  decimal,
  recordId,
  type WebhookLogEntry,
  type Withdrawal,
} from '../rental-api/schemas.ts';
import { readLoggedEvent } from '../rental-api/webhook.ts';

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

const LOGGED_TYPE_LENGTH = 40;
const [MAX_LINES, LINE_LENGTH, MAX_INDENT] = [30, 100, 12];
/** Maximum number of attempts that is shown. A higher one would be an error of the service. */
const MAX_ATTEMPTS = 999;
const MAX_AMOUNT = 1e12;

const NUMBERS = { order_id: 'webhook-log-order', invoice_id: 'webhook-log-invoice' } as const;
const AMOUNTS = { energy_amount: 'webhook-log-energy', bandwidth_amount: 'webhook-log-bandwidth' } as const;

/**
 * Returns an entry of the service's webhook log in two lines: what it is about, and whether and when it was received.
 */
export function loggedEventLines(words: Words, entry: WebhookLogEntry): string {
  const { event_type, response_status, created_at } = entry;
  const { data } = readLoggedEvent(entry);
  const status = answered(response_status);
  const isTaken = status?.startsWith('2') === true;
  const tried = Math.max(0, Math.trunc(Math.min(entry.attempts, MAX_ATTEMPTS)));
  const attempts = words.html('webhook-log-attempts', {
    attempts: tried,
    many: entry.attempts > MAX_ATTEMPTS ? 'yes' : 'no',
  });
  return lines(
    inLine(
      `${isTaken ? '📬' : '⚠️'} ${eventName(words, printable(event_type, LOGGED_TYPE_LENGTH))}`,
      numberOf(words, data),
      amountOf(words, data),
    ),
    inLine(
      isTaken
        ? words.html('webhook-log-received', { status: String(status) })
        : tried > 0 && words.html('webhook-log-not-received', { status: status ?? 'none' }),
      attempts,
      moment(Date.parse(created_at), words.language),
    ),
  );
}

/** Returns the payload as it was sent, with limited number and length of lines and without invisible characters. */
export function payloadText(words: Words, payload: unknown): string {
  const all = JSON.stringify(payload, undefined, 2).split('\n');
  const shown = all.slice(0, MAX_LINES).map((line) => {
    const text = line.trimStart();
    return `${line.slice(0, Math.min(line.length - text.length, MAX_INDENT))}${printable(text, LINE_LENGTH)}`;
  });
  return words.html('webhook-log-payload', {
    payload: shown.join('\n'),
    more: Math.max(0, all.length - MAX_LINES),
  });
}

function inLine(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}

type Data = Record<string, unknown>;

/** Returns the number of the order or invoice. */
const numberOf = (words: Words, data: Data) => firstOf(words, NUMBERS, data);

/** Returns the bought amount or the amount of money; `undefined` if there is no valid one. */
function amountOf(words: Words, data: Data): string | undefined {
  const bought = firstOf(words, AMOUNTS, data);
  if (bought !== undefined) return bought;
  const { amount, currency, amount_trx } = data;
  const own = currency === 'TRX' || currency === 'USDT' ? moneyOf(amount) : undefined;
  if (own !== undefined) return `${own} ${currency}`;
  const inTrx = moneyOf(amount_trx);
  return inTrx && `${inTrx} TRX`;
}

function firstOf(words: Words, keys: Readonly<Record<string, TextKey>>, data: Data): string | undefined {
  for (const [field, key] of Object.entries(keys)) {
    const value = recordId.safeParse(data[field]).data;
    if (value !== undefined && value > 0)
      return words.html(key, { number: String(value), amount: counted(value, words.language) });
  }
  return undefined;
}

function moneyOf(value: unknown): string | undefined {
  const amount = new BigNumber(decimal.safeParse(value).data ?? 0);
  return amount.gt(0) && amount.lt(MAX_AMOUNT) ? amount.toFixed() : undefined;
}

/** Returns the HTTP status as text. Returns `undefined` for anything else, such as 0 if there was no response. */
function answered(status: number | null | undefined): string | undefined {
  return Number.isInteger(status) && /^[1-9]\d\d$/.test(String(status)) ? String(status) : undefined;
}

/** Returns the line of a deposit: time, amount and status. */
export function depositLine(words: Words, { amount, currency, status, created_at }: DepositRecord): string {
  return words.html('movement-deposit', {
    when: whenOf(words, created_at),
    amount: amount ?? '?',
    currency: currency ?? '',
    status,
  });
}

/** Returns the line of a withdrawal: time, amount, fee, status and address. */
export function withdrawalLine(words: Words, withdrawal: Withdrawal): string {
  const { amount_trx: amount, fee_trx: fee, status, created_at, to_address } = withdrawal;
  return words.html('movement-withdrawal', {
    ...{ when: whenOf(words, created_at), amount, fee: fee ?? '?', status },
    to: shortened(to_address),
  });
}

function whenOf({ language }: Words, time: string | undefined): string {
  return time === undefined ? '–' : moment(Date.parse(time), language);
}
