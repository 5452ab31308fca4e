import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { createAccountLooks, createOperatorAlert } from '../../src/account-events/account-pollers.ts';
import type { EventType } from '../../src/account-events/event.ts';
import { createLookedStore, createPollSchedule } from '../../src/account-events/poll-schedule.ts';
import { createPoller, type Looks } from '../../src/account-events/poller.ts';
import { createAccountKeys } from '../../src/accounts/account-keys.ts';
import { createLinks } from '../../src/accounts/links.ts';
import { createNoticeSettings } from '../../src/accounts/notice-settings.ts';
import { createOperatorLimits } from '../../src/accounts/operator.ts';
import { createAdminNews } from '../../src/notifications/admin-alerts.ts';
import { createTellHolders } from '../../src/notifications/notify-holders.ts';
import type { NewNotice } from '../../src/notifications/outbox.ts';
import type { NoteListed } from '../../src/operations/reconcile.ts';
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

/** A notification that was added. */
export type Told = NewNotice;

/** Opens a poller of accounts with a service, a clock and an outbox that the test controls. */
export async function openLooks() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const rental = standInRental();
  rental.deposits.mockImplementation(async () => accepted([]));
  rental.withdrawals.mockImplementation(async () => accepted([]));
  const seal = createSeal([randomBytes(32)]);
  const linksOn = (own: Storage) => createLinks({ storage: own, records: signedRecords(own), seal, now });
  const links = linksOn(storage);
  const noticeSettings = createNoticeSettings({ records: signedRecords(storage) });
  const operatorLimits = createOperatorLimits({ records: signedRecords(storage) });
  const operator = {
    account: vi.fn(async (): Promise<number | undefined> => undefined),
    owns: vi.fn(async (_account: number): Promise<boolean | undefined> => false),
  };
  const hooks = { since: vi.fn(async (_account: number): Promise<number | undefined> => undefined) };
  const applyListedStatus = vi.fn<NoteListed>(async () => undefined);
  const inbox = {
    take: vi.fn(async (_account: number, _event: RentalEvent, _how: 'sent' | 'logged') => 'new' as const),
    knows: vi.fn(async (_account: number, _event: RentalEvent) => false),
  };
  const logged = vi.fn<NonNullable<EventType['logged']>>(async () => {});
  const tally = { came: vi.fn() };
  const { log, lines } = recordingLog();
  await links.link(USER, ACCOUNT, KEY, 'en');

  /** Opens another replica on the same storage, or on its own view of it. */
  function replica(own: Storage = storage, { operatorKey }: { operatorKey?: string } = {}): Looks {
    const outbox = {
      // Keeps one notification per chat, kind, account and id, as the outbox does.
      async add(notice: NewNotice) {
        const { chat, kind, account, id } = notice;
        await own.add(`told:${chat}:${kind}:${account ?? ''}:${id}`, JSON.stringify(notice));
      },
    };
    const ownLinks = linksOn(own);
    const leases = createLeases({ storage: own });
    const tellAdmins = createAdminNews({ leases, outbox, admins: new Set([ADMIN]), now });
    const operatorAlert = createOperatorAlert({ operator, operatorLimits, tellAdmins });
    return createPoller({
      looks: createAccountLooks({
        ...{
          links: ownLinks,
          noticeSettings,
          outbox,
          operations: { applyListedStatus },
          hooks,
          inbox,
          tally,
          now,
        },
        tellHolders: createTellHolders({ links: ownLinks, outbox }),
        types: () => [{ hears: () => true, heard: async () => {}, logged }],
        operatorAlert,
        startedAt: START,
      }),
      ...{ lanes: createPollSchedule({ storage: own }), looked: createLookedStore({ storage: own }), rental },
      ...{ links: ownLinks, operator },
      accountKeys: createAccountKeys({ links: ownLinks, operator, operatorKey, rental, now }),
      ...{ leases, budget: createSharedRateLimiter({ storage: own, now }), now, log },
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
    ...{
      clock,
      storage,
      rental,
      links,
      noticeSettings,
      operator,
      operatorLimits,
      hooks,
      applyListedStatus,
      inbox,
      logged,
      tally,
    },
    ...{ replica, watched, lines },
    looks: replica(),
    /** Returns each notification once. */
    async told(): Promise<Told[]> {
      const keys = await storage.keys('told:');
      return Promise.all(keys.map(async (key) => JSON.parse((await storage.get(key)) ?? '')));
    },
    lane: (lane: string) => storage.index.upTo(`looks:${lane}`, Number.MAX_VALUE, 10_000),
    /** Lets time pass while the replicas poll once a second. */
    async pass(ms: number, ...replicas: Looks[]) {
      const end = clock.now + ms;
      while (clock.now < end) {
        clock.now = Math.min(end, clock.now + SECOND);
        for (const one of replicas) await one.run();
        await settled();
      }
    },
  };
}

export type LooksRoom = Awaited<ReturnType<typeof openLooks>>;
