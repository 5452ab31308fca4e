import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { defineRecord, keyOf, retryOnConflict, type StoredData } from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';

/** Time from the announcement of an address until it can be used, in milliseconds. Lets other account holders cancel it. */
export const ADDRESS_WAIT_MS = 10 * MINUTE_MS;
/** Lifetime of a cancellation, and of an announcement that was never used, in milliseconds. */
const UNUSED_TTL_MS = DAY_MS;
/** Time from the end of the wait until the withdrawal can't be confirmed any more, in milliseconds. Ends before the lifetime. */
export const CONFIRMABLE_MS = UNUSED_TTL_MS - ADDRESS_WAIT_MS - MINUTE_MS;
/** Time from the block of an address during which another hold names the block as its reason, in milliseconds. */
const BLOCK_MEMORY_MS = 7 * DAY_MS;
/** Lifetime of an announced address since its last use, in milliseconds. */
const TTL_MS = 365 * DAY_MS;
/**
 * Maximum numbers of unused announcements per account within {@link ADDRESS_WAIT_MS} and within a day. They limit how
 * many notifications holders get.
 */
const MAX_PER_WAIT = 5;
const MAX_PER_DAY = 20;
/**
 * Maximum number of used addresses stored per account. Unused and cancelled announcements don't count and are never
 * dropped.
 */
const MAX_USED = 100;
/** Maximum number of messages remembered for an announcement. The user can ask for the same one repeatedly. */
const MAX_MESSAGES = 5;
/** Maximum number of other holders' messages remembered for an announcement. Each holder gets one. */
const MAX_NOTICES = 20;

const announcementSchema = z.object({
  id: z.string(),
  account: z.number(),
  /** User who wants to withdraw to the address. */
  user: z.number(),
  address: z.string(),
  /** Amount of the planned withdrawal, in TRX, decimal. `all`: it is the whole balance. */
  trx: z.string(),
  all: z.boolean().optional(),
  /** The address was blocked recently, so it needs another hold even if the account has withdrawn to it before. */
  wasBlocked: z.boolean().optional(),
  /** Time of the announcement. All times are epoch milliseconds. */
  at: z.number(),
  /**
   * `reservedAt`: a withdrawal to the address was about to be sent. `usedAt`: a withdrawal was made, or may have been
   * made.
   */
  reservedAt: z.number().optional(),
  usedAt: z.number().optional(),
  /** Time at which the first withdrawal was confirmed. */
  firstUsedAt: z.number().optional(),
  cancelledAt: z.number().optional(),
  /** Holder who blocked the address. */
  cancelledBy: z.number().optional(),
  /** The user gave up the withdrawal before anything was sent. Another one to the address needs a new announcement. */
  abandonedAt: z.number().optional(),
  /** The user was notified that another holder has cancelled the announcement. */
  isUserNotified: z.boolean().optional(),
  /** Messages in the user's chat that have buttons for the announcement, as far as their ids are known. */
  messages: z.array(z.number()).optional(),
  /** Messages that told the other holders about the announcement, as far as their ids are known. */
  notices: z.array(z.object({ chat: z.number(), message: z.number() })).optional(),
});

/** Address that a user wants to withdraw to from an account without two-factor codes. */
export type AddressAnnouncement = z.infer<typeof announcementSchema>;

export const ADDRESS_ANNOUNCEMENTS = defineRecord({
  keys: 'address-announcements:account',
  content: 'New withdrawal addresses of an account without codes',
  schema: z.array(announcementSchema),
  ttlMs: TTL_MS,
  expiry: '1 year since the last change',
  signed: true,
  retained: { elsewhere: 'kept-account' },
});

/** Index of the accounts for which a user has announced addresses. Its scores are the account numbers. */
export const ANNOUNCING_ACCOUNTS = {
  keys: 'announcing-accounts:{user}',
  content: 'Accounts for which a user has announced withdrawal addresses',
  expiry: '366 days since the last announcement or use',
} as const satisfies StoredData;

/** A day longer than an announcement, which is written later. */
const ACCOUNTS_TTL_MS = TTL_MS + DAY_MS;
/** Maximum number of accounts that are searched for a user's announcements. */
const MAX_ACCOUNTS = 10_000;

export const DUE_ANNOUNCEMENTS = defineDueQueue({
  keys: 'address-announcements-due',
  ref: { account: 'number', id: 'string' },
  longestMs: ADDRESS_WAIT_MS,
  content: 'When each announced address becomes usable',
  expiry: 'none: a single key; due ones are removed',
  retained: { elsewhere: 'kept-account' },
});

