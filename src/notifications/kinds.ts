import { z } from 'zod';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Links } from '../accounts/links.ts';
import type { EventHooks } from '../accounts/webhook-subscriptions.ts';
import { addressNotice } from '../i18n/address-notifications.ts';
import { minutesOf, RESULTS, resultLines } from '../i18n/broadcast-counts.ts';
import { callbackData, shownBelow } from '../i18n/callback-data.ts';
import { clockSeconds, counted } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import { reportsQuestion } from '../i18n/reports-question.ts';
import type { Words } from '../i18n/texts.ts';
import { button, lines, notice, paragraphs, type View } from '../i18n/view.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import { parseTrx } from '../rental-api/amounts.ts';
import { fieldsSchema } from './event-fields.ts';
import { alone, listed, type NoticeKind, noticeKind } from './kind.ts';

const data = z.object({
  what: z.enum(['announced', 'struck', 'offered']),
  id: z.string(),
  address: z.string(),
  /** TRX, decimal. */
  trx: z.string().optional(),
  /** Epoch milliseconds: when withdrawals to the address become possible. */
  from: z.number(),
});

/**
 * Address that a user wants to withdraw to from an account without 2FA. Can't be muted, because it may be a thief's
 * address.
 */
const createAddressNotice = ({ announced }: { announced: Pick<AnnouncedAddresses, 'standing' | 'find'> }) =>
  noticeKind({
    name: 'address',
    data,
    isMoney: true,
    isAlone: true,
    isQuestion: true,
    isWarning: true,
    view: alone((words, told, { account = 0 }) => addressNotice(words, told.what, { ...told, account })),
    /** Another holder may have struck the address out since, for this user or for another. */
    async isStill({ what, id, address }, { chat: user, account }) {
      if (what !== 'offered' || account === undefined) return true;
      const present = await announced.find(account, id);
      const { kind } = await announced.standing({ user, account, address });
      return present !== undefined && present.takenAt === undefined && kind === 'ripe';
    },
  });

const broadcastNewsSchema = z.object({
  id: z.string(),
  /** `replayed`: an old record of an ended broadcast was put back and refused. */
  state: z.enum(['done', 'stopped', 'missed', 'paused', 'replayed']),
  why: z.string().optional(),
  total: z.number(),
  counts: z.record(z.enum(RESULTS), z.number()),
  /** Duration of the broadcast, in milliseconds. */
  ms: z.number().optional(),
});
/** Message to admins about a broadcast. */
export type BroadcastNews = z.infer<typeof broadcastNewsSchema>;

/**
 * Result of a broadcast, or the reason why it is paused, for all admins. Sent as a new message, because edits don't
 * notify.
 */
const createBroadcastNotice = ({ admins }: { admins: ReadonlySet<number> }) =>
  noticeKind({
    name: 'broadcast',
    data: broadcastNewsSchema,
    isMoney: false,
    isAlone: true,
    view: alone((words, { id, state, why = 'none', total, counts, ms }) => {
      const html = paragraphs(
        words.html('broadcast-report', { state, why, total: counted(total, words.language) }),
        state !== 'missed' && state !== 'replayed' && lines(...resultLines(words, counts)),
        ms !== undefined && words.html('progress-took', { minutes: minutesOf(ms) }),
      );
      const show = shownBelow(callbackData('broadcast', 'show', id));
      return { html, keyboard: [[button(words, 'button-broadcast-show', show)]] };
    }),
    isStill: async (_, { chat }) => admins.has(chat),
  });

/** Upper bound of plausible amounts: more than the total supply of either currency. */
const MAX_AMOUNT = 1e15;

const depositData = z.object({
  status: z.string(),
  id: z.number().optional(),
  amount: z.string().optional(),
  currency: z.string().optional(),
  trx: z.string().optional(),
});

const NOTICED = { known: 'deposit-noticed', bare: 'deposit-noticed-bare' } as const;
const TEXTS: Record<string, { known: TextKey; bare: TextKey }> = {
  pending: NOTICED,
  confirmed: { known: 'deposit-credited', bare: 'deposit-credited-bare' },
  expired: { known: 'deposit-expired', bare: 'deposit-expired-bare' },
};

