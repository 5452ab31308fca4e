// Spending limits, and the recently sent operations of an account.

import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { changeRecord, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { formatTrx } from '../rental-api/amounts.ts';
import type { Kinds } from './kinds/kinds.ts';
import { isUnresolved, type Operation, type OperationRef } from './operation.ts';
import { isSame } from './orders.ts';
import type { OperationStore } from './store.ts';

const DAY_MS = 24 * 3600_000;

/** Key prefixes of withdrawals within a day, and of admins' spending from the operator account. */
export const WITHDRAWN = 'withdrawn:';
export const OPERATOR_SPENT = 'operator-spent:';

const takenSchema = z.array(z.object({ operation: z.string(), trx: z.string(), until: z.number() }));
type Taken = z.infer<typeof takenSchema>;

/** Rule of a spending limit. Amounts are in TRX (decimal). */
interface CapRule {
  /** Prefix of the storage keys. */
  prefix: string;
  /** Returns the limit. */
  most(): Promise<string>;
  /** Returns the share of an operation. `undefined` if its price is unknown: the limit then rejects it. */
  wants(operation: Operation): string | undefined;
  /** Returns the final share of an operation. `nothing` releases the share; `undefined` leaves it unchanged. */
  took(operation: Operation): string | 'nothing' | undefined;
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
  most(): Promise<string>;
  /** Returns the part of the limit that is left now, in TRX (decimal). */
  left(account: number): Promise<string>;
  /** Returns the reserved part of the limit, in TRX (decimal). */
  taken(account: number): Promise<string>;
  /**
   * Reserves the operation's share. Returns whether the limit allows it. Repeating this for the same operation reserves
   * no second share.
   */
  take(operation: Operation, until: 'decided' | 'sent'): Promise<boolean>;
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
  const { records, rule, commitMs, now } = deps;
  const keyOf = (account: number) => `${rule.prefix}${account}`;

  function present(content: string | undefined): Taken {
    return content === undefined
      ? []
      : takenSchema.parse(JSON.parse(content)).filter(({ until }) => now() < until);
  }
  const read = async (account: number) => present((await records.get(keyOf(account)))?.content);
  const sumOf = (taken: Taken) => taken.reduce((sum, { trx }) => sum.plus(trx), new BigNumber(0));
  const nameOf = ({ user, id }: Operation) => `${user}/${id}`;

  const change = (account: number, to: (taken: Taken) => Taken) =>
    changeRecord(records, keyOf(account), (content) => JSON.stringify(to(present(content))), {
      ttlMs: DAY_MS,
    });

  return {
    most: rule.most,
    taken: async (account) => formatTrx(sumOf(await read(account))),
    async left(account) {
      const [most, taken] = await Promise.all([rule.most(), read(account)]);
      return formatTrx(BigNumber.max(new BigNumber(most).minus(sumOf(taken)), 0));
    },
    async take(operation, until) {
      const { account, expiresAt } = operation;
      const wants = rule.wants(operation);
      const name = nameOf(operation);
      const lasts = until === 'decided' ? expiresAt + commitMs : rule.countsUntil(now());
      const most = await rule.most();
      let hasRoom = false;
      await change(account, (taken) => {
        const others = taken.filter((one) => one.operation !== name);
        const rest = new BigNumber(most).minus(sumOf(others));
        hasRoom = wants !== undefined && rest.gte(wants);
        if (wants === undefined || !hasRoom) return taken;
        const before = taken.find((one) => one.operation === name)?.until ?? 0;
        // Never ends the reservation earlier than before: the request may have been sent.
        return [...others, { operation: name, trx: wants, until: Math.max(before, lasts) }];
      });
      return hasRoom;
    },
    async settle(operation) {
      const took = rule.took(operation);
      if (took === undefined) return;
      const name = nameOf(operation);
      await change(operation.account, (taken) => {
        const others = taken.filter((one) => one.operation !== name);
        if (took === 'nothing') return others;
        // Also if the share was released before: a later reply may contradict a manual resolution.
        const until = taken.find((one) => one.operation === name)?.until ?? rule.countsUntil(now());
        return [...others, { operation: name, trx: took, until }];
      });
    },
  };
}

/** Returns the rule for withdrawals from an account without two-factor codes within 24 hours. `trx`: decimal. */
export function withdrawals({ kinds, trx }: { kinds: Kinds; trx: string }): CapRule {
  return {
    prefix: WITHDRAWN,
    most: async () => trx,
    wants: ({ request }) => kinds.of(request).takesOut?.(request) ?? '0',
    took({ state, result, request }) {
      const isBack = state === 'refused' || (state === 'done' && result?.status === 'failed');
      return isBack && kinds.of(request).takesOut !== undefined ? 'nothing' : undefined;
    },
    countsUntil: (now) => now + DAY_MS,
  };
}

/**
 * Returns the rule for what all admins together spend from the operator account in a day. The day ends at midnight UTC.
 */
export function operatorSpending({ kinds, most }: { kinds: Kinds; most: CapRule['most'] }): CapRule {
  return {
    prefix: OPERATOR_SPENT,
    most,
    wants({ request, estimate }) {
      return kinds.of(request).isFree?.(request) ? '0' : estimate;
    },
    took({ operators, state, result }) {
      if (!operators) return undefined;
      return state === 'refused' ? 'nothing' : state === 'done' ? result?.price : undefined;
    },
    countsUntil: (now) => (Math.floor(now / DAY_MS) + 1) * DAY_MS,
  };
}

const RECENT_MS = 24 * 3600_000;
const MANY = 500;
/** Maximum difference between the clocks of replicas, in milliseconds. */
const SKEW_MS = 30_000;
/** TTL of the indexes: as long as the latest operation in them. */
const TTL_MS = 90 * 24 * 3600_000;

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
  anyBeside(operation: Operation): Promise<boolean>;
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
  const keyOf = (account: number) => `sent-of-account:${account}`;
  /** Index of the unresolved ones only. It is small, and every new card reads it. */
  const openKey = (account: number) => `unresolved-of-account:${account}`;
  const memberOf = ({ user, id }: OperationRef) => `${user}/${id}`;

  /** Returns the latest operations, oldest first. If there are more than `MANY`, the oldest ones are left out. */
  async function last(account: number): Promise<Attempt[]> {
    return attempts((await storage.index.last(keyOf(account), MANY)).reverse());
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
    const old = await attempts(await storage.index.upTo(keyOf(account), now() - RECENT_MS, MANY));
    // Unresolved operations stay, whatever their age.
    const [, over] = partition(old);
    await Promise.all(over.map(({ member }) => storage.index.remove(keyOf(account), member)));
  }

  async function of(account: number): Promise<Operation[]> {
    return (await last(account)).flatMap(({ operation }) => operation ?? []);
  }

  return {
    async add(operation) {
      const { account } = operation;
      await Promise.all([
        ...[keyOf(account), openKey(account)].map((key) =>
          storage.index.scheduleIn(key, memberOf(operation), 0, { ttlMs: TTL_MS }),
        ),
        prune(account),
      ]);
    },
    resolved: (operation) => storage.index.remove(openKey(operation.account), memberOf(operation)),
    async unresolvedOf(account) {
      const members = await storage.index.last(openKey(account), MANY);
      const [open, over] = partition(await attempts(members.reverse()));
      await Promise.all(over.map(({ member }) => storage.index.remove(openKey(account), member)));
      return open.flatMap(({ operation }) => operation ?? []);
    },
    of,
    async anyBeside(operation) {
      const all = await last(operation.account);
      // At the limit, a relevant operation may be missing. Assume that there is one.
      return all.length >= MANY || all.some((other) => mayHaveMovedBalance(other, operation));
    },
  };

  function mayHaveMovedBalance({ operation: other, isUnreadable }: Attempt, operation: Operation): boolean {
    if (other === undefined) return isUnreadable === true;
    if (isSame(other, operation) || other.state === 'refused') return false;
    if ((other.sentAt ?? now()) < now() - RECENT_MS) return false;
    const over = other.settledAt !== undefined && other.settledAt + SKEW_MS <= (operation.sentAt ?? 0);
    return !over;
  }
}

/** Splits attempts into unresolved ones, and resolved or missing ones. */
function partition(attempts: Attempt[]): [Attempt[], Attempt[]] {
  const isOpen = ({ operation, isUnreadable }: Attempt) =>
    isUnreadable === true || (operation !== undefined && isUnresolved(operation));
  return [attempts.filter(isOpen), attempts.filter((attempt) => !isOpen(attempt))];
}

/** Returns the user's latest unresolved operation of the same kind that `isLike` accepts. */
export function unresolvedLike(
  unresolved: Operation[],
  wanted: { user: number; kind: string; isLike: (operation: Operation) => boolean },
): OperationRef | undefined {
  const found = unresolved.findLast(
    (operation) =>
      operation.user === wanted.user && operation.request.kind === wanted.kind && wanted.isLike(operation),
  );
  return found && { user: found.user, id: found.id };
}
