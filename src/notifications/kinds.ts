import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import { type AddressAnnouncements, CONFIRMABLE_MS, isOver } from '../accounts/address-announcements.ts';
import type { Links } from '../accounts/links.ts';
import type { MutableKind } from '../accounts/notification-settings.ts';
import {
  formatMoment,
  formatSpan,
  formatTime,
  formatTimeWithSeconds,
  lines,
  momentVariables,
  paragraphs,
  shortenAddress,
  type Words,
} from '../i18n/texts.ts';
import { arrivedText, INVOICE_BUTTONS, INVOICE_LIST } from '../invoices/card.ts';
import { CARD_BUTTONS, shortTitle, targetLine } from '../operations/card.ts';
import { differenceSchema, type Kinds, kindText } from '../operations/kinds/kind.ts';
import type { Operation, OperationRef } from '../operations/operation.ts';
import { rentedUntil } from '../operations/order-state.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import { parseDecimalTrx } from '../rental-api/tron.ts';
import { DELIVERY_RESULTS, renderResultCounts } from '../views/broadcast-results.ts';
import { callbackData } from '../views/callback-data.ts';
import { explorerLinks } from '../views/explorer-links.ts';
import { describeProblem, type ProblemName } from '../views/health-problem.ts';
import { button, type View, withMenuButton } from '../views/view.ts';
import { addressNotification } from './address-notification.ts';

/** Operation that waits for a deposit. `estimate`: what it costs, in TRX (decimal), if known. */
export interface Unpaid {
  kind: string;
  estimate: string | undefined;
}

/** Private chat, and the account that the notification is about, if any. */
interface Recipient {
  chat: number;
  account: number | undefined;
  /** Operation that waits for a deposit in this chat, if the notification's kind has `namesUnpaid`. */
  unpaid?: Unpaid | undefined;
}

/** Kind of notification. Features declare theirs with {@link defineFeatureNotification}. */
export interface NotificationKind<Name extends string = string, Data = unknown> {
  name: Name;
  data: z.ZodType<Data>;
  /** Sent before notifications that aren't about money. */
  isMoney: boolean;
  /** Dropped if the recipient is no longer an admin. */
  isForAdmins?: true;
  /** Setting that mutes this kind. Absent if the kind can't be muted. */
  mutable?: MutableKind;
  /** May stop a theft. Also sent while the service doesn't say whether the user's key is valid. */
  isWarning?: true;
  /** Sent at once and never grouped, because each notification may need an action. */
  neverGrouped?: true;
  /** Asks a question: its answer replaces the message. Buttons of other kinds open a new message. */
  isQuestion?: true;
  /** The view names the operation that waits for a deposit, which is read right before sending. */
  namesUnpaid?: true;
  /** Renders one message for all given notifications, at least one. */
  view(words: Words, all: readonly Data[], recipient: Recipient): View;
  /** Returns the id of the message that a single notification replies to, if any. */
  replyTo?(data: Data): number | undefined;
  /** Checks right before sending whether the notification is still relevant. */
  isStillRelevant?(data: Data, recipient: Recipient): Promise<boolean>;
  /** Returns whether a notification needn't be sent, because `later` one waits in the same chat. */
  isReplacedBy?(data: Data, later: Data): boolean;
  /** Called with the id of the message that Telegram accepted. Not called for a message without a response. */
  onSent?(data: Data, recipient: Recipient, message: number): Promise<void>;
}

function defineNotificationKind<Name extends string, Data>(
  kind: NotificationKind<Name, Data>,
): NotificationKind<Name, Data> {
  return kind;
}

/** Kind of notification that a feature declares. Its name begins with the name of the feature. */
export interface FeatureNotification<Data = unknown> extends NotificationKind<string, Data> {
  /** Examples of the data, for tests of the view. */
  samples: readonly [Data, ...Data[]];
}

/**
 * Declares a kind of notification of a feature, which lists it under `notifications`.
 *
 * @example
 * const PACKAGES_CHANGED = defineFeatureNotification({
 *   name: 'packages-changed',
 *   data: z.object({ size: z.number(), price: z.string() }),
 *   isMoney: false,
 *   mutable: 'other', // absent if the user asked for this notification
 *   view: listView({
 *     heading: (words) => words.html('packages-changed-title'),
 *     text: (words, { size, price }) => words.html('packages-changed', { size, price }),
 *   }),
 *   samples: [{ size: 10, price: '23.00' }],
 * });
 * await notify(PACKAGES_CHANGED, { user: 501, id: '10:2025-06-01', data: { size: 10, price: '21.50' } });
 */
