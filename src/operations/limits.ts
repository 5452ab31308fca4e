// Spending limits, and the recently sent operations of an account.

import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { defineRecord, type RecordDefinition, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import { formatTrx } from '../rental-api/amounts.ts';
import type { Kinds } from './kinds/kinds.ts';
import { isSame, isUnresolved, type Operation, type OperationRef } from './operation.ts';
import { OPERATION_TTL_MS, type OperationStore } from './store.ts';

const DAY_MS = 24 * 3600_000;

/** Reserved shares of a spending limit: operation, amount in TRX (decimal), and end in epoch milliseconds. */
const sharesSchema = z.array(z.object({ operation: z.string(), trx: z.string(), until: z.number() }));
type Shares = z.infer<typeof sharesSchema>;

export const WITHDRAWN = defineRecord({
  keys: 'withdrawn:account',
  content: 'Amounts withdrawn within 24 hours from an account without codes',
  schema: sharesSchema,
  ttlMs: DAY_MS,
  expiry: '1 day since the latest one',
  signed: true,
  retained: { elsewhere: 'kept-limits' },
});

export const OPERATOR_SPENT = defineRecord({
  keys: 'operator-spent:account',
  content: 'Amounts that admins spend from the operator account on a day',
  schema: sharesSchema,
  ttlMs: DAY_MS,
  expiry: '1 day since the latest one',
  signed: true,
  retained: { ofAdmins: true },
});

/** Rule of a spending limit. Amounts are in TRX (decimal). */
interface CapRule {
  record: RecordDefinition<`${string}:account`, Shares>;
  /** Returns the limit. */
  limit(): Promise<string>;
  /** Returns the share of an operation. `undefined` if its price is unknown: the limit then rejects it. */
  shareOf(operation: Operation): string | undefined;
  /** Returns the final share of an operation. `nothing` releases the share; `undefined` leaves it unchanged. */
  finalShareOf(operation: Operation): string | 'nothing' | undefined;
  /** Returns until when spending at `now` counts, in epoch milliseconds. */
  countsUntil(now: number): number;
}

/**
 * Spending limit of an account within a day, for all its users together.
 *
 * An operation reserves its share before its claim, for as long as it could still be claimed. It reserves it again
 * before its request, for as long as the spending counts. The share of a request that may have been executed stays
 * reserved. It is released only if nothing was spent.
 */
export interface DailyCap {
  /** Returns the limit, in TRX (decimal). */
  limit(): Promise<string>;
  /** Returns the part of the limit that is left now, in TRX (decimal). */
  remaining(account: number): Promise<string>;
  /** Returns the reserved part of the limit, in TRX (decimal). */
  reserved(account: number): Promise<string>;
  /**
   * Reserves the operation's share. Returns whether the limit allows it. Repeating this for the same operation reserves
   * no second share.
   */
  reserve(operation: Operation, until: 'decided' | 'sent'): Promise<boolean>;
  /**
   * Sets the share to what the operation has finally spent. Releases it if the operation was refused, or failed and was
   * refunded.
   */
  settle(operation: Operation): Promise<void>;
}

export function createDailyCap(deps: {
  records: SignedRecords;
  rule: CapRule;
  /** Maximum delay between a card's expiry and the commit of its claim, in milliseconds. */
  commitMs: number;
  now: () => number;
}): DailyCap {
  const { rule, commitMs, now } = deps;
  const records = deps.records.store(rule.record);

  const current = (shares: Shares = []) => shares.filter(({ until }) => now() < until);
  const sumOf = (shares: Shares) => shares.reduce((sum, { trx }) => sum.plus(trx), new BigNumber(0));
  const nameOf = ({ user, id }: Operation) => `${user}/${id}`;

  return {
    limit: rule.limit,
    reserved: async (account) => formatTrx(sumOf(current(await records.get({ account })))),
    async remaining(account) {
      const [limit, shares] = await Promise.all([rule.limit(), records.get({ account })]);
      return formatTrx(BigNumber.max(new BigNumber(limit).minus(sumOf(current(shares))), 0));
    },
    async reserve(operation, until) {
      const { account, expiresAt } = operation;
      const trx = rule.shareOf(operation);
      const name = nameOf(operation);
      const endsAt = until === 'decided' ? expiresAt + commitMs : rule.countsUntil(now());
      const limit = await rule.limit();
      let isReserved = false;
      await records.update({ account }, (before) => {
        const shares = current(before);
        const others = shares.filter((share) => share.operation !== name);
        const remaining = new BigNumber(limit).minus(sumOf(others));
        isReserved = trx !== undefined && remaining.gte(trx);
        if (trx === undefined || !isReserved) return shares;
        const earlier = shares.find((share) => share.operation === name)?.until ?? 0;
        // Never ends the reservation earlier than before: the request may have been sent.
        return [...others, { operation: name, trx, until: Math.max(earlier, endsAt) }];
      });
      return isReserved;
    },
    async settle(operation) {
      const trx = rule.finalShareOf(operation);
      if (trx === undefined) return;
      const name = nameOf(operation);
      await records.update({ account: operation.account }, (before) => {
        const shares = current(before);
        const others = shares.filter((share) => share.operation !== name);
        if (trx === 'nothing') return others;
        // Also if the share was released before: a later reply may contradict a manual resolution.
        const until = shares.find((share) => share.operation === name)?.until ?? rule.countsUntil(now());
        return [...others, { operation: name, trx, until }];
      });
    },
  };
}

/** Returns the rule for withdrawals from an account without two-factor codes within 24 hours. `trx`: decimal. */
export function withdrawals({ kinds, trx }: { kinds: Kinds; trx: string }): CapRule {
  return {
    record: WITHDRAWN,
    limit: async () => trx,
    shareOf: ({ request }) => kinds.of(request).withdrawalAmount?.(request) ?? '0',
    finalShareOf({ state, result, request }) {
      const isRefunded = state === 'refused' || (state === 'done' && result?.status === 'failed');
      return isRefunded && kinds.of(request).withdrawalAmount !== undefined ? 'nothing' : undefined;
    },
    countsUntil: (now) => now + DAY_MS,
  };
}

/**
 * Returns the rule for what all admins together spend from the operator account in a day. The day ends at midnight UTC.
 */
export function operatorSpending({ kinds, limit }: { kinds: Kinds; limit: CapRule['limit'] }): CapRule {
  return {
    record: OPERATOR_SPENT,
    limit,
    shareOf({ request, estimate }) {
      return kinds.of(request).isFree?.(request) ? '0' : estimate;
    },
    finalShareOf({ operators, state, result }) {
      if (!operators) return undefined;
      return state === 'refused' ? 'nothing' : state === 'done' ? result?.price : undefined;
    },
    countsUntil: (now) => (Math.floor(now / DAY_MS) + 1) * DAY_MS,
  };
}

const RECENT_MS = 24 * 3600_000;
/** Maximum operations that are read. */
const MAX_READ = 500;
/** Maximum difference between the clocks of replicas, in milliseconds. */
const SKEW_MS = 30_000;

export const SENT_OF_ACCOUNT = {
  keys: 'sent-of-account:account',
  content: 'Recent attempts of an account',
  expiry: '90 days since the latest one',
  retained: { elsewhere: 'kept-money' },
} as const satisfies StoredData;

/** Index of the unresolved ones only. It is small, and every new card reads it. */
export const UNRESOLVED_OF_ACCOUNT = {
  keys: 'unresolved-of-account:account',
  content: 'Attempts of an account with an unknown outcome',
  expiry: '90 days since the latest one',
  retained: { elsewhere: 'kept-money' },
} as const satisfies StoredData;

interface Attempt {
  member: string;
  operation?: Operation;
  /** Set if this version can't read the record, so its effect is unknown. */
  isUnreadable?: boolean;
}

/** Recently sent operations of an account. The effect of any of them could be mistaken for evidence of another one. */
export interface RecentAttempts {
  add(operation: Operation): Promise<void>;
  /** Removes a resolved operation from the unresolved ones. */
  resolved(operation: Operation): Promise<void>;
  /** Returns the unresolved operations of any age, oldest first. */
  unresolvedOf(account: number): Promise<Operation[]>;
  /** Returns the operations of the last day and older unresolved ones, oldest first. */
  of(account: number): Promise<Operation[]>;
  /** Returns whether another operation may have moved the balance since this one was sent. */
  hasConcurrent(operation: Operation): Promise<boolean>;
}

export function createRecentAttempts({
  storage,
  store,
  now,
}: {
  storage: Storage;
  store: OperationStore;
  now: () => number;
}): RecentAttempts {
  const sentKey = (account: number) => keyOf(SENT_OF_ACCOUNT.keys, { account });
  const unresolvedKey = (account: number) => keyOf(UNRESOLVED_OF_ACCOUNT.keys, { account });
  const memberOf = ({ user, id }: OperationRef) => `${user}/${id}`;

  /** Returns the latest operations, oldest first. If there are more than `MAX_READ`, the oldest ones are left out. */
  async function last(account: number): Promise<Attempt[]> {
    return attempts((await storage.index.last(sentKey(account), MAX_READ)).reverse());
  }

  function attempts(members: string[]): Promise<Attempt[]> {
    return Promise.all(
      members.map(async (member) => {
        const [user, id = ''] = member.split('/');
        const stored = await store.readable({ user: Number(user), id });
        if (typeof stored === 'string') return { member, isUnreadable: true };
        return { member, ...(stored && { operation: stored.operation }) };
      }),
    );
  }

  async function prune(account: number): Promise<void> {
    const old = await attempts(await storage.index.upTo(sentKey(account), now() - RECENT_MS, MAX_READ));
    // Unresolved operations stay, whatever their age.
    const [, settled] = partition(old);
    await Promise.all(settled.map(({ member }) => storage.index.remove(sentKey(account), member)));
  }

  async function of(account: number): Promise<Operation[]> {
    return (await last(account)).flatMap(({ operation }) => operation ?? []);
  }

  return {
    async add(operation) {
      const { account } = operation;
      await Promise.all([
        ...[sentKey(account), unresolvedKey(account)].map((key) =>
          storage.index.scheduleIn(key, memberOf(operation), 0, { ttlMs: OPERATION_TTL_MS }),
        ),
        prune(account),
      ]);
    },
    resolved: (operation) => storage.index.remove(unresolvedKey(operation.account), memberOf(operation)),
    async unresolvedOf(account) {
      const members = await storage.index.last(unresolvedKey(account), MAX_READ);
      const [open, settled] = partition(await attempts(members.reverse()));
      await Promise.all(settled.map(({ member }) => storage.index.remove(unresolvedKey(account), member)));
      return open.flatMap(({ operation }) => operation ?? []);
    },
    of,
    async hasConcurrent(operation) {
      const all = await last(operation.account);
      // At the limit, a relevant operation may be missing. Assume that there is one.
      return all.length >= MAX_READ || all.some((other) => mayHaveMovedBalance(other, operation));
    },
  };

  function mayHaveMovedBalance({ operation: other, isUnreadable }: Attempt, operation: Operation): boolean {
    if (other === undefined) return isUnreadable === true;
    if (isSame(other, operation) || other.state === 'refused') return false;
    if ((other.sentAt ?? now()) < now() - RECENT_MS) return false;
    const isSettledBefore =
      other.settledAt !== undefined && other.settledAt + SKEW_MS <= (operation.sentAt ?? 0);
    return !isSettledBefore;
  }
}

/** Splits attempts into unresolved ones, and resolved or missing ones. */
function partition(attempts: Attempt[]): [Attempt[], Attempt[]] {
  const isOpen = ({ operation, isUnreadable }: Attempt) =>
    isUnreadable === true || (operation !== undefined && isUnresolved(operation));
  return [attempts.filter(isOpen), attempts.filter((attempt) => !isOpen(attempt))];
}

/** Returns the user's latest unresolved operation of the same kind that `isDuplicate` accepts. */
export function findUnresolvedDuplicate(
  unresolved: Operation[],
  wanted: { user: number; kind: string; isDuplicate: (operation: Operation) => boolean },
): OperationRef | undefined {
  const found = unresolved.findLast(
    (operation) =>
      operation.user === wanted.user &&
      operation.request.kind === wanted.kind &&
      wanted.isDuplicate(operation),
  );
  return found && { user: found.user, id: found.id };
}
