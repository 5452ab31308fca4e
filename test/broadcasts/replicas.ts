import type { InlineKeyboardButton } from 'grammy/types';
import { createUserCounts } from '../../src/accounts/user-counts.ts';
import { createUsers } from '../../src/accounts/users.ts';
import { createBroadcasts } from '../../src/broadcasts/broadcasts.ts';
import type { Broadcast, BroadcastDraft } from '../../src/broadcasts/store.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { RecurringWork } from '../../src/platform/recurring-work.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { Content, Copied, Sent } from '../../src/telegram/sender.ts';
import { openBulkLimit } from '../support/bulk-limit.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';

export const ADMIN = 504;
export const OTHER_ADMIN = 505;
export const START = Date.UTC(2026, 10, 1, 12);
/** Returns Telegram's result of a copy. The request is in flight until the result is returned. */
export type Answers = (
  user: number,
  from: { chat: number; message: number },
  keyboard: InlineKeyboardButton[][],
) => Copied | Promise<Copied>;

export interface Shared {
  storage: Storage;
  /** Storage for leases in real time, because processes hang and die in real time. */
  leases: Storage;
  clock: { now: number };
  /** Recipients in the order of sending, including those whose response was lost. */
  got: number[];
  admins: Set<number>;
  notified: Broadcast[];
  /** Broadcasts with an old record that was rejected. */
  replayed: Broadcast[];
  progressMessages: Map<number, Content>;
}

/** Opens the state that processes share. */
export function openShared(): Shared {
  const clock = { now: START };
  return {
    ...{ clock, storage: createMemoryStorage({ now: () => clock.now }), got: [] },
    leases: createMemoryStorage(),
    ...{ admins: new Set([ADMIN, OTHER_ADMIN]), notified: [], replayed: [], progressMessages: new Map() },
  };
}

/**
 * Opens a process that sends broadcasts. Waits return after one tick and advance the shared clock by the given time.
 */
export function openProcess(
  shared: Shared,
  more: {
    answers?: Answers;
    storage?: Storage;
    leases?: Storage;
    /** Returns whether the process considers its lease as held. */
    isHeld?: () => boolean;
    waited?: () => void;
  } = {},
) {
  const { clock, got, admins, notified, replayed, progressMessages } = shared;
  const { answers = () => ({ kind: 'sent' }), storage = shared.storage } = more;
  const leases = createLeases({ storage: more.leases ?? shared.leases });
  const now = () => clock.now;
  const records = signedRecords(storage);
  const users = createUsers({ storage, records, now });
  const userCounts = createUserCounts({
    ...{ storage, users, now, log: silentLog() },
    links: { kindOf: async () => 'none' },
  });
  let run: (() => Promise<void>) | undefined;
  const recurringWork: Pick<RecurringWork, 'every'> = {
    every(_, __, recurring) {
      run = recurring;
    },
  };
  const sent = (chat: number, content: Content, messageId: number): Sent => {
    progressMessages.set(chat, content);
    return { kind: 'sent', messageId };
  };
  let inProgress = 0;
  const most = { inProgress: 0 };
  const broadcasts = createBroadcasts({
    ...{ storage, records, users, admins, now, texts: TEXTS, log: silentLog() },
    recurringWork,
    leases: {
      withLease: (key, work, kept) =>
        leases.withLease(key, (isHeld) => work(() => (more.isHeld?.() ?? true) && isHeld()), kept),
    },
    links: { find: async () => undefined },
    userCounts,
    sender: {
      send: async (chat: number, content: Content) => sent(chat, content, 77),
      edit: async (chat: number, message: number, content: Content) => sent(chat, content, message),
    },
    copier: {
      async copy(user, from, keyboard) {
        inProgress += 1;
        most.inProgress = Math.max(most.inProgress, inProgress);
        const copied = await answers(user, from, keyboard);
        inProgress -= 1;
        if (copied.kind === 'sent' || copied.kind === 'unclear') got.push(user);
        return copied;
      },
    },
    bulkLimit: openBulkLimit({ storage, now }),
    notifyAdmins: async (broadcast) => void notified.push(broadcast),
    notifyOfReplay: async (broadcast) => void replayed.push(broadcast),
    runMs: undefined,
    async wait(ms) {
      clock.now += ms;
      more.waited?.();
      await new Promise(setImmediate);
    },
  });

  const draft = (id = 'b1', changes: Partial<BroadcastDraft> = {}): BroadcastDraft => ({
    ...{ id, admin: ADMIN, audience: { who: 'everybody' } },
    contents: { default: { chat: ADMIN, message: 9, buttons: [], hash: 'h' } },
    ...changes,
  });

  return {
    ...{ broadcasts, users, most, draft },
    /** Adds this many users, numbered from 1,001. */
    async fill(count: number) {
      for (let user = 1_001; user <= 1_000 + count; user += 1)
        await users.recordActivity(user, 'en', undefined);
      await userCounts.check();
    },
    /** Runs until nothing is left to do for now. */
    run: async () => run?.(),
    /** Starts the broadcast `b1` to all users, and runs until nothing is left to do for now. */
    async send() {
      await broadcasts.start(draft());
      await run?.();
    },
  };
}

/** Opens a process on shared state with this many users. */
export async function openFilled(
  count: number,
  more: Parameters<typeof openProcess>[1] | Answers = {},
  shared = openShared(),
) {
  const process = openProcess(shared, typeof more === 'function' ? { answers: more } : more);
  await process.fill(count);
  return { shared, ...process };
}

/** Returns the first users that {@link openFilled} adds. */
export const everybody = (count: number) => Array.from({ length: count }, (_, at) => 1_001 + at);

/** Returns the recipients by user id. */
export const recipients = ({ got }: Shared) => got.toSorted((a, b) => a - b);

/** Returns each repeated recipient, once per extra copy. */
export function doubled(got: readonly number[]): number[] {
  const seen = new Set<number>();
  return got.filter((user) => seen.size === seen.add(user).size);
}