export function defineFeatureNotification<Data>(kind: FeatureNotification<Data>): FeatureNotification<Data> {
  return kind;
}

export function singleView<Data>(
  view: (words: Words, data: Data, recipient: Recipient) => View,
): NotificationKind<string, Data>['view'] {
  return (words, [data], recipient) => {
    if (data === undefined) throw new RangeError('a message needs at least one notification');
    return view(words, data, recipient);
  };
}

export function listView<Data>(list: {
  heading(words: Words): string;
  text(words: Words, data: Data, recipient: Recipient): string;
  footer?(words: Words, all: readonly Data[], recipient: Recipient): string | undefined;
  buttons?(words: Words, all: readonly Data[], recipient: Recipient): InlineKeyboardButton[][];
}): NotificationKind<string, Data>['view'] {
  return (words, all, recipient) => {
    const texts = all.map((data) => list.text(words, data, recipient));
    const html = paragraphs(list.heading(words), ...texts, list.footer?.(words, all, recipient));
    return withMenuButton(words, html, ...(list.buttons?.(words, all, recipient) ?? []));
  };
}

export interface NotificationKindDeps {
  addressAnnouncements: Pick<AddressAnnouncements, 'getStatus' | 'find' | 'addMessage' | 'addNotice'>;
  supportUrl: string | undefined;
  kinds: Kinds;
  links: Pick<Links, 'find'>;
  /** Returns an operation in any state; `undefined` if it is missing or unreadable. */
  findOperation: (ref: OperationRef) => Promise<Operation | undefined>;
  now: () => number;
}

const addressData = z.object({
  what: z.enum(['announced', 'blocked', 'expired', 'offered']),
  id: z.string(),
  address: z.string(),
  /** TRX, decimal. */
  trx: z.string(),
  /** Epoch milliseconds when withdrawals to the address become possible. */
  from: z.number(),
  /** Nothing was sent to the address. */
  isUnsent: z.boolean().optional(),
  /** The address was blocked recently. */
  wasBlocked: z.boolean().optional(),
});

const broadcastReportSchema = z.object({
  id: z.string(),
  /** `replayed`: an old record of an ended broadcast was put back and refused. */
  state: z.enum(['done', 'stopped', 'missed', 'paused', 'replayed']),
  total: z.number(),
  counts: z.record(z.enum(DELIVERY_RESULTS), z.number()),
  ms: z.number().optional(),
});
export type BroadcastReport = z.infer<typeof broadcastReportSchema>;

const depositData = z.object({
  status: z.string(),
  id: z.number().optional(),
  amount: z.string().optional(),
  currency: z.string().optional(),
  trx: z.string().optional(),
  txHash: z.string().optional(),
  /** Balance of the account once the deposit was credited, in TRX (decimal). */
  balance: z.string().optional(),
});

const healthProblemSchema = z.object({
  problem: z.string().transform((name) => name as ProblemName),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});

const healthAlertSchema = healthProblemSchema.extend({
  check: z.string(),
  is: z.enum(['begun', 'over']),
  severity: z.enum(['warning', 'error']),
  /** Other problems of the check that are over, too, newest first. */
  earlier: z.array(healthProblemSchema).optional(),
  /** Duration of the problem until the alert, in milliseconds. */
  ms: z.number(),
  /** Replicas with the problem, if not all share it. */
  replicas: z.array(z.string()).optional(),
});

/** Alert to the admins about a health check. Calls with the same `id` notify once. */
export type HealthAlert = z.infer<typeof healthAlertSchema> & { id: string };

const systemAlertData = z.object({
  key: z.enum(['continuity-unproved', 'guests-full', 'maintenance-notice-on', 'maintenance-notice-off']),
  admin: z.number().optional(),
});

const by = z.number();

/** Outcomes of operations on the operator's account of which admins are notified. */
export const reportedOutcome = z.enum([
  'done',
  'partial',
  'failed',
  'refused',
  'unknown',
  'likely',
  'closed',
]);