/** Separate from {@link DUE_ANNOUNCEMENTS}, whose entries are due too early if they lie further ahead than the wait. */
export const ENDING_ANNOUNCEMENTS = defineDueQueue({
  keys: 'address-announcements-ending',
  ref: { account: 'number', id: 'string' },
  longestMs: UNUSED_TTL_MS,
  content: 'When each announced withdrawal can no longer be confirmed',
  expiry: 'none: a single key; due ones are removed',
  retained: { elsewhere: 'kept-account' },
});

/** Withdrawal whose address is checked. */
type Withdrawal = Pick<AddressAnnouncement, 'user' | 'account' | 'address'>;

/** Status of an address for one user of an account. `until`: when the status changes, in epoch milliseconds. */
type AddressStatus =
  | { kind: 'new' | 'usable' }
  | { kind: 'waiting' | 'cancelled'; announcement: AddressAnnouncement; until: number };

/** Returns the user's announcement of the address, unless the user has given it up. */
function currentIn(
  list: readonly AddressAnnouncement[],
  { user, address }: Pick<Withdrawal, 'user' | 'address'>,
): AddressAnnouncement | undefined {
  return list.find((one) => one.user === user && one.address === address && one.abandonedAt === undefined);
}

/** Returns whether the announced withdrawal can't be stopped any more, or has been. */
export function isOver({ usedAt, reservedAt, abandonedAt, cancelledAt }: AddressAnnouncement): boolean {
  return [usedAt, reservedAt, abandonedAt, cancelledAt].some((at) => at !== undefined);
}

/** Returns when a withdrawal that was never confirmed can't be confirmed any more, in epoch milliseconds. */
export function confirmableUntil({ at }: Pick<AddressAnnouncement, 'at'>): number {
  return at + ADDRESS_WAIT_MS + CONFIRMABLE_MS;
}

/** Returns when the block of a cancelled announcement's address ends, in epoch milliseconds. */
export function blockedUntil({ cancelledAt, at }: AddressAnnouncement): number {
  return (cancelledAt ?? at) + UNUSED_TTL_MS;
}

/** Returns the status of an address. A cancellation by one holder applies to all holders of the account. */
function statusIn(
  list: readonly AddressAnnouncement[],
  { user, address }: Pick<Withdrawal, 'user' | 'address'>,
  now: number,
): AddressStatus {
  const ofAddress = list.filter((announcement) => announcement.address === address);
  const cancelled = ofAddress.findLast(({ cancelledAt }) => cancelledAt !== undefined);
  if (cancelled) {
    return { kind: 'cancelled', announcement: cancelled, until: blockedUntil(cancelled) };
  }
  const announcement = currentIn(list, { user, address });
  if (announcement === undefined) return { kind: 'new' };
  const until = announcement.at + ADDRESS_WAIT_MS;
  const isWaiting = announcement.usedAt === undefined && now < until;
  return isWaiting ? { kind: 'waiting', announcement, until } : { kind: 'usable' };
}

function expiryOf({ at, usedAt, cancelledAt }: AddressAnnouncement): number {
  if (cancelledAt !== undefined) return cancelledAt + UNUSED_TTL_MS;
  return usedAt === undefined ? at + UNUSED_TTL_MS : Math.max(at + UNUSED_TTL_MS, usedAt + TTL_MS);
}

/** Returns until when an announcement is stored, in epoch milliseconds. */
function keptUntil(announcement: AddressAnnouncement): number {
  const { cancelledAt, abandonedAt } = announcement;
  // Kept until its user is notified that it can't be confirmed any more.
  if (!isOver(announcement)) return expiryOf(announcement) + UNUSED_TTL_MS;
  return cancelledAt === undefined || abandonedAt !== undefined
    ? expiryOf(announcement)
    : cancelledAt + BLOCK_MEMORY_MS;
}

/** Returns whether the limits are reached. Cancelled announcements count, so a user can't announce more by cancelling. */
function isFull(list: readonly AddressAnnouncement[], now: number): boolean {
  const unusedWithin = (ms: number) =>
    list.filter(({ at, usedAt }) => usedAt === undefined && now < at + ms).length;
  return unusedWithin(ADDRESS_WAIT_MS) >= MAX_PER_WAIT || unusedWithin(DAY_MS) >= MAX_PER_DAY;
}

