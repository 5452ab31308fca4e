// Limits on the requests of an account: spending limits, cooldowns, locks, and requests that succeed only once.

import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { DAY_MS } from '../platform/clock.ts';
import {
  defineRecord,
  keyOf,
  type RecordDefinition,
  type SignedRecords,
  type StoredData,
} from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { formatTrx } from '../rental-api/tron.ts';
import type { Kinds, OperationRequest } from './kinds/kind.ts';
import { isConfirmed, nameOf, type Operation } from './operation.ts';

/** Maximum delay between a card's expiry and the commit of its claim, in milliseconds. */
export const COMMIT_MS = 60_000;

/** Reserved shares of a spending limit: operation, amount in TRX (decimal), and end in epoch milliseconds. */
const sharesSchema = z.array(z.object({ operation: z.string(), trx: z.string(), until: z.number() }));
type Shares = z.infer<typeof sharesSchema>;

const WITHDRAWN = defineRecord({
  keys: 'withdrawn:account',
  content: 'Amounts withdrawn within 24 hours from an account without codes',
  schema: sharesSchema,
  ttlMs: DAY_MS,
  expiry: '1 day since the latest one',
  signed: true,
  retained: { elsewhere: 'kept-limits' },
});

const OPERATOR_SPENT = defineRecord({
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
  limit(): Promise<string>;
  /** Returns the share of an operation. `undefined` if its price is unknown: the limit then rejects it. */
  shareOf(operation: Operation): string | undefined;
  /** Returns the final share of an operation. `nothing` releases the share; `undefined` leaves it unchanged. */
  finalShareOf(operation: Operation): string | 'nothing' | undefined;
  /** Returns until when spending at `at` counts, in epoch milliseconds. */
  countsUntil(at: number): number;
}

interface CapDeps {
  records: SignedRecords;
  kinds: Kinds;
  now: () => number;
}

/**
 * Spending limit of an account within a day, for all its users together.
 *
 * An operation reserves its share before its claim, for as long as it could still be claimed. It reserves it again
 * before its request, for as long as the spending counts. The share of a request that may have been executed stays
 * reserved. It is released only if nothing was spent.
 *
 * A share belongs to the period of its claim, whenever the request is sent and its outcome arrives. All of these steps
 * derive the share's end from the time of the claim, so that none of them counts it in another period.
 */
export type DailyCap = ReturnType<typeof createDailyCap>;

function createDailyCap(deps: CapDeps, rule: CapRule) {
  const { now } = deps;
  const records = deps.records.store(rule.record);

  /** Returns the shares that still count. A clock that jumped doesn't make one count longer than a new one. */
  const current = (shares: Shares = []) =>
    shares
      .map((share) => ({ ...share, until: Math.min(share.until, rule.countsUntil(now())) }))
      .filter(({ until }) => now() < until);
  /** Before its claim, an operation's spending counts as if it were claimed now. */
  const endOf = (operation: Operation) =>
    rule.countsUntil(isConfirmed(operation) ? operation.claimedAt : now());
  const sumOf = (shares: Shares) => shares.reduce((sum, { trx }) => sum.plus(trx), new BigNumber(0));

  /** Splits the current shares into the operation's own one and those of others. */
  function split(before: Shares | undefined, of: Operation) {
    const name = nameOf(of);
    const shares = current(before);
    const own = shares.find(({ operation }) => operation === name);
    return { name, shares, own, others: shares.filter(({ operation }) => operation !== name) };
  }

  return {
    /** Returns the limit, in TRX (decimal). */
    limit: rule.limit,
    /** Returns the reserved part of the limit, in TRX (decimal). */
    reserved: async (account: number) => formatTrx(sumOf(current(await records.get({ account })))),
    /** Returns the part of the limit that is left now, in TRX (decimal). */
    async remaining(account: number): Promise<string> {
      const [limit, shares] = await Promise.all([rule.limit(), records.get({ account })]);
      return formatTrx(BigNumber.max(new BigNumber(limit).minus(sumOf(current(shares))), 0));
    },
    /** Reserves the operation's share, once. Returns whether the limit allows it. */
    async reserve(operation: Operation, until: 'decided' | 'sent'): Promise<boolean> {
      const { account, expiresAt } = operation;
      const trx = rule.shareOf(operation);
      const end = endOf(operation);
      const endsAt = until === 'decided' ? Math.min(expiresAt + COMMIT_MS, end) : end;
      const limit = await rule.limit();
      let isReserved = false;
      await records.update({ account }, (before) => {
        const { name, shares, own, others } = split(before, operation);
        isReserved = trx !== undefined && new BigNumber(limit).minus(sumOf(others)).gte(trx);
        if (trx === undefined || !isReserved) return shares;
        // Never ends the reservation earlier than before: the request may have been sent.
        return current([...others, { operation: name, trx, until: Math.max(own?.until ?? 0, endsAt) }]);
      });
      return isReserved;
    },
    /** Sets the share to what was finally spent. Releases it after a refusal or a refund. */
    async settle(operation: Operation): Promise<void> {
      const trx = rule.finalShareOf(operation);
      if (trx === undefined) return;
      await records.update({ account: operation.account }, (before) => {
        const { name, others } = split(before, operation);
        if (trx === 'nothing') return others;
        // Adds the share even if it was released before, because a later reply may contradict a manual resolution.
        return current([...others, { operation: name, trx, until: endOf(operation) }]);
      });
    },
  };
}

/** Creates the limit on withdrawals from an account without two-factor codes within 24 hours. `trx`: decimal. */
export function createWithdrawalCap(deps: CapDeps, trx: string): DailyCap {
  const { kinds } = deps;
  return createDailyCap(deps, {
    record: WITHDRAWN,
    limit: async () => trx,
    shareOf: ({ request }) => kinds.of(request).withdrawalAmount?.(request) ?? '0',
    finalShareOf(operation) {
      const { request, state } = operation;
      const { withdrawalAmount, needsCode } = kinds.of(request);
      if (withdrawalAmount === undefined || needsCode?.(request)) return undefined;
      if (state === 'refused') return 'nothing';
      if (state !== 'done') return undefined;
      return operation.result.status === 'failed' ? 'nothing' : withdrawalAmount(request);
    },
    countsUntil: (at) => at + DAY_MS,
  });
}

/**
 * Creates the limit on what all admins together spend from the operator account in a day. The day ends at midnight UTC.
 * `limit` returns it in TRX (decimal).
 */
export function createOperatorCap(deps: CapDeps, limit: () => Promise<string>): DailyCap {
  const { kinds } = deps;
  return createDailyCap(deps, {
    record: OPERATOR_SPENT,
    limit,
    shareOf: ({ request, estimate }) => (kinds.of(request).isFree?.(request) ? '0' : estimate),
    finalShareOf(operation) {
      if (!operation.usesOperatorAccount) return undefined;
      if (operation.state === 'refused') return 'nothing';
      return operation.state === 'done' ? operation.result.price : undefined;
    },
    countsUntil: (at) => (Math.floor(at / DAY_MS) + 1) * DAY_MS,
  });
}

/** TTL, for clean-up only. */
const COMPLETED_ONCE_TTL_MS = 365 * DAY_MS;

const COMPLETED_ONCE = {
  keys: 'completed-once:mark',
  content: 'An address is active',
  expiry: '1 year',
  retained: { elsewhere: 'kept-account' },
} as const satisfies StoredData;

/** Requests that succeed only once, such as an activation, and have succeeded. Prevents a second charge. */
export type CompletedOnce = ReturnType<typeof createCompletedOnce>;

export function createCompletedOnce({ storage, kinds }: { storage: Storage; kinds: Kinds }) {
  const keyOfRequest = (request: OperationRequest) => {
    const mark = kinds.of(request).once?.mark(request);
    return mark && keyOf(COMPLETED_ONCE.keys, { mark });
  };
  return {
    async has(request: OperationRequest): Promise<boolean> {
      const key = keyOfRequest(request);
      return key !== undefined && (await storage.get(key)) !== undefined;
    },
    async markCompleted(request: OperationRequest): Promise<void> {
      const key = keyOfRequest(request);
      if (key !== undefined) await storage.set(key, '', { ttlMs: COMPLETED_ONCE_TTL_MS });
    },
  };
}

const COOLDOWN = defineRecord({
  keys: 'cooldown:account:kind',
  content: 'When the account last withdrew',
  schema: z.object({
    /** Start and duration, in milliseconds. */
    at: z.number(),
    durationMs: z.number(),
  }),
  ttlMs: ({ durationMs }) => durationMs,
  expiry: '1 minute',
  signed: false,
  retained: { elsewhere: 'kept-limits' },
});

type CooldownSubject = Pick<Operation, 'account' | 'request'>;

/** Cooldowns after a request of a kind, failed ones included (specification, section 8). */
export type Cooldowns = ReturnType<typeof createCooldowns>;

export function createCooldowns({ records, kinds, now }: CapDeps) {
  const cooldowns = records.store(COOLDOWN);
  const refOfSubject = ({ account, request: { kind } }: CooldownSubject) => ({ account, kind });
  const durationOf = ({ request }: CooldownSubject) => kinds.of(request).cooldownMs ?? 0;
  async function begin(subject: CooldownSubject): Promise<void> {
    const durationMs = durationOf(subject);
    if (durationMs > 0) await cooldowns.set(refOfSubject(subject), { at: now(), durationMs });
  }
  return {
    /** Returns the milliseconds until the account may send such a request again, or 0. */
    async remainingMs(subject: CooldownSubject): Promise<number> {
      const durationMs = durationOf(subject);
      if (durationMs === 0) return 0;
      const begun = await cooldowns.get(refOfSubject(subject));
      if (begun === undefined) return 0;
      const startedAt = Math.min(begun.at, now());
      // The clock was set back since: the cooldown begins anew, so that it ends.
      if (startedAt < begun.at) await begin(subject);
      return Math.max(0, startedAt + durationMs - now());
    },
    /** Starts the cooldown. Call right before the request. */
    begin,
  };
}

/** TTL of a lock, in milliseconds. Long enough for the service to show the outcome of a lost reply. */
const LOCK_TTL_MS = 10 * 60_000;

const TARGET_LOCK = {
  keys: 'target-lock:account:target',
  content: 'Lock: one change of a subscription, or one withdrawal, at a time',
  expiry: '10 minutes',
  retained: { elsewhere: 'kept-under-way' },
} as const satisfies StoredData;

/** Creates the locks on targets that two operations of an account must not change at once, whatever their users. */
export function createTargetLocks({ storage, kinds }: { storage: Storage; kinds: Kinds }) {
  const keyOfLock = ({ account, request }: Operation) => {
    const target = kinds.of(request).listing?.lock(request);
    return target === undefined ? undefined : keyOf(TARGET_LOCK.keys, { account, target });
  };
  return {
    /** Returns whether the operation got the lock. A lock that isn't released expires after ten minutes. */
    async acquire(operation: Operation): Promise<boolean> {
      const key = keyOfLock(operation);
      if (key === undefined || (await storage.add(key, nameOf(operation), { ttlMs: LOCK_TTL_MS })))
        return true;
      const holder = await storage.get(key);
      if (holder !== undefined) await storage.limitTtl(key, holder, LOCK_TTL_MS);
      return false;
    },
    async release(operation: Operation): Promise<void> {
      const key = keyOfLock(operation);
      if (key !== undefined) await storage.delete(key, nameOf(operation));
    },
  };
}

/** Everything that this file stores. */
export const LIMIT_DATA: readonly StoredData[] = [
  TARGET_LOCK,
  COOLDOWN,
  WITHDRAWN,
  OPERATOR_SPENT,
  COMPLETED_ONCE,
];