const operatorDataOf = (kinds: Pick<Kinds, 'request'>) =>
  z.discriminatedUnion('what', [
    z.object({ what: z.enum(['linked', 'unlinked']), by }),
    z.object({ what: z.literal('cap'), by, trx: z.string() }),
    z.object({ what: z.literal('alert'), by, trx: z.string().optional() }),
    z.object({ what: z.enum(['low', 'restored']), balance: z.string(), threshold: z.string() }),
    z.object({ what: z.literal('key'), by, at: z.number() }),
    z.object({
      what: z.literal('used'),
      by,
      id: z.string(),
      request: kinds.request,
      outcome: reportedOutcome,
      /** Price in TRX, decimal. `isEstimate`: the service hasn't named it, so it's the card's. */
      trx: z.string().optional(),
      isEstimate: z.literal(true).optional(),
    }),
  ]);

/** Change to the operator's account, or use of it. */
export type OperatorAccountChange = z.infer<ReturnType<typeof operatorDataOf>>;

/** `fields`: values of the event's fields by name. */
const serviceEventData = z.object({ type: z.string(), fields: z.record(z.string(), z.string()) });
type ServiceEventData = z.infer<typeof serviceEventData>;

const deposit = ({ kinds, supportUrl }: NotificationKindDeps) =>
  defineNotificationKind({
    name: 'deposit',
    data: depositData,
    isMoney: true,
    mutable: 'deposits',
    namesUnpaid: true,
    view: listView({
      heading: (words) => words.html('notice-deposit'),
      text: (words, one) =>
        lines(renderDeposit(words, one), explorerLinks(words, { transaction: one.txHash })),
      footer(words, all, { unpaid }) {
        const balance = amountOf(all.findLast((one) => one.balance !== undefined)?.balance);
        if (!balance) return undefined;
        const waiting = kinds.all.find(({ name }) => name === unpaid?.kind);
        const missing = new BigNumber(unpaid?.estimate ?? 0).minus(balance);
        return lines(
          words.html('deposit-balance', { balance }),
          waiting &&
            missing.gt(0) &&
            words.html('deposit-missing', {
              what: words.plain(kindText(waiting, 'filter')),
              trx: missing.toFixed(),
            }),
        );
      },
      buttons(words, all, { unpaid }) {
        const hasExpired = all.some(({ status }) => status === 'expired');
        const support =
          hasExpired && supportUrl ? [{ text: words.plain('button-support'), url: supportUrl }] : [];
        if (all.every(({ status }) => status !== 'confirmed')) return support.length > 0 ? [support] : [];
        const waiting = kinds.all.find(({ name }) => name === unpaid?.kind);
        const label =
          waiting && words.plain('button-continue', { what: words.plain(kindText(waiting, 'filter')) });
        return [
          ...(label ? [[{ text: label, callback_data: callbackData('menu', 'continue') }]] : []),
          [button(words, 'button-balance', callbackData('menu', 'balance')), ...support],
        ];
      },
    }),
  });

/** Withdrawal that the recipient didn't make through the bot, or a change of its status. */
const WITHDRAWAL = defineNotificationKind({
  name: 'withdrawal',
  data: z.object({
    status: z.string(),
    to: z.string(),
    trx: z.string(),
    fee: z.string().optional(),
    txHash: z.string().optional(),
  }),
  isMoney: true,
  mutable: 'withdrawals',
  view: listView({
    heading: (words) => words.html('notice-withdrawal'),
    text: (words, { status, to, trx: amount, fee = 'none', txHash: transaction }) =>
      lines(
        words.html('notice-withdrawal-line', { status, to, amount, fee }),
        explorerLinks(words, { transaction }),
      ),
  }),
});

/** Withdrawal that another holder confirmed in the bot. Can't be muted: it may be a theft. */
const holderWithdrawal = ({ supportUrl }: NotificationKindDeps) =>
  defineNotificationKind({
    name: 'holder-withdrawal',
    data: z.object({ address: z.string(), trx: z.string() }),
    isMoney: true,
    neverGrouped: true,
    isWarning: true,
    view: singleView((words, { address, trx }, { account }) => {
      const html = paragraphs(
        words.html('withdrawal-by-other-holder', { account: String(account) }),
        lines(words.html('withdrawal-title', { trx }), words.html('operation-address', { address })),
        words.html('withdrawal-by-other-holder-note'),
      );
      const movements = [button(words, 'button-movements', callbackData('movements', 'open'))];
      const supportRow = supportUrl ? [[{ text: words.plain('button-support'), url: supportUrl }]] : [];
      return withMenuButton(words, html, movements, ...supportRow);
    }),
  });

/** Another user has linked the account. Can't be muted: a thief may have its key. */
const HOLDER_LINKED = defineNotificationKind({
  name: 'holder-linked',
  data: z.object({}),
  isMoney: true,
  neverGrouped: true,
  isWarning: true,
  view: singleView((words, _, { account }) =>
    withMenuButton(words, words.html('linked-by-other-holder', { account: String(account) })),
  ),
});

