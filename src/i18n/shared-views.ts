// Views and buttons that several modules above use.

import type { InlineKeyboardButton } from 'grammy/types';
import type { TextKey } from './keys.ts';
import {
  button,
  callbackData,
  escapeHtml,
  formatCount,
  formatTime,
  groupInFours,
  paragraphs,
  replyBelow,
  type View,
  type Words,
  withMenuButton,
} from './texts.ts';

/** Feature that handles the buttons of Help. */
export const HELP_FEATURE = 'help';

/** Help topics that belong to no feature, in the order of the list. The names are used in button data. */
export const HELP_TOPICS = [
  'sender',
  'amount',
  'burned',
  'duration',
  'activation',
  'bandwidth',
  'invoice',
  'key',
  'unknown',
  'withdrawal',
] as const;

/**
 * Buttons of Help with a topic as their argument. `topic` shows the answer in its message. `atQuestion` shows it below an
 * open question, with a button back to the question.
 */
export const HELP_BUTTONS = { topic: 'topic', atQuestion: 'at-question' } as const;

/** Creates a button that shows the topic below an open question. */
export function questionHelpButton(words: Words, topic: string): InlineKeyboardButton {
  return button(words, 'button-help-here', callbackData(HELP_FEATURE, HELP_BUTTONS.atQuestion, topic));
}

/** Creates a button that shows the topic below its message, which stays unchanged. */
export function messageHelpButton(words: Words, topic: string): InlineKeyboardButton {
  return button(words, 'button-help-here', replyBelow(callbackData(HELP_FEATURE, HELP_BUTTONS.topic, topic)));
}

/** Renders what a user reads instead of an account's data if the key now opens another account. */
export function otherAccountView(words: Words, { isOperators }: { isOperators: boolean }): View {
  const html = words.html('account-other', { whose: isOperators ? 'operators' : 'own' });
  return withMenuButton(words, html, isOperators ? [] : [linkButton(words)]);
}

/** Creates the button that links an account. */
export function linkButton(words: Words): InlineKeyboardButton {
  return button(words, 'button-link', callbackData('link', 'open'));
}

/** Feature that handles the buttons of notifications about announced addresses. */
export const ANNOUNCED_ADDRESS_FEATURE = 'announced';

interface AddressNotification {
  /** Id of the announcement. */
  id: string;
  account: number;
  address: string;
  /** Amount of the withdrawal in TRX, as a decimal string. Missing in older stored notifications. */
  trx?: string | undefined;
  /** Time from which the address is allowed, in epoch milliseconds. Irrelevant if it was rejected. */
  from?: number;
  minutes?: number;
  /** Number of other holders of the account. */
  others?: number;
}

/**
 * Renders a notification about a new withdrawal address of an account without two-factor codes:
 * - `hold`: to the user who requested it, until the address is allowed.
 * - `announced`: to all other holders of the account.
 * - `offered`: the address is now allowed.
 * - `blocked`: a holder blocked the address.
 */
export function addressNotification(
  words: Words,
  kind: 'hold' | 'announced' | 'offered' | 'blocked',
  { id, account, address, trx = 'unknown', from = 0, minutes = 0, others = 0 }: AddressNotification,
): View {
  const variables = {
    account: String(account),
    address,
    trx,
    compared: groupInFours(address),
    minutes,
    others,
    from: formatTime(from),
  };
  const html = words.html(`address-${kind}`, variables);
  const dataOf = (name: string) => callbackData(ANNOUNCED_ADDRESS_FEATURE, name, id);
  const blockButton = button(words, 'button-block-address', dataOf('block'), 'danger');
  // No menu button. The menu would replace the only message with the button that blocks the address.
  if (kind === 'hold' || kind === 'announced') return { html, keyboard: [[blockButton]] };
  if (kind === 'blocked') return withMenuButton(words, html);
  // The card is shown below, because only this message can block the address.
  const cardButton = button(words, 'button-show-card', replyBelow(dataOf('card')), 'primary');
  return { html, keyboard: [[cardButton], [blockButton]] };
}

/**
 * Renders the question before the account's only webhook URL is replaced. `operator` is the account's id if it is the
 * operator account.
 */
export function webhookQuestion(words: Words, { operator }: { operator?: number } = {}): View {
  const isOperator = operator !== undefined;
  const allow = callbackData('reports', isOperator ? 'operator-on' : 'on');
  const later = callbackData('reports', isOperator ? 'operator-later' : 'later');
  return {
    html: paragraphs(
      isOperator && words.html('reports-operator', { account: String(operator) }),
      words.html('reports-ask'),
    ),
    keyboard: [
      [button(words, 'button-reports-allow', allow)],
      [button(words, 'button-reports-later', later)],
    ],
  };
}

/** Renders links to an address and a transaction in the blockchain explorer, as far as they are known. */
export function explorerLinks(
  words: Words,
  { address, transaction }: { address?: string; transaction?: string | undefined },
): string | undefined {
  const links = [
    [address && words.explorerUrl('address', address), 'explorer-address'],
    [transaction && words.explorerUrl('transaction', transaction), 'explorer-transaction'],
  ] as const;
  const shown = links.flatMap(([url, key]) => (url ? words.html(key, { url }) : []));
  return shown.length > 0 ? `🔎 ${shown.join(' · ')}` : undefined;
}

/** Renders links to the transactions of a numbered list, labelled with their numbers from 1, as far as they are known. */
export function numberedTransactionLinks(
  words: Words,
  transactions: readonly (string | undefined)[],
): string | undefined {
  const links = transactions.flatMap((transaction, at) => {
    const url = transaction === undefined ? undefined : words.explorerUrl('transaction', transaction);
    return url === undefined ? [] : [`<a href="${escapeHtml(url)}">${at + 1}</a>`];
  });
  return links.length > 0 ? `${words.html('explorer-transactions')} ${links.join(' · ')}` : undefined;
}

/** Returns the name of a broadcast's audience as plain text. `days` is for *active* users. */
export function audienceName(
  words: Words,
  audience: { who: string; language?: string; days?: number },
): string {
  const { who, language, days = 0 } = audience;
  return words.plain('making-audience', { who: language ?? who, days });
}

/** Delivery results of a broadcast. */
export const DELIVERY_RESULTS = [
  'sent',
  'blocked',
  'deactivated',
  'unreachable',
  'failed',
  'unknown',
  'skipped',
] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** Renders one line per result with its count. Omits zero counts, except of *sent*. */
export function renderResultCounts(words: Words, counts: Readonly<Record<DeliveryResult, number>>): string[] {
  return DELIVERY_RESULTS.filter((what) => what === 'sent' || counts[what] > 0).map((what) =>
    words.html('progress-count', { what, count: formatCount(counts[what], words.language) }),
  );
}

/** Converts milliseconds to minutes, rounded up, at least 1. */
export const roundUpToMinutes = (ms: number): number => Math.max(1, Math.ceil(ms / 60_000));

/** Returns the last button row of each broadcast. Its button unsubscribes the user from broadcasts. */
export function optOutRow(words: Words): InlineKeyboardButton[] {
  return [button(words, 'button-announcements-off', replyBelow(callbackData('announcements', 'off')))];
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
export function formatEventName(words: Words, type: string): string {
  const key = Object.hasOwn(EVENT_NAMES, type) ? EVENT_NAMES[type] : undefined;
  return key ? words.html(key) : words.html('event-type', { type });
}