/** Deposit that was noticed, credited or has expired. */
const depositNotice = noticeKind({
  name: 'deposit',
  data: depositData,
  isMoney: true,
  mutable: 'deposits',
  view: listed({
    head: (words, count) => words.html('notice-deposit', { count }),
    text(words, { status, amount, currency, trx }) {
      // An unknown status is shown like a pending deposit: the amount may not have been credited.
      const texts = TEXTS[status] ?? NOTICED;
      const [whole, credited] = [amountOf(amount), amountOf(trx)];
      if (whole === undefined || (currency !== 'TRX' && currency !== 'USDT')) return words.html(texts.bare);
      const isConverted = currency === 'USDT' && credited !== undefined;
      return words.html(texts.known, {
        ...{ amount: whole, currency, converted: isConverted ? 'yes' : 'no' },
        trx: credited ?? whole,
      });
    },
  }),
});

/**
 * Returns the amount in decimal notation, or `undefined` if it isn't plausible. The fields of a deposit aren't
 * documented (specification, section 2).
 */
function amountOf(amount: string | undefined): string | undefined {
  const number = amount === undefined ? undefined : parseTrx(amount);
  return number?.gt(0) && number.lt(MAX_AMOUNT) ? number.toFixed() : undefined;
}

/**
 * Withdrawal that another holder of the account has confirmed in the bot. Can't be muted, because it may be a theft.
 */
const createHolderWithdrawal = ({ supportUrl }: { supportUrl: string | undefined }) =>
  noticeKind({
    name: 'holder-withdrawal',
    data: z.object({ address: z.string(), trx: z.string() }),
    isMoney: true,
    isAlone: true,
    isWarning: true,
    view: alone((words, { address, trx }, { account }) => {
      const html = paragraphs(
        words.html('withdrawal-told', { account: String(account) }),
        lines(words.html('withdrawal-title', { trx }), words.html('operation-address', { address })),
        words.html('withdrawal-told-note'),
      );
      const person = supportUrl ? [[{ text: words.plain('button-support'), url: supportUrl }]] : [];
      return notice(
        words,
        html,
        [button(words, 'button-movements', callbackData('movements', 'open'))],
        ...person,
      );
    }),
  });

/**
 * Events of an account no longer arrive: they go to another URL, the bot can't be reached, or the webhook was turned
 * off.
 */
const hookNotice = noticeKind({
  name: 'hook',
  data: z.object({ why: z.enum(['elsewhere', 'unreached', 'off']) }),
  isMoney: false,
  mutable: 'hook',
  view: listed({
    head: (words) => words.html('notice-hook'),
    text: (words, { why }, { account }) => words.html(`hook-${why}`, { account: String(account) }),
    buttons: (words) => [
      [button(words, 'button-reports-on', callbackData('reports', 'open'))],
      mutingRow(words),
    ],
  }),
});

/** System alert for admins. */
const createHouseNotice = ({ admins }: { admins: ReadonlySet<number> }) =>
  noticeKind({
    name: 'house',
    data: z.object({
      key: z.enum([
        'data-lost',
        'continuity-unproved',
        'guests-full',
        'maintenance-news-on',
        'maintenance-news-off',
        'records-unreadable',
      ]),
      /** Telegram ID of the admin who caused the alert, if any. */
      admin: z.number().optional(),
      /** Kinds of unreadable records with their counts. `told`: whether the affected users were notified. */
      detail: z.string().optional(),
      told: z.enum(['yes', 'no']).optional(),
    }),
    isMoney: false,
    isAlone: true,
    inAllLanguages: true,
    view: alone((words, { key, admin = '', detail = '', told = 'no' }) => ({
      html: words.html(key, { admin: String(admin), detail, told }),
      keyboard: [],
    })),
    isStill: async (_, { chat }) => admins.has(chat),
  });

/** Balance of an account that fell below the threshold of its user. */
const lowBalanceNotice = noticeKind({
  name: 'low-balance',
  data: z.object({ balance: z.string(), mark: z.string() }),
  isMoney: true,
  mutable: 'low-balance',
  view: listed({
    head: (words) => words.html('notice-low-balance'),
    text: (words, { balance, mark }) => words.html('low-balance', { balance, mark }),
    buttons: (words) => [[button(words, 'button-deposit', callbackData('deposit', 'open'))]],
  }),
});

const by = z.number();

const dataOf = (kinds: Pick<Kinds, 'request'>) =>
  z.discriminatedUnion('what', [
    z.object({ what: z.enum(['linked', 'unlinked']), by }),
    z.object({ what: z.literal('cap'), by, trx: z.string() }),
    z.object({ what: z.literal('alert'), by, trx: z.string().optional() }),
    z.object({ what: z.literal('low'), balance: z.string(), mark: z.string() }),
    /** Epoch milliseconds. */
    z.object({ what: z.literal('key'), by, at: z.number() }),
    z.object({
      ...{ what: z.literal('used'), by, id: z.string(), request: kinds.request },
      outcome: z.enum(['done', 'failed', 'refused', 'unknown', 'likely', 'closed']),
      /** TRX, decimal: price of the operation, or its estimate. */
      trx: z.string().optional(),
    }),
  ]);