/** Withdrawal address of an account without 2FA. Can't be muted: it may be a thief's address. */
const withdrawalAddress = ({ addressAnnouncements, now }: NotificationKindDeps) =>
  defineNotificationKind({
    name: 'address',
    data: addressData,
    isMoney: true,
    neverGrouped: true,
    isQuestion: true,
    isWarning: true,
    view: singleView((words, announcement, { account = 0 }) =>
      addressNotification(words, announcement.what, { ...announcement, account }),
    ),
    /** The withdrawal may have ended since, and the address may have been removed for this user or another. */
    async isStillRelevant({ what, id, address, from }, { chat: user, account }) {
      if (what === 'blocked' || what === 'expired' || account === undefined) return true;
      const announcement = await addressAnnouncements.find(account, id);
      // The announcement is stored after its notification.
      if (what === 'announced')
        return now() < from + CONFIRMABLE_MS && (announcement === undefined || !isOver(announcement));
      const { kind } = await addressAnnouncements.getStatus({ user, account, address });
      const isOpen = announcement !== undefined && announcement.abandonedAt === undefined;
      return isOpen && announcement.reservedAt === undefined && kind === 'usable';
    },
    async onSent({ what, id }, { chat, account }, message) {
      if (account === undefined) return;
      if (what === 'offered') await addressAnnouncements.addMessage(account, id, message);
      if (what === 'announced') await addressAnnouncements.addNotice(account, id, { chat, message });
    },
  });

const LOW_BALANCE = defineNotificationKind({
  name: 'low-balance',
  data: z.object({
    balance: z.string(),
    threshold: z.string(),
    /** Number of active Smart Mode subscriptions, if there are any. */
    smartMode: z.number().optional(),
  }),
  isMoney: true,
  mutable: 'low-balance',
  view: listView({
    heading: (words) => words.html('notice-low-balance'),
    text: (words, { balance, threshold, smartMode: active }) =>
      lines(
        words.html('low-balance', { balance, mark: threshold }),
        active !== undefined && words.html('low-balance-smart-mode', { active }),
      ),
    buttons: (words) => [[button(words, 'button-deposit', callbackData('deposit', 'open'))]],
  }),
});

/** Maximum rentals that a reminder lists as staying. */
const MAX_STAYING = 3;

/** End of rentals of an address, some time before it. Only users who have turned this on get it. */
const rentalEnds = ({ kinds, findOperation, now }: NotificationKindDeps) => {
  const rental = z.object({
    id: z.string(),
    request: kinds.request,
    /** Number of the order at the service. */
    order: z.number().optional(),
    /** Delivered amount, if it is less than ordered. */
    delivered: z.number().optional(),
  });
  const titleOf = (words: Words, { request, delivered }: z.infer<typeof rental>) =>
    shortTitle(words, kinds.of(request), request, delivered);

  return defineNotificationKind({
    name: 'rental-ends',
    data: z.object({
      /** Operation that the buttons are about: the oldest of the ending ones. */
      id: z.string(),
      request: kinds.request,
      /** Name under which the user saved the address. */
      savedName: z.string().optional(),
      /** Rentals of the address that end in this minute, oldest first. */
      ending: z.array(rental),
      /** Other rentals of the address, with their ends in epoch milliseconds. */
      staying: z.array(rental.extend({ until: z.number() })),
      /** Epoch milliseconds. */
      until: z.number(),
      /** Id of the receipt's message. */
      receipt: z.number().optional(),
    }),
    isMoney: false,
    mutable: 'rentals',
    neverGrouped: true,
    view: singleView((words, { id, request, savedName, ending, staying, until }) => {
      const orders = ending.flatMap(({ order }) => order ?? []);
      const later = staying.toSorted((one, other) => one.until - other.until);
      const html = lines(
        words.html('rental-ends', {
          what: ending.map((one) => titleOf(words, one)).join(' + '),
          count: ending.length,
          ...momentVariables(until, formatTime),
        }),
        targetLine(words, kinds.of(request), request, savedName),
        orders.length > 0 &&
          words.html('rental-ends-orders', { count: orders.length, orders: orders.join(', ') }),
        later.length === 0 && words.html('rental-stays-none'),
        ...later.slice(0, MAX_STAYING).map((one) =>
          words.html('rental-stays', {
            what: titleOf(words, one),
            ...momentVariables(one.until, (at) => formatMoment(at, words.language)),
          }),
        ),
        later.length > MAX_STAYING && words.html('list-more', { count: later.length - MAX_STAYING }),
      );
      const again = button(words, 'button-rent-again', callbackData(CARD_BUTTONS, 'again', id));
      const off = button(words, 'button-reminder-off', callbackData(CARD_BUTTONS, 'remind-off', id));
      return withMenuButton(words, html, [again], [off]);
    }),
    replyTo: ({ receipt }) => receipt,
    /** The order may have failed since, or the message may have waited until after the end. */
    async isStillRelevant({ ending }, { chat: user }) {
      const found = await Promise.all(ending.map(({ id }) => findOperation({ user, id })));
      return found.some((operation) => {
        const until = operation && rentedUntil(kinds.of(operation.request), operation);
        return until !== undefined && now() < until;
      });
    },
  });
};