/** Returns the list without its least recently used addresses above {@link MAX_USED}. */
function withoutOldest(list: readonly AddressAnnouncement[]): AddressAnnouncement[] {
  const used = list.filter(({ usedAt, cancelledAt }) => usedAt !== undefined && cancelledAt === undefined);
  const oldestFirst = used.toSorted((left, right) => (left.usedAt ?? 0) - (right.usedAt ?? 0));
  const dropped = oldestFirst.slice(0, -MAX_USED);
  return list.filter((announcement) => !dropped.includes(announcement));
}

/**
 * Returns an id that is short enough for callback data. It doesn't include the account because lookups are per account. After
 * the user has given up an announcement of the address, the next one has another id: old buttons don't apply to it.
 */
function nextIdIn(
  list: readonly AddressAnnouncement[],
  { user, address }: Pick<Withdrawal, 'user' | 'address'>,
): string {
  const ofUser = list.filter((one) => one.user === user && one.address === address);
  const after = ofUser.findLast(({ abandonedAt }) => abandonedAt !== undefined)?.abandonedAt;
  const name = [user, address, after].filter((part) => part !== undefined).join('/');
  return createHash('sha256').update(name).digest('base64url').slice(0, 16);
}

/**
 * Withdrawal addresses of accounts without two-factor codes. A new address can be used ten minutes after its
 * announcement to all holders of the account, unless one of them cancels it. Purchases for the address and withdrawals
 * from other accounts don't make it known: both cost a thief next to nothing.
 */
export type AddressAnnouncements = ReturnType<typeof createAddressAnnouncements>;