export type OperatorNews = z.infer<ReturnType<typeof dataOf>>;
type Used = Extract<OperatorNews, { what: 'used' }>;

/**
 * Change to the operator's account, or use of it, for all admins. Can't be muted, because an admin's Telegram account
 * may be in a thief's hands.
 */
const createOperatorNotice = ({ admins, kinds }: { admins: ReadonlySet<number>; kinds: Kinds }) => {
  function used(words: Words, { by, outcome, request, trx = 'unknown', id }: Used): string {
    const kind = kinds.of(request);
    return lines(
      words.html('operator-told-used', { by: String(by), outcome }),
      kind.title(words, request),
      words.html('operation-address', { address: kind.target(request) }),
      words.html('operator-told-price', { trx }),
      words.html('operator-told-number', { id }),
    );
  }

  function said(words: Words, told: OperatorNews): string {
    switch (told.what) {
      case 'used':
        return used(words, told);
      case 'low':
        return words.html('operator-told-low', { balance: told.balance, mark: told.mark });
      case 'key':
        return words.html('operator-told-key', {
          by: String(told.by),
          time: `${clockSeconds(told.at)} UTC`,
        });
      case 'cap':
      case 'alert':
        return words.html(`operator-told-${told.what}`, { by: String(told.by), trx: told.trx ?? 'none' });
      case 'linked':
      case 'unlinked':
        return words.html(`operator-told-${told.what}`, { by: String(told.by) });
    }
  }

  return noticeKind({
    name: 'operator',
    data: dataOf(kinds),
    isMoney: true,
    isAlone: true,
    view: alone((words, told) => ({
      html: paragraphs(words.html('operator-told'), said(words, told)),
      keyboard: [],
    })),
    isStill: async (_, { chat }) => admins.has(chat),
  });
};

/** Offer to turn on service alerts, made once after the first purchase. */
const createReportsOffer = ({ hooks }: { hooks: Pick<EventHooks, 'isActive'> }) =>
  noticeKind({
    name: 'reports-offer',
    data: z.object({}),
    isMoney: false,
    isAlone: true,
    isQuestion: true,
    view: (words) => reportsQuestion(words),
    isStill: async (_, { account }) => account !== undefined && !(await hooks.isActive(account)),
  });

const serviceEventData = z.object({ type: z.string(), fields: fieldsSchema });

type ServiceEventData = z.infer<typeof serviceEventData>;

/** Event of unknown type, shown as received. Nothing in it can be tapped. */
const serviceEventNotice = noticeKind({
  name: 'event',
  data: serviceEventData,
  isMoney: false,
  mutable: 'other',
  view: (words, told) => notice(words, unknownEvents(words, told), unknownRow(words)),
});

/**
 * Renders events that have no text of their own: each with its fields, and a hint on what to do. Text from the service
 * is formatted as code, so that addresses and links in it can't be tapped.
 */
function unknownEvents(words: Words, told: readonly ServiceEventData[]): string {
  return paragraphs(
    words.html('notice-event', { count: told.length }),
    ...told.map(({ type, fields }) =>
      lines(
        words.html('event-type', { type }),
        ...Object.entries(fields).map(([name, value]) => words.html('event-field', { name, value })),
      ),
    ),
    words.html('event-unknown', {
      log: words.plain('button-webhook-log'),
      muting: words.plain('button-notifications'),
    }),
  );
}

/** Returns the buttons for the webhook log and the notification settings. */
function unknownRow(words: Words): View['keyboard'][number] {
  return [button(words, 'button-webhook-log', callbackData('webhook-log', 'open')), ...mutingRow(words)];
}

/** Returns the button for the notification settings. It is shown below kinds that don't concern the user's money. */
function mutingRow(words: Words): View['keyboard'][number] {
  return [button(words, 'button-notifications', callbackData('notifications', 'open'))];
}

/** Upper bound of plausible fees, in TRX. */
const MAX_FEE = 1e6;

const smartModeData = z.object({ type: z.string(), fields: fieldsSchema });

type SmartModeData = z.infer<typeof smartModeData>;
type Delivered = { address: string; energy: string; fee: string };