const invoiceExpiredData = z.object({
  /** Id of the invoice, for its maker. */
  id: z.string(),
  number: z.number(),
  energy: z.number(),
  hours: z.number(),
  address: z.string(),
  note: z.string().optional(),
  paymentAddress: z.string(),
  /** Message id of the invoice's card. */
  card: z.number(),
});

/** Shared invoice that expired without a full payment, for its seller. */
const INVOICE_EXPIRED = defineNotificationKind({
  name: 'invoice-expired',
  data: invoiceExpiredData,
  isMoney: true,
  mutable: 'invoices',
  view: listView({
    heading: (words) => words.html('notice-invoice-expired'),
    text: (words, { number, energy: amount, hours, address, note, ...invoice }) =>
      lines(
        words.html('invoice-expired-line', {
          number: String(number),
          ...{ amount, hours, target: shortenAddress(address) },
        }),
        note !== undefined && words.html('invoices-note', { note }),
        arrivedText(words, invoice),
      ),
    buttons: (words, [first, ...others]) => [
      ...(first !== undefined && others.length === 0
        ? [[button(words, 'invoice-again', callbackData(INVOICE_BUTTONS, 'again', first.id))]]
        : []),
      [button(words, 'button-invoices', callbackData(INVOICE_LIST, 'only', 'ended'))],
      [settingsButton(words)],
    ],
  }),
  replyTo: ({ card }) => card,
});

/** Energy that Smart Mode delivered for a transfer, or another Smart Mode event that has no text here. */
const SMART_MODE = defineNotificationKind({
  name: 'smart-mode',
  data: serviceEventData,
  isMoney: false,
  mutable: 'smart-mode',
  view(words, events) {
    const delivered = events.map(readDelivery).filter((delivery) => delivery !== undefined);
    const unknown = events.filter((event) => readDelivery(event) === undefined);
    const html = paragraphs(
      delivered.length > 0 && words.html('notice-smart-mode'),
      ...renderByAddress(words, delivered),
      unknown.length > 0 && renderUnknownEvents(words, unknown),
    );
    return withMenuButton(words, html, [
      ...(unknown.length > 0 ? [webhookLogButton(words)] : []),
      settingsButton(words),
    ]);
  },
});

/** Smart Mode was paused, but not by an account holder here. */
const SMART_MODE_PAUSED = defineNotificationKind({
  name: 'smart-mode-paused',
  data: z.object({ address: z.string(), balance: z.string() }),
  isMoney: true,
  mutable: 'smart-mode',
  view: listView({
    heading: (words) => words.html('notice-smart-mode-paused'),
    text: (words, { address, balance }) => words.html('smart-mode-paused', { address, balance }),
    buttons: (words) => [
      [button(words, 'button-deposit', callbackData('deposit', 'open'))],
      [button(words, 'button-smart-mode', callbackData('smart-mode', 'open')), settingsButton(words)],
    ],
  }),
});

/** Events of an account no longer arrive: other URL, bot unreachable, or webhook turned off. */
const WEBHOOK_STATUS = defineNotificationKind({
  name: 'webhook-status',
  data: z.object({ why: z.enum(['elsewhere', 'unreached', 'off']) }),
  isMoney: false,
  mutable: 'hook',
  view: listView({
    heading: (words) => words.html('notice-hook'),
    text: (words, { why }, { account }) => words.html(`hook-${why}`, { account: String(account) }),
    buttons: (words) => [
      [button(words, 'button-reports-on', callbackData('reports', 'open'))],
      [settingsButton(words)],
    ],
  }),
});