export function createAddressAnnouncements(deps: Pick<AccountsDeps, 'storage' | 'records' | 'now'>) {
  const { storage, records, now } = deps;
  const lists = records.store(ADDRESS_ANNOUNCEMENTS);
  const queue = createDueQueue(DUE_ANNOUNCEMENTS, { storage });
  const endings = createDueQueue(ENDING_ANNOUNCEMENTS, { storage });
  const dequeue = (ref: { account: number; id: string }) =>
    Promise.all([queue.remove(ref), endings.remove(ref)]);
  const waitMs = ({ at }: AddressAnnouncement) => at + ADDRESS_WAIT_MS - now();

  const isCurrent = (announcement: AddressAnnouncement) => now() < expiryOf(announcement);
  /** Returns whether an announcement is stored only for its user's notification, or because its address was blocked recently. */
  const isKeptAfterEnd = (announcement: AddressAnnouncement) =>
    !isCurrent(announcement) && announcement.abandonedAt === undefined && now() < keptUntil(announcement);

  async function listOf(account: number): Promise<AddressAnnouncement[]> {
    return ((await lists.get({ account })) ?? []).filter(isCurrent);
  }

  /** Returns the account's announcements, of all holders, for which nothing was sent or given up yet. */
  const waitingFrom = async (account: number): Promise<AddressAnnouncement[]> =>
    (await listOf(account)).filter((one) => !isOver(one));

  /** Returns an announcement also after its lifetime, as long as it is stored. */
  async function findStored({ account, id }: { account: number; id: string }) {
    return (await lists.get({ account }))?.find((one) => one.id === id);
  }

  const accountsKey = (user: number) => keyOf(ANNOUNCING_ACCOUNTS.keys, { user });

  async function accountsOf(user: number): Promise<number[]> {
    return (await storage.index.upTo(accountsKey(user), Number.MAX_VALUE, MAX_ACCOUNTS)).map(Number);
  }

  const recordAccount = ({ user, account }: Pick<Withdrawal, 'user' | 'account'>) =>
    storage.index.put(accountsKey(user), String(account), account, { ttlMs: ACCOUNTS_TTL_MS });

  /**
   * Applies `apply` to the current list. Writes nothing if it returns `undefined`. After the clock was set back,
   * announcements count as made just now.
   */
  async function change(
    account: number,
    apply: (list: AddressAnnouncement[]) => AddressAnnouncement[] | undefined,
  ): Promise<void> {
    await lists.update({ account }, (stored = []) => {
      const current = stored.filter(isCurrent);
      const changed = apply(current.map((one) => ({ ...one, at: Math.min(one.at, now()) })));
      return changed && [...withoutOldest(changed), ...stored.filter(isKeptAfterEnd)];
    });
  }

  /** Returns the list with changes of one announcement, or `undefined` if the list doesn't contain it. */
  function withChanges(
    list: readonly AddressAnnouncement[],
    id: string | undefined,
    changes: Partial<AddressAnnouncement>,
  ): AddressAnnouncement[] | undefined {
    if (!list.some((announcement) => announcement.id === id)) return undefined;
    return list.map((announcement) =>
      announcement.id === id ? { ...announcement, ...changes } : announcement,
    );
  }

  /** Schedules an announcement again that came due early. Its waiting time begins anew if the clock was set back. */
  async function postpone(announcement: AddressAnnouncement): Promise<void> {
    if (announcement.at > now()) await change(announcement.account, (list) => list);
    await queue.scheduleIn(announcement, waitMs(announcement));
  }

  async function eraseUserFrom(account: number, user: number): Promise<void> {
    const isRetained = (announcement: AddressAnnouncement) =>
      isCurrent(announcement) &&
      (announcement.usedAt === undefined || announcement.cancelledAt !== undefined);

    await retryOnConflict(async () => {
      const stored = await lists.read({ account });
      const ofUser = (stored?.value ?? []).filter((announcement) => announcement.user === user);
      if (stored === undefined || ofUser.length === 0) return true;
      await Promise.all(ofUser.map(dequeue));
      const rest = stored.value
        .filter((announcement) => announcement.user !== user || isRetained(announcement))
        .map((one) => {
          const isEnded = one.user !== user || (isOver(one) && one.cancelledAt === undefined);
          return isEnded ? one : { ...one, abandonedAt: now() };
        });
      const key = lists.keyOf({ account });
      if (rest.length === 0) {
        await lists.delete({ account }, stored);
        return (await records.has(key)) ? undefined : true;
      }
      const ttlMs = Math.max(...rest.map(keptUntil)) - now();
      return (await records.replace(key, stored.record, JSON.stringify(rest), { ttlMs })) && true;
    });
  }

  return {
    getStatus: async (withdrawal: Withdrawal): Promise<AddressStatus> =>
      statusIn(await listOf(withdrawal.account), withdrawal, now()),
    /**
     * Returns the announcement to send to the holders and then pass to {@link add}; `undefined` if the limits are
     * reached.
     */
    async draft({
      user,
      account,
      address,
      trx,
      all,
    }: Withdrawal & Pick<AddressAnnouncement, 'trx' | 'all'>): Promise<AddressAnnouncement | undefined> {
      const stored = (await lists.get({ account })) ?? [];
      const list = stored.filter(isCurrent);
      if (isFull(list, now())) return undefined;
      const wasBlocked = stored.some(
        (one) => one.address === address && one.cancelledAt !== undefined && isKeptAfterEnd(one),
      );
      return {
        ...{ id: nextIdIn(list, { user, address }), user, account, address, trx, at: now() },
        ...(all && { all }),
        ...(wasBlocked && { wasBlocked }),
      };
    },
    /**
     * Stores an announcement that the other holders were notified of. It comes due when the address can be used. An
     * announcement that is already stored stays unchanged.
     */
    async add(announcement: AddressAnnouncement) {
      const { id, account } = announcement;
      // First: a due reference without an announcement is dropped, but an announcement that never comes due would never be
      // offered, and one that isn't found would never be erased.
      await Promise.all([queue.scheduleIn(announcement, waitMs(announcement)), recordAccount(announcement)]);
      // A late update must neither undo a cancellation nor restart the waiting time.
      await change(account, (list) =>
        list.some((stored) => stored.id === id) ? undefined : [...list, announcement],
      );
    },
    find: async (account: number, id: string): Promise<AddressAnnouncement | undefined> =>
      (await listOf(account)).find((announcement) => announcement.id === id),
    /** Returns the announced addresses to which a withdrawal from the account was made, or may have been made. */
    usedOf: async (account: number): Promise<AddressAnnouncement[]> =>
      (await listOf(account)).filter(({ usedAt }) => usedAt !== undefined),
    waitingFrom,
    /** Returns those of {@link waitingFrom} that the user has announced. */
    waitingOf: async ({ user, account }: Pick<Withdrawal, 'user' | 'account'>) =>
      (await waitingFrom(account)).filter((one) => one.user === user),
    /** Returns the user's announcement of the address that applies now, `undefined` if there is none. */
    findCurrent: async (withdrawal: Withdrawal): Promise<AddressAnnouncement | undefined> =>
      currentIn(await listOf(withdrawal.account), withdrawal),
    /**
     * Blocks withdrawals from the account to the address for a day, also those that other holders have announced. `by`:
     * holder who blocks it. Returns the announcement, `undefined` if there is none. If it has `reservedAt`, a withdrawal
     * may already have been sent. `isUserNotified` says whether the announcing user was notified.
     */
    async cancel(account: number, id: string, by: number): Promise<AddressAnnouncement | undefined> {
      let blocked: AddressAnnouncement[] = [];
      await change(account, (list) => {
        const announcement = list.find((candidate) => candidate.id === id);
        if (announcement === undefined) return undefined;
        const { address, cancelledAt = now(), cancelledBy = by } = announcement;
        const isBlocked = (one: AddressAnnouncement) =>
          one.id === id || (one.address === address && !isOver(one));
        const changed = list.map((one) => (isBlocked(one) ? { ...one, cancelledAt, cancelledBy } : one));
        blocked = changed.filter((one) => !list.includes(one));
        return changed;
      });
      await Promise.all(blocked.map(dequeue));
      return blocked.find((one) => one.id === id);
    },
    /** Returns the announcements of other holders that were blocked together with this one. */
    blockedWith: async ({ account, id, address, cancelledAt }: AddressAnnouncement) =>
      (await listOf(account)).filter(
        (one) => one.id !== id && one.address === address && one.cancelledAt === cancelledAt,
      ),
    /**
     * Gives up the withdrawal for which the user announced the address. Returns the announcement, `undefined` if there is
     * none. It has no `abandonedAt` if that came too late: a withdrawal was about to be sent, or another holder has blocked
     * the address. Atomic with respect to `reserve`.
     */
    async abandon(account: number, user: number, id: string): Promise<AddressAnnouncement | undefined> {
      let found: AddressAnnouncement | undefined;
      await change(account, (list) => {
        found = list.find((candidate) => candidate.id === id && candidate.user === user);
        if (found === undefined || found.abandonedAt !== undefined) return undefined;
        const isTooLate = [found.reservedAt, found.usedAt, found.cancelledAt].some((at) => at !== undefined);
        if (isTooLate) return undefined;
        found = { ...found, abandonedAt: now() };
        return withChanges(list, id, { abandonedAt: now() });
      });
      if (found?.abandonedAt !== undefined) await dequeue(found);
      return found;
    },
    /** Gives up all withdrawals of {@link waitingOf}, because the user leaves the account. Returns them. */
    async abandonAll({
      user,
      account,
    }: Pick<Withdrawal, 'user' | 'account'>): Promise<AddressAnnouncement[]> {
      let abandoned: AddressAnnouncement[] = [];
      await change(account, (list) => {
        const changed = list.map((one) =>
          one.user === user && !isOver(one) ? { ...one, abandonedAt: now() } : one,
        );
        abandoned = changed.filter((one) => !list.includes(one));
        return abandoned.length === 0 ? undefined : changed;
      });
      await Promise.all(abandoned.map(dequeue));
      return abandoned;
    },
    /** Returns the withdrawals that the user has given up since a time (epoch milliseconds), before anything was sent. */
    async abandonedSince({ user, account }: Pick<Withdrawal, 'user' | 'account'>, time: number) {
      return (await listOf(account)).filter(
        ({ user: by, abandonedAt = 0, usedAt }) => by === user && abandonedAt >= time && usedAt === undefined,
      );
    },
    markUserNotified: ({ account, id }: AddressAnnouncement) =>
      change(account, (list) => withChanges(list, id, { isUserNotified: true })),
    /**
     * Returns the status of the address right before a withdrawal is sent. If the address is `usable`, sets `reservedAt`.
     * Atomic with respect to {@link cancel}.
     */
    async reserve(withdrawal: Withdrawal): Promise<AddressStatus['kind']> {
      let kind: AddressStatus['kind'] = 'new';
      await change(withdrawal.account, (list) => {
        kind = statusIn(list, withdrawal, now()).kind;
        const { id } = currentIn(list, withdrawal) ?? {};
        return kind === 'usable' ? withChanges(list, id, { reservedAt: now() }) : undefined;
      });
      return kind;
    },
    /**
     * Records that a withdrawal to the address was made or may have been made. The address stays usable. `confirmedAt`:
     * when the user confirmed the withdrawal, in epoch milliseconds.
     */
    async recordUse(withdrawal: Withdrawal & { confirmedAt?: number | undefined }) {
      await recordAccount(withdrawal);
      await change(withdrawal.account, (list) => {
        const { confirmedAt = now() } = withdrawal;
        const { id, firstUsedAt = confirmedAt } = currentIn(list, withdrawal) ?? {};
        return withChanges(list, id, { usedAt: now(), firstUsedAt });
      });
    },
    /** Remembers a message in the user's chat with buttons for the announcement. */
    addMessage: (account: number, id: string, message: number) =>
      change(account, (list) => {
        const { messages = [] } = list.find((candidate) => candidate.id === id) ?? {};
        if (messages.includes(message)) return undefined;
        return withChanges(list, id, {
          messages: [...messages.slice(0, 1), ...[...messages.slice(1), message].slice(1 - MAX_MESSAGES)],
        });
      }),
    /** Remembers the message that told another holder about the announcement. */
    addNotice: (account: number, id: string, notice: { chat: number; message: number }) =>
      change(account, (list) => {
        const { notices = [] } = list.find((candidate) => candidate.id === id) ?? {};
        return withChanges(list, id, { notices: [...notices, notice].slice(-MAX_NOTICES) });
      }),
    /** Forgets all messages of an announcement, because they show how it ended. */
    forgetMessages: ({ account, id }: Pick<AddressAnnouncement, 'account' | 'id'>) =>
      change(account, (list) => withChanges(list, id, { messages: undefined, notices: undefined })),
    /** Forgets the messages that told a holder about announcements, because the holder leaves the account. */
    forgetNoticesOf: ({ user, account }: Pick<Withdrawal, 'user' | 'account'>) =>
      change(account, (list) => {
        const isNotified = list.some(({ notices = [] }) => notices.some(({ chat }) => chat === user));
        if (!isNotified) return undefined;
        return list.map((one) => ({ ...one, notices: one.notices?.filter(({ chat }) => chat !== user) }));
      }),
    /** Returns the user's announcements for all accounts. */
    async ofUser(user: number): Promise<AddressAnnouncement[]> {
      const found = await Promise.all((await accountsOf(user)).map(listOf));
      return found.flat().filter((announcement) => announcement.user === user);
    },
    /**
     * Adds an account to the accounts of the users who have withdrawn to its announced addresses, if it is missing there.
     * Returns whether it was. An erasure leaves only announcements without a withdrawal, so it isn't undone.
     */
    async addIfMissing(account: number): Promise<boolean> {
      const used = (await listOf(account)).filter(
        (one) => one.usedAt !== undefined && one.cancelledAt === undefined,
      );
      const users = [...new Set(used.map(({ user }) => user))];
      const added = await Promise.all(
        users.map(async (user) => {
          if ((await accountsOf(user)).includes(account)) return false;
          await recordAccount({ user, account });
          return true;
        }),
      );
      return added.includes(true);
    },
    /**
     * Erases the addresses that a user has withdrawn to, for all accounts. Unused and cancelled announcements stay until
     * they expire after a day: otherwise other holders could get the same question repeatedly. The user no longer sees
     * any of them.
     */
    async eraseUser(user: number) {
      for (const account of await accountsOf(user)) await eraseUserFrom(account, user);
    },
    /**
     * Returns announcements whose addresses can be used now, or not any more, also those whose lifetime has ended since.
     * Returns each one again until it is passed to `dequeue` or `scheduleEnd`.
     */
    async due(limit: number): Promise<AddressAnnouncement[]> {
      const found: AddressAnnouncement[] = [];
      for (const ref of await queue.due(limit)) {
        const announcement = await findStored(ref);
        if (announcement === undefined) await queue.remove(ref);
        else if (waitMs(announcement) <= 0) found.push(announcement);
        else await postpone(announcement);
      }
      for (const ref of await endings.due(limit)) {
        const announcement = await findStored(ref);
        if (announcement === undefined) await endings.remove(ref);
        else found.push(announcement);
      }
      return found;
    },
    dequeue,
    /** Makes an announcement come due again when its withdrawal can't be confirmed any more. */
    async scheduleEnd(announcement: AddressAnnouncement): Promise<void> {
      await endings.scheduleIn(announcement, Math.max(0, confirmableUntil(announcement) - now()));
      await queue.remove(announcement);
    },
  };
}