/** Energy that Smart Mode delivered for a transfer, or another Smart Mode event that has no text here. */
const smartModeNotice = noticeKind({
  name: 'smart-mode',
  data: smartModeData,
  isMoney: false,
  mutable: 'smart-mode',
  view(words, told) {
    const delivered = told.map(deliveredOf).filter((one) => one !== undefined);
    const unknown = told.filter((one) => deliveredOf(one) === undefined);
    const html = paragraphs(
      delivered.length > 0 && words.html('notice-smart-mode', { count: delivered.length }),
      ...byAddress(words, delivered),
      unknown.length > 0 && unknownEvents(words, unknown),
    );
    return notice(words, html, unknown.length > 0 ? unknownRow(words) : mutingRow(words));
  },
});

/** Returns the delivery, or `undefined` if a field isn't plausible. Such events are shown as received. */
function deliveredOf({ type, fields }: SmartModeData): Delivered | undefined {
  const { address = '', energy_amount: energy = '', fee_trx: fee = '' } = fields;
  const isKnown = /^T[0-9A-Za-z]{33}$/.test(address) && /^\d{1,9}$/.test(energy) && isFee(fee);
  return type === 'smart_mode.transfer' && isKnown ? { address, energy, fee } : undefined;
}

/** Renders each address once, with a line for each delivery below. Identical lines are merged and counted. */
function byAddress(words: Words, delivered: readonly Delivered[]): string[] {
  const groups = new Map<string, Map<string, number>>();
  for (const { address, energy, fee } of delivered) {
    const line = words.html('smart-mode-delivered', { energy: counted(Number(energy), words.language), fee });
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

function isFee(text: string): boolean {
  const fee = parseTrx(text);
  return fee !== undefined && !fee.isNegative() && fee.lt(MAX_FEE);
}

/** Record of a user that can't be read. The user has to check its state at the service. */
const createUnreadableRecordNotice = ({ links }: { links: Pick<Links, 'find'> }) =>
  noticeKind({
    name: 'unreadable-record',
    data: z.object({ what: z.enum(['operation', 'invoice', 'link']), id: z.string() }),
    isMoney: true,
    isAlone: true,
    view: alone((words, { what, id }) => notice(words, words.html('record-unreadable', { what, id }))),
    isStill: async ({ what }, { chat }) => what !== 'link' || (await links.find(chat)) === undefined,
  });

const WITHDRAWAL_TEXTS: Record<string, TextKey> = {
  pending: 'notice-withdrawal-pending',
  completed: 'notice-withdrawal-completed',
  failed: 'notice-withdrawal-failed',
};

/** Withdrawal from an account that the recipient didn't make through the bot, or a change of its status. */
const withdrawalNotice = noticeKind({
  name: 'withdrawal',
  data: z.object({ status: z.string(), to: z.string(), trx: z.string(), fee: z.string().optional() }),
  isMoney: true,
  mutable: 'withdrawals',
  view: listed({
    head: (words, count) => words.html('notice-withdrawal', { count }),
    text: (words, { status, to, trx, fee }) =>
      words.html(WITHDRAWAL_TEXTS[status] ?? 'notice-withdrawal-pending', {
        to,
        amount: trx,
        fee: fee ?? 'none',
      }),
  }),
});

type Deps = Parameters<typeof createAddressNotice>[0] &
  Parameters<typeof createHolderWithdrawal>[0] &
  Parameters<typeof createHouseNotice>[0] &
  Parameters<typeof createOperatorNotice>[0] &
  Parameters<typeof createReportsOffer>[0] &
  Parameters<typeof createUnreadableRecordNotice>[0];

/** Lists all kinds of notifications. */
const listOf = (deps: Deps) =>
  [
    depositNotice,
    withdrawalNotice,
    createHolderWithdrawal(deps),
    createAddressNotice(deps),
    createHouseNotice(deps),
    createBroadcastNotice(deps),
    createOperatorNotice(deps),
    lowBalanceNotice,
    smartModeNotice,
    hookNotice,
    createReportsOffer(deps),
    serviceEventNotice,
    createUnreadableRecordNotice(deps),
  ] as const;

type Kind = ReturnType<typeof listOf>[number];

/** Notification with the data of its kind. `id` identifies it within its kind. The same `id` is sent once to a chat. */
export type News = {
  [Name in Kind['name']]: {
    kind: Name;
    id: string;
    data: z.infer<Extract<Kind, { name: Name }>['data']>;
  };
}[Kind['name']];

export interface NoticeKinds {
  /** Returns the kind with this stored name. Returns `undefined` for a kind that only a newer version knows. */
  of(name: string): NoticeKind | undefined;
}

export function createNoticeKinds(deps: Deps): NoticeKinds {
  const kinds = listOf(deps) as readonly unknown[] as readonly NoticeKind[];
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  return { of: (name) => byName.get(name) };
}