/** Event of unknown type, shown as received. Nothing in it can be tapped. */
const UNKNOWN_EVENT = defineNotificationKind({
  name: 'event',
  data: serviceEventData,
  isMoney: false,
  mutable: 'other',
  view: (words, events) =>
    withMenuButton(words, renderUnknownEvents(words, events), [
      webhookLogButton(words),
      settingsButton(words),
    ]),
});

/** Unreadable record. The user has to check its state at the service. */
const unreadableRecord = ({ links }: NotificationKindDeps) =>
  defineNotificationKind({
    name: 'unreadable-record',
    data: z.object({ what: z.enum(['operation', 'invoice', 'link']), id: z.string() }),
    isMoney: true,
    neverGrouped: true,
    view: singleView((words, { what, id }) =>
      withMenuButton(words, words.html('record-unreadable', { what, id })),
    ),
    isStillRelevant: async ({ what }, { chat }) => what !== 'link' || (await links.find(chat)) === undefined,
  });

const SYSTEM_ALERT = defineNotificationKind({
  name: 'system-alert',
  data: systemAlertData,
  isMoney: false,
  isForAdmins: true,
  neverGrouped: true,
  view: singleView((words, { key, admin = '' }) => ({
    html: words.html(key, { admin: String(admin) }),
    keyboard: [],
  })),
});

/** Returns an alert as a chat reads it. `undefined` if it is only about writing to this chat, which gets it. */
function healthAlertFor<Alert extends z.infer<typeof healthAlertSchema>>(
  alert: Alert,
  chat: number,
): Alert | undefined {
  if (alert.problem !== 'admins-unreachable') return alert;
  const ids = String(alert.values.ids)
    .split(', ')
    .filter((id) => id !== String(chat));
  return ids.length === 0 ? undefined : { ...alert, values: { ...alert.values, ids: ids.join(', ') } };
}

/** Problem that a health check found, or its end, for all admins. */
const HEALTH = defineNotificationKind({
  name: 'health',
  data: healthAlertSchema,
  isMoney: false,
  isForAdmins: true,
  neverGrouped: true,
  isStillRelevant: async (alert, { chat }) => healthAlertFor(alert, chat) !== undefined,
  // The end of a problem names it, too.
  isReplacedBy: ({ check, is }, later) => is === 'begun' && check === later.check,
  view: singleView((words, alert, { chat }) => {
    const { is, severity, ms, replicas, earlier = [], ...found } = healthAlertFor(alert, chat) ?? alert;
    const { finding, advice } = describeProblem(words, found);
    const over =
      found.values.outcome === undefined
        ? words.html('health-over', { span: formatSpan(words, ms), finding, count: 1 + earlier.length })
        : words.html('health-outcomes-over', found.values);
    const html = lines(
      is === 'begun' ? words.html('health-begun', { severity, finding, advice }) : over,
      ...earlier.map((one) => words.html('health-over-earlier', describeProblem(words, one))),
      replicas && words.html('health-process', { replicas: replicas.join(', ') }),
    );
    const unresolved = button(words, 'button-unresolved', callbackData('unresolved', 'open'));
    return {
      html,
      keyboard: [
        ...(is === 'begun' && found.problem.startsWith('outcomes-') ? [[unresolved]] : []),
        [button(words, 'button-state', callbackData('state', 'open'))],
      ],
    };
  }),
});

/** Record of the service that contradicts an order, for all admins. */
const CONTRADICTION = defineNotificationKind({
  name: 'contradiction',
  data: z.object({
    account: z.number(),
    namespace: z.string(),
    order: z.number(),
    operation: z.string(),
    difference: differenceSchema,
  }),
  isMoney: true,
  isForAdmins: true,
  neverGrouped: true,
  view: singleView((words, { account, namespace, order, operation, difference }) => {
    const { fact, ordered, reported = 'none' } = difference;
    const html = words.html('contradiction', {
      what: namespace,
      order: String(order),
      operation,
      account: account === OPERATOR_ACCOUNT ? 'none' : String(account),
      fact,
      ordered,
      reported: toPrintable(reported, VALUE_LENGTH),
    });
    return { html, keyboard: [] };
  }),
});

