import { BigNumber } from 'bignumber.js';
import { eventName } from '../i18n/event-name.ts';
import { counted, moment } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import { printable } from '../rental-api/printable.ts';
import type { WebhookLogEntry } from '../rental-api/schemas.ts';
import { decimal, recordId } from '../rental-api/schemas.ts';
import { readLoggedEvent } from '../rental-api/webhook.ts';

const TYPE_LENGTH = 40;
const [MOST_LINES, LINE_LENGTH, MOST_INDENT] = [30, 100, 12];
/** Maximum number of attempts that is shown. A higher one would be an error of the service. */
const MOST_ATTEMPTS = 999;
const MOST_AMOUNT = 1e12;

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
  const tried = Math.max(0, Math.trunc(Math.min(entry.attempts, MOST_ATTEMPTS)));
  const attempts = words.html('webhook-log-attempts', {
    attempts: tried,
    many: entry.attempts > MOST_ATTEMPTS ? 'yes' : 'no',
  });
  return lines(
    inLine(
      `${isTaken ? '📬' : '⚠️'} ${eventName(words, printable(event_type, TYPE_LENGTH))}`,
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
  const shown = all.slice(0, MOST_LINES).map((line) => {
    const text = line.trimStart();
    return `${line.slice(0, Math.min(line.length - text.length, MOST_INDENT))}${printable(text, LINE_LENGTH)}`;
  });
  return words.html('webhook-log-payload', {
    payload: shown.join('\n'),
    more: Math.max(0, all.length - MOST_LINES),
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
  return amount.gt(0) && amount.lt(MOST_AMOUNT) ? amount.toFixed() : undefined;
}

/** Returns the HTTP status as text. Returns `undefined` for anything else, such as 0 if there was no response. */
function answered(status: number | null | undefined): string | undefined {
  return Number.isInteger(status) && /^[1-9]\d\d$/.test(String(status)) ? String(status) : undefined;
}
