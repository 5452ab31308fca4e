import { BigNumber } from 'bignumber.js';
import type { Link } from '../../accounts/links.ts';
import { screen, withReading } from '../../bot/accounts.ts';
import { type ButtonHandler, defineFeature } from '../../bot/feature.ts';
import { showText } from '../../bot/reply.ts';
import type { TextKey } from '../../i18n/keys.ts';
import { formatAmount, formatMoment, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import type { AccountReads } from '../../rental-api/account-reader.ts';
import { decimal, recordId, toPrintable, type WebhookLogEntry } from '../../rental-api/schemas.ts';
import { readLoggedEvent } from '../../rental-api/webhook.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, inRows, numberButtons, type View, withMenuButton } from '../../views/view.ts';
import { formatEventName } from '../views/event-names.ts';
import { latestFirst } from '../views/latest-first.ts';
import { reportsRow } from '../views/reports.ts';

const WEBHOOK_LOG = 'webhook-log';
const MAX_LOG_ENTRIES = 8;
const ENTRIES_PER_ROW = 4;

export const webhookLogFeature = defineFeature((deps) => {
  const { webhookSubscriptions, hookUrl } = deps;
  const read = (reads: AccountReads) => reads.webhookLogs();

  async function view(words: Words, entries: WebhookLogEntry[], { account }: Link): Promise<View> {
    const isActive = hookUrl !== undefined && (await webhookSubscriptions.isActive(account));
    const reports = hookUrl === undefined ? 'none' : isActive ? 'on' : 'off';
    const goes = { on: 'here', off: 'elsewhere', none: 'nowhere' }[reports];
    const latest = latestFirst(
      entries.toSorted((one, other) => other.id - one.id),
      ({ created_at }) => created_at,
    );
    const shown = latest.slice(0, MAX_LOG_ENTRIES);
    const html = paragraphs(
      lines(words.html('webhook-log-title'), words.html('account-number', { account: String(account) })),
      ...(latest.length > 0
        ? shown.map((one, at) => `${at + 1}. ${loggedEventLines(words, one)}`)
        : [words.html('webhook-log-none')]),
      latest.length > MAX_LOG_ENTRIES && words.html('list-latest', { most: MAX_LOG_ENTRIES }),
      shown.length > 0 && words.html('webhook-log-pick'),
      words.html('webhook-log-goes', { goes }),
    );
    const entryButtons = numberButtons(shown.map(({ id }) => callbackData(WEBHOOK_LOG, 'one', id)));
    const back = [button(words, 'button-account', callbackData('account', 'open'))];
    const rows = [...inRows(entryButtons, ENTRIES_PER_ROW), reportsRow(words, reports, WEBHOOK_LOG), back];
    return withMenuButton(words, html, ...rows);
  }

  const showOne: ButtonHandler = (ctx, id) =>
    withReading(deps, ctx, { read, again: callbackData(WEBHOOK_LOG, 'one', id) }, (entries) => {
      const { words } = ctx;
      const found = entries.find((entry) => String(entry.id) === id);
      const all = button(words, 'button-webhook-log', callbackData(WEBHOOK_LOG, 'open'));
      const html = found
        ? paragraphs(loggedEventLines(words, found), payloadText(words, found.payload))
        : words.html('webhook-log-gone');
      return showText(ctx, html, [all]);
    });

  return screen(deps, {
    name: WEBHOOK_LOG,
    buttons: { one: showOne },
    command: { name: 'webhooklog', text: 'command-webhook-log', merchants: true },
    read,
    view,
  });
});

const LOGGED_TYPE_LENGTH = 40;
const [MAX_LINES, LINE_LENGTH, MAX_INDENT] = [30, 100, 12];
/** Maximum number of attempts shown. A higher one would be an error of the service. */
const MAX_ATTEMPTS = 999;
const MAX_AMOUNT = 1e12;

const NUMBERS = { order_id: 'webhook-log-order', invoice_id: 'webhook-log-invoice' } as const;
const AMOUNTS = { energy_amount: 'energy-short', bandwidth_amount: 'bandwidth-short' } as const;

function loggedEventLines(words: Words, entry: WebhookLogEntry): string {
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
function payloadText(words: Words, payload: unknown): string {
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
    if (value !== undefined && value > 0) return words.html(key, { number: String(value), amount: value });
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