/** Result or pause of a broadcast, for all admins. A new message, because edits don't notify. */
const BROADCAST_REPORT = defineNotificationKind({
  name: 'broadcast',
  data: broadcastReportSchema,
  isMoney: false,
  isForAdmins: true,
  neverGrouped: true,
  view: singleView((words, { id, state, total, counts, ms }) => {
    const html = paragraphs(
      words.html('broadcast-report', { state, total }),
      state !== 'missed' && state !== 'replayed' && lines(...renderResultCounts(words, counts)),
      ms !== undefined && words.html('progress-took', { minutes: Math.floor(ms / MINUTE_MS) }),
    );
    return {
      html,
      keyboard: [[button(words, 'button-broadcast-show', callbackData('broadcast', 'show', id))]],
    };
  }),
});

/** Change or use of the operator's account, for all admins. Can't be muted: it may be a theft. */
const operatorChange = ({ kinds }: NotificationKindDeps) =>
  defineNotificationKind({
    name: 'operator',
    data: operatorDataOf(kinds),
    isMoney: true,
    isForAdmins: true,
    neverGrouped: true,
    view: singleView((words, change) => {
      const isInDoubt =
        change.what === 'used' && (change.outcome === 'unknown' || change.outcome === 'likely');
      return {
        html: paragraphs(words.html('operator-title'), renderOperatorChange(words, change, kinds)),
        keyboard: [
          ...(isInDoubt ? [[button(words, 'button-unresolved', callbackData('unresolved', 'open'))]] : []),
          ...(change.what === 'low'
            ? [[button(words, 'button-operator', callbackData('operator', 'open'))]]
            : []),
        ],
      };
    }),
  });

function createBuiltInKinds(deps: NotificationKindDeps) {
  return [
    deposit(deps),
    WITHDRAWAL,
    holderWithdrawal(deps),
    HOLDER_LINKED,
    withdrawalAddress(deps),
    LOW_BALANCE,
    rentalEnds(deps),
    INVOICE_EXPIRED,
    SMART_MODE,
    SMART_MODE_PAUSED,
    WEBHOOK_STATUS,
    UNKNOWN_EVENT,
    unreadableRecord(deps),
    SYSTEM_ALERT,
    HEALTH,
    CONTRADICTION,
    BROADCAST_REPORT,
    operatorChange(deps),
  ] as const;
}

type Kind = ReturnType<typeof createBuiltInKinds>[number];

/** Notification of a kind defined here. The same `id` of a kind is sent once to a chat. */
export type NotificationContent = {
  [Name in Kind['name']]: {
    kind: Name;
    id: string;
    data: z.infer<Extract<Kind, { name: Name }>['data']>;
  };
}[Kind['name']];

export type NotificationKinds = ReturnType<typeof createNotificationKinds>;

/** Creates the list of built-in and features' kinds. Throws a `RangeError` for a duplicate name. */
export function createNotificationKinds(
  deps: NotificationKindDeps & { featureKinds?: readonly FeatureNotification[] },
) {
  const builtIn = createBuiltInKinds(deps) as readonly unknown[] as readonly NotificationKind[];
  const kinds = [...builtIn, ...(deps.featureKinds ?? [])];
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  if (byName.size < kinds.length) throw new RangeError('two notification kinds have the same name');
  return {
    /** Returns the kind with this stored name, or `undefined` if only a newer version knows it. */
    find: (name: string): NotificationKind | undefined => byName.get(name),
  };
}

/** Text of each status. An unknown status is shown as pending: the amount may not have been credited. */
const DEPOSIT_TEXTS: Record<string, 'deposit-noticed' | 'deposit-credited' | 'deposit-expired'> = {
  pending: 'deposit-noticed',
  confirmed: 'deposit-credited',
  expired: 'deposit-expired',
};

function renderDeposit(words: Words, deposit: z.infer<typeof depositData>): string {
  const { status, currency } = deposit;
  const key = DEPOSIT_TEXTS[status] ?? 'deposit-noticed';
  const [amount, credited] = [amountOf(deposit.amount), amountOf(deposit.trx)];
  if (amount === undefined || (currency !== 'TRX' && currency !== 'USDT')) return words.html(`${key}-bare`);
  const converted = currency === 'USDT' && credited !== undefined ? 'yes' : 'no';
  return words.html(key, { amount, currency, converted, trx: credited ?? amount });
}

/** Upper bound of plausible amounts: more than the total supply of either currency. */
const MAX_AMOUNT = 1e15;

/** Returns the amount if plausible. The service's deposits are undocumented (specification, section 2). */
function amountOf(amount: string | undefined): string | undefined {
  const value = amount === undefined ? undefined : parseDecimalTrx(amount);
  return value?.gt(0) && value.lt(MAX_AMOUNT) ? value.toFixed() : undefined;
}

