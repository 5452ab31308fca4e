import { vi } from 'vitest';
import { createAccountKeys } from '../../../src/accounts/account-keys.ts';
import { createAddressAnnouncements } from '../../../src/accounts/address-announcements.ts';
import { createBalances } from '../../../src/accounts/balances.ts';
import { createLinks } from '../../../src/accounts/links.ts';
import { createNotificationSettings } from '../../../src/accounts/notification-settings.ts';
import { withoutTags } from '../../../src/i18n/texts.ts';
import {
  createNotificationKinds,
  type FeatureNotification,
  type NotificationContent,
  type NotificationKinds,
} from '../../../src/notifications/kinds.ts';
import { createNotifyHolders } from '../../../src/notifications/notifications.ts';
import { createOutbox, type NewNotification, type Outbox } from '../../../src/notifications/outbox.ts';
import { createKinds } from '../../../src/operations/kinds/kind.ts';
import { KINDS } from '../../../src/operations/operations.ts';
import { createSeal } from '../../../src/platform/encryption.ts';
import { createGivenUp } from '../../../src/platform/given-up.ts';
import { createLeases } from '../../../src/platform/leases.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import type { Storage } from '../../../src/platform/storage.ts';
import type { Outcome } from '../../../src/rental-api/client.ts';
import type { Profile } from '../../../src/rental-api/schemas.ts';
import type { Content, Sender, Sent } from '../../../src/telegram/sender.ts';
import { START, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, profileOf } from '../../operations/rental-stand-in.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { signedRecords } from '../../support/records.ts';
import { TEXTS } from '../../support/texts.ts';

export { ACCOUNT, START, USER };
export const OTHER = USER + 1;
export const ADMIN = 900;
/** Interval at which replicas process what is due, in milliseconds. */
const RUN_INTERVAL_MS = 1_000;
const SECRET = Buffer.alloc(32, 7);

export const LATER = (afterMs: number): Sent => ({ kind: 'later', afterMs });
export const FAILED: Sent = { kind: 'failed', reason: 'ECONNREFUSED' };
export const UNCLEAR: Sent = { kind: 'unclear', reason: 'UND_ERR_SOCKET' };
export const REFUSED: Sent = { kind: 'refused', reason: "Bad Request: can't parse entities" };
export const BLOCKED: Sent = { kind: 'blocked' };

/** A request to Telegram and its time. */
export interface Asked {
  chat: number;
  html: string;
  keyboard: Content['keyboard'];
  at: number;
  sent: Sent;
}

