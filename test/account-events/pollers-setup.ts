import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { createAccountPollers, createOperatorAlert } from '../../src/account-events/account-pollers.ts';
import type { EventHandler } from '../../src/account-events/inbox.ts';
import { createPollSchedule } from '../../src/account-events/poll-schedule.ts';
import { createPollers, type Pollers } from '../../src/account-events/pollers.ts';
import { createAccountKeys } from '../../src/accounts/account-keys.ts';
import { createLinks } from '../../src/accounts/links.ts';
import { createOperatorLimits } from '../../src/accounts/operator.ts';
import { createNotificationSettings } from '../../src/accounts/users.ts';
import { createAdminAlerts } from '../../src/notifications/admin-alerts.ts';
import { createNotifyHolders } from '../../src/notifications/notify-holders.ts';
import type { NewNotification } from '../../src/notifications/outbox.ts';
import type { ApplyListedStatus } from '../../src/operations/reconcile.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createSharedRateLimiter } from '../../src/platform/rate-limit.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { DepositRecord, Withdrawal } from '../../src/rental-api/schemas.ts';
import type { RentalEvent } from '../../src/rental-api/webhook.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, standInRental } from '../operations/rental-stand-in.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';

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
  const seal = createSeal([randomBytes(32)]);
  const linksOn = (on: Storage) => createLinks({ storage: on, records: signedRecords(on), seal, now });
  const links = linksOn(storage);
  const notificationSettings = createNotificationSettings({ records: signedRecords(storage) });
  const operatorLimits = createOperatorLimits({ records: signedRecords(storage) });
  const operator = {
    account: vi.fn(async (): Promise<number | undefined> => undefined),
    owns: vi.fn(async (_account: number): Promise<boolean | undefined> => false),
  };
  const webhookSubscriptions = {
    activeSince: vi.fn(async (_account: number): Promise<number | undefined> => undefined),
  };
  const applyListedStatus = vi.fn<ApplyListedStatus>(async () => undefined);
  const inbox = {
    receive: vi.fn(
      async (_account: number, _event: RentalEvent, _source: 'webhook' | 'log') => 'new' as const,
    ),
    hasReceived: vi.fn(async (_account: number, _event: RentalEvent) => false),
  };
  const handleLogged = vi.fn<NonNullable<EventHandler['handleLogged']>>(async () => {});
  const eventMetrics = { eventReceived: vi.fn() };
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
    const adminAlerts = createAdminAlerts({ leases, outbox, admins: new Set([ADMIN]), now });
    return createPollers({
      pollers: createAccountPollers({
        links: viewedLinks,
        notificationSettings,
        outbox,
        operations: { applyListedStatus },
        webhookSubscriptions,
        inbox,
        eventMetrics,
        now,
        notifyHolders: createNotifyHolders({ links: viewedLinks, outbox }),
        handlers: () => [{ handles: () => true, handle: async () => {}, handleLogged }],
        operatorAlert: createOperatorAlert({ operator, operatorLimits, adminAlerts }),
        startedAt: START,
      }),
      schedule: createPollSchedule({ storage: view }),
      records: signedRecords(view),
      rental,
      links: viewedLinks,
      operator,
      accountKeys: createAccountKeys({ links: viewedLinks, operator, operatorKey, rental, now }),
      leases,
      rateLimiter: createSharedRateLimiter({ storage: view, now }),
      now,
      log,
    });
  }

  /** Returns the seconds from now at which `name` is requested. Responses stay the same. */
  function watched<Name extends 'deposits' | 'withdrawals' | 'webhookLogs' | 'profile'>(name: Name) {
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

  return {
    clock,
    storage,
    rental,
    links,
    notificationSettings,
    operator,
    operatorLimits,
    webhookSubscriptions,
    applyListedStatus,
    inbox,
    handleLogged,
    eventMetrics,
    replica,
    watched,
    lines,
    pollers: replica(),
    /** Returns each notification once. */
    async notified(): Promise<NewNotification[]> {
      const keys = await storage.keys('notified:');
      return Promise.all(keys.map(async (key) => JSON.parse((await storage.get(key)) ?? '')));
    },
    scheduled: (priority: string) => storage.index.upTo(`polls:${priority}`, Number.MAX_VALUE, 10_000),
    /** Lets time pass while the replicas poll once a second. */
    async pass(ms: number, ...replicas: Pollers[]) {
      const end = clock.now + ms;
      while (clock.now < end) {
        clock.now = Math.min(end, clock.now + SECOND);
        for (const pollers of replicas) await pollers.run();
        await settled();
      }
    },
  };
}