function renderOperatorChange(words: Words, change: OperatorAccountChange, kinds: Kinds): string {
  switch (change.what) {
    case 'used': {
      const { request, id, outcome } = change;
      const kind = kinds.of(request);
      return lines(
        words.html('operator-notice-used', { by: String(change.by), outcome }),
        kind.title(words, request),
        targetLine(words, kind, request),
        usedPriceLine(words, change),
        words.html('operation-number', { id }),
      );
    }
    case 'low':
    case 'restored':
      return words.html(`operator-notice-${change.what}`, {
        balance: change.balance,
        mark: change.threshold,
      });
    case 'key': {
      const time = formatTimeWithSeconds(change.at);
      return words.html('operator-notice-key', { by: String(change.by), time });
    }
    case 'cap':
    case 'alert': {
      const { what, trx = 'none' } = change;
      return words.html(`operator-notice-${what}`, { by: String(change.by), trx });
    }
    case 'linked':
    case 'unlinked':
      return words.html(`operator-notice-${change.what}`, { by: String(change.by) });
  }
}

/** Renders what an operation has charged. Until that is known, or if it's nothing, renders the price on its card. */
function usedPriceLine(
  words: Words,
  { outcome, trx: price, isEstimate }: Extract<OperatorAccountChange, { what: 'used' }>,
): string {
  if (price === undefined) return words.html('operator-notice-no-price');
  const isCharged = outcome === 'done' || outcome === 'partial' || outcome === 'failed';
  if (!isCharged) return words.html('operation-estimate', { estimate: price, former: 'none' });
  return words.html(isEstimate ? 'operation-price-of-card' : 'operation-price', { price });
}

const MAX_FIELDS = 8;
const NAME_LENGTH = 32;
const VALUE_LENGTH = 64;

/** Returns an event's first few plain values, each cut to one line without invisible characters. */
export function displayableFields(data: Record<string, unknown>): ServiceEventData['fields'] {
  const fields = Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[toPrintable(name, NAME_LENGTH), toPrintable(String(value), VALUE_LENGTH)] as const]
      : [],
  );
  return Object.fromEntries(fields.slice(0, MAX_FIELDS));
}

/**
 * Renders events of unknown types with their fields and a hint. Text from the service is formatted as code,
 * so that addresses and links in it can't be tapped.
 */
function renderUnknownEvents(words: Words, events: readonly ServiceEventData[]): string {
  return paragraphs(
    words.html('notice-event'),
    ...events.map(({ type, fields }) =>
      lines(
        words.html('event-type', { type }),
        ...Object.entries(fields).map(([name, value]) => words.html('event-field', { name, value })),
      ),
    ),
    words.html('event-unknown'),
  );
}

const webhookLogButton = (words: Words) =>
  button(words, 'button-webhook-log', callbackData('webhook-log', 'open'));

const settingsButton = (words: Words) =>
  button(words, 'button-notifications', callbackData('notifications', 'open'));

type EnergyDelivery = { address: string; energy: string; fee: string };

/** Returns the delivery, or `undefined` if a field isn't plausible. Such events are shown as received. */
function readDelivery({ type, fields }: ServiceEventData): EnergyDelivery | undefined {
  const { address = '', energy_amount: energy = '', fee_trx: fee = '' } = fields;
  const isKnown = /^T[0-9A-Za-z]{33}$/.test(address) && /^\d{1,9}$/.test(energy) && isPlausibleFee(fee);
  return type === 'smart_mode.transfer' && isKnown ? { address, energy, fee } : undefined;
}

const MAX_FEE = 1e6;

function isPlausibleFee(text: string): boolean {
  const fee = parseDecimalTrx(text);
  return fee !== undefined && !fee.isNegative() && fee.lt(MAX_FEE);
}

/** Renders each address once, with its deliveries below. Identical lines are merged and counted. */
function renderByAddress(words: Words, delivered: readonly EnergyDelivery[]): string[] {
  const groups = new Map<string, Map<string, number>>();
  for (const { address, energy, fee } of delivered) {
    const line = words.html('smart-mode-delivered', { energy: Number(energy), fee });
    const group = groups.get(address) ?? new Map<string, number>();
    groups.set(address, group.set(line, (group.get(line) ?? 0) + 1));
  }
  return [...groups].map(([address, group]) =>
    lines(
      words.html('smart-mode-for', { address }),
      ...[...group].map(([line, times]) => (times > 1 ? `${line} ×${times}` : line)),
    ),
  );
}
