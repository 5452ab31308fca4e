import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { createPollers, type Pollers } from '../../src/account-events/pollers.ts';
import { createAccountKeys } from '../../src/accounts/account-keys.ts';
import { createBalances } from '../../src/accounts/balances.ts';
import { createLinks } from '../../src/accounts/links.ts';
import { createNotificationSettings } from '../../src/accounts/notification-settings.ts';
import { createOperatorLimits } from '../../src/accounts/operator.ts';
import { createAdminAlerts } from '../../src/notifications/admin-alerts.ts';
import { createNotifyHolders } from '../../src/notifications/notifications.ts';
import type { NewNotification } from '../../src/notifications/outbox.ts';
import type { History } from '../../src/operations/queries.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { DepositRecord, Withdrawal } from '../../src/rental-api/schemas.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, standInRental } from '../operations/rental-stand-in.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';
import { storedKeys } from '../support/stored-keys.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const KEY = 'the-key-of-502';
export const ADMIN = 900;

/** A deposit as the live service returned it, created at the start. */
export function depositOf(id: number, status: string, more: Partial<DepositRecord> = {}): DepositRecord {
  return { id, status, amount: '5', currency: 'TRX', created_at: new Date(START).toISOString(), ...more };
}

export function withdrawalOf(id: number, status: string, at = START): Withdrawal {
  const created_at = new Date(at).toISOString();
  return { id, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status, created_at };
}

/** Opens the pollers of accounts with a service, a clock and an outbox that the test controls. */
export async function openPollers() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const rental = standInRental();
  rental.deposits.mockImplementation(async () => accepted([]));
  rental.withdrawals.mockImplementation(async () => accepted([]));
  rental.subscriptions.mockImplementation(async () => accepted([]));
  const seal = createSeal([randomBytes(32)]);
  const linksOn = (on: Storage) => createLinks({ storage: on, records: signedRecords(on), seal, now });
  const links = linksOn(storage);
  const notificationSettings = createNotificationSettings({ records: signedRecords(storage) });
  const operatorLimits = createOperatorLimits({ records: signedRecords(storage) });
  const operator = {
    account: vi.fn(async (): Promise<number | undefined> => undefined),
    owns: vi.fn(async (_account: number): Promise<boolean | undefined> => false),
  };
  const history = {
    page: async () => ({ operations: [], unreadable: 0, older: undefined }),
  } as unknown as History;
  const { log, lines } = recordingLog();
  await links.link(USER, ACCOUNT, KEY, 'en');

  /** Opens another replica on the same storage, or on its own view of it. */
  function replica(view: Storage = storage, { operatorKey }: { operatorKey?: string } = {}): Pollers {
    const outbox = {
      // Keeps one notification per chat, kind, account and id, as the outbox does.
      async add(notification: NewNotification) {
        const { chat, kind, account, id } = notification;
        await view.add(`notified:${chat}:${kind}:${account ?? ''}:${id}`, JSON.stringify(notification));
      },
    };
    const viewedLinks = linksOn(view);
    const leases = createLeases({ storage: view });
    return createPollers({
      ...{ rental, notificationSettings, operator, operatorLimits, outbox, leases, now, log },
      storage: view,
      records: signedRecords(view),
      links: viewedLinks,
      operations: { applyListedStatus: async () => undefined, history },
      webhookSubscriptions: { activeSince: async () => undefined },
      inbox: { receive: async () => 'new', hasReceived: async () => false },
      handlers: [],
      eventMetrics: { eventReceived: () => {} },
      notifyHolders: createNotifyHolders({ links: viewedLinks, outbox }),
      adminAlerts: createAdminAlerts({ leases, outbox, admins: new Set([ADMIN]), now, log }),
      accountKeys: createAccountKeys({
        links: viewedLinks,
        operator,
        operatorKey,
        rental,
        balances: createBalances(),
        now,
      }),
      startedAt: START,
    });
  }

  /** Returns a list that fills with the times of requests of `name`, in seconds from now. Responses stay the same. */
  function watched<Name extends 'deposits' | 'withdrawals' | 'webhookLogs' | 'profile' | 'subscriptions'>(
    name: Name,
  ) {
    const at: number[] = [];
    const from = clock.now;
    const mock = rental[name];
    const answer = mock.getMockImplementation();
    mock.mockImplementation((async (key: string) => {
      at.push((clock.now - from) / SECOND);
      return answer?.(key);
    }) as never);
    return at;
  }

  const pollers = replica();
  /** Returns each notification once. */
  async function notified(): Promise<NewNotification[]> {
    const keys = await storedKeys(storage, 'notified:');
    return Promise.all(keys.map(async (key) => JSON.parse((await storage.get(key)) ?? '')));
  }
  return {
    clock,
    storage,
    rental,
    links,
    notificationSettings,
    operator,
    operatorLimits,
    replica,
    watched,
    lines,
    pollers,
    notified,
    /** Returns the ids of a user's notifications. */
    idsFor: async (user: number) =>
      (await notified()).filter(({ chat }) => chat === user).map(({ id }) => id),
    /** Expects a change of the deposits and waits for the poll. */
    async pollSoon(by = pollers) {
      await by.pollSoon(ACCOUNT, 'deposits');
      await settled();
    },
    scheduled: (priority: string) => storage.index.upTo(`polls:${priority}`, Number.MAX_VALUE, 10_000),
    /** Lets time pass while the replicas poll once a second, or once a minute if it is more than half an hour. */
    async pass(ms: number, ...replicas: Pollers[]) {
      const end = clock.now + ms;
      const stepMs = ms > 30 * MINUTE ? MINUTE : SECOND;
      while (clock.now < end) {
        clock.now = Math.min(end, clock.now + stepMs);
        for (const pollers of replicas) await pollers.run();
        await settled();
      }
    },
  };
}