/** Returns the text as users read it and as Telegram counts it. */
export const visible = (html: string) => withoutTags(html).replace(/&#?\w+;/g, '.');

/** Resolves once all pending promises are settled. There are no timers among them. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Opens an outbox with chats, a service and a clock that a test controls. `USER` and `OTHER` hold the account. */
export async function openOutbox() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const records = signedRecords(storage);
  const links = createLinks({ storage, records, seal: createSeal([SECRET]), now });
  const notificationSettings = createNotificationSettings({ records });
  const addressAnnouncements = createAddressAnnouncements({ storage, records, now });
  const webhookSubscriptions = { isActive: vi.fn(async (_account: number) => false) };
  const profile = vi.fn(async (_key: string): Promise<Outcome<Profile>> => profileOf('100.00'));
  const { log, lines } = recordingLog();
  const asked: Asked[] = [];
  let messages = 0;
  const answer = vi.fn(
    async (_chat: number, _content: Content): Promise<Sent> => ({ kind: 'sent', messageId: ++messages }),
  );
  const sendInBulk: Sender['sendInBulk'] = async (chat, content) => {
    const { html, keyboard } = content;
    const at = clock.now;
    const one = { chat, html, keyboard, at, sent: UNCLEAR };
    asked.push(one);
    one.sent = await answer(chat, content);
    return one.sent;
  };
  const canReach = vi.fn(async (_chat: number) => true);
  const notificationSent = vi.fn<(ms: number) => void>();

  /** Opens another replica on the same storage, or on its own view of it. */
  function replica(
    own: Storage = storage,
    {
      of = (kinds: NotificationKinds) => kinds,
      featureKinds = [],
    }: {
      of?: (kinds: NotificationKinds) => NotificationKinds;
      featureKinds?: readonly FeatureNotification[];
    } = {},
  ): Outbox {
    const notificationKinds = of(
      createNotificationKinds({
        ...{ addressAnnouncements, webhookSubscriptions, links, featureKinds },
        ...{ supportUrl: undefined, kinds: createKinds(KINDS) },
        ...{ findOperation: async () => undefined, now },
      }),
    );
    const accountKeys = createAccountKeys({
      ...{ links, rental: { profile }, balances: createBalances(), now },
      ...{ operator: { owns: async () => false }, operatorKey: undefined },
    });
    // Leases need no renewal in these tests.
    const leases = createLeases({ storage: own, timings: { lease: 8_000, renew: 2 ** 30 } });
    return createOutbox({
      storage: own,
      records: signedRecords(own),
      leases,
      admins: new Set([ADMIN]),
      ...{ links, notificationSettings, accountKeys, notificationKinds, texts: TEXTS, now, log },
      users: { find: async () => undefined },
      sender: { sendInBulk, canReach },
      eventMetrics: { notificationSent },
      givenUp: createGivenUp({ storage: own }),
      findUnpaid: async () => ({ kind: 'energy', estimate: undefined }),
    });
  }
  const outbox = replica();

  await links.link(USER, ACCOUNT, 'the-key-of-the-user', 'en');
  await links.link(OTHER, ACCOUNT, 'the-key-of-the-other', 'ru');

  /** Lets time pass while the replicas process what is due. */
  async function pass(ms: number, runs: readonly Outbox[] = [outbox]): Promise<void> {
    const end = clock.now + ms;
    await settled();
    while (clock.now < end) {
      clock.now = Math.min(clock.now + RUN_INTERVAL_MS, end);
      for (const one of runs) void one.startDueDeliveries().catch(() => undefined);
      await settled();
    }
  }

  return {
    ...{ clock, storage, records, links, notificationSettings, addressAnnouncements, profile },
    ...{ lines, notificationSent, asked, answer, canReach, replica, outbox, pass },
    add: (notice: NewNotification, to = outbox) => to.add(notice),
    notifyHolders: (notification: NotificationContent) =>
      createNotifyHolders({ links, outbox })(ACCOUNT, notification),
    /** Makes Telegram respond with `sent` in this chat. */
    says: (chat: number, sent: Sent) =>
      answer.mockImplementation(async (to) => (to === chat ? sent : { kind: 'sent', messageId: ++messages })),
    /** Returns the texts that were sent to a chat. */
    sentTo: (chat: number) =>
      asked.filter((one) => one.chat === chat && one.sent.kind === 'sent').map(({ html }) => html),
    /** Returns when Telegram was called for this chat, in milliseconds after `since`. */
    timesIn: (chat: number, since = START) =>
      asked.filter((one) => one.chat === chat).map(({ at }) => at - since),
  };
}

/**
 * Returns a view of the storage that awaits `before` ahead of each call. `before` gets the number of the call, from 0. It
 * may throw or never resolve.
 */
export function intercept(storage: Storage, before: (call: number) => Promise<unknown> | undefined): Storage {
  let calls = 0;
  const view = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: Part & ((...given: unknown[]) => unknown) = Reflect.get(target, name) as never;
        if (name === 'index') return view(value);
        return async (...given: unknown[]) => {
          await before(calls++);
          return value.apply(target, given);
        };
      },
    });
  return view(storage);
}

export type OutboxSetup = Awaited<ReturnType<typeof openOutbox>>;

/** A notification about money: a deposit of `trx`, which its text contains. */
export const deposit = (trx: number, chat = USER): NewNotification => ({
  ...{ kind: 'deposit', id: `${trx}:confirmed`, chat, account: ACCOUNT },
  data: { status: 'confirmed', amount: String(trx), currency: 'TRX' },
});

/** A notification that isn't about money. */
export const event = (name: string, chat = USER): NewNotification => ({
  ...{ kind: 'event', id: name, chat, account: ACCOUNT },
  data: { type: name, fields: {} },
});

/** A notification that is sent alone and at once. */
export const withdrawn = (trx: number, chat = USER): NewNotification => ({
  ...{ kind: 'holder-withdrawal', id: String(trx), chat, account: ACCOUNT },
  data: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', trx: String(trx) },
});

/** A notification that is sent alone, for an admin without an account. */
export const systemAlert = (id = 'data-lost'): NewNotification => ({
  ...{ kind: 'system-alert', id, chat: ADMIN, data: { key: 'guests-full' } },
});
