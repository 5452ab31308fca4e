// Preflight: all checks between a claim and its request, with the cooldowns and locks that they need.

import { z } from 'zod';
import type { AddressAnnouncements } from '../accounts/address-announcements.ts';
import type { Operator } from '../accounts/operator.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import type { Rental } from '../rental-api/client.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import type { OperationKind, OperationRequest } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { DailyCap } from './limits.ts';
import type { Operation, Refusal } from './operation.ts';
import { refusalOf } from './operation.ts';

/**
 * Maximum age of a claim when its request is sent, in milliseconds. After that, the user may no longer want it. Clock
 * differences of seconds between replicas only shift this limit: they never cause a second request.
 */
const STALE_MS = 5 * 60_000;

/**
 * Maximum age of a one-time code, in milliseconds. Codes change twice a minute, and the service would refuse an older
 * one.
 */
const CODE_TTL_MS = 60_000;

/** Data that the preflight collects for the request. */
export interface Prepared {
  /**
   * API key and balance of the paying account. The balance is in TRX (decimal), for a later comparison. Both are
   * missing if `account` is `OPERATOR_ACCOUNT`.
   */
  apiKey?: string;
  balance?: string;
  /** Ids on the service's list that the request is about. */
  listed?: number[];
  /** One-time code. It is never stored. */
  code?: string;
}

type Paying = Prepared & { apiKey: string; balance: string };

export interface PreflightDeps {
  kinds: Kinds;
  locks: TargetLocks;
  completedOnce: CompletedOnce;
  cooldowns: Cooldowns;
  addressAnnouncements: Pick<AddressAnnouncements, 'reserve'>;
  dailyCap: Pick<DailyCap, 'reserve'>;
  /** Limit on what admins spend from the operator account. */
  operatorCap: Pick<DailyCap, 'reserve'>;
  operator: Pick<Operator, 'owns' | 'isKey'>;
  rental: Rental;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /**
   * Returns why the operation may not use the operator account now, or `undefined`. Counts the operation towards the
   * limits.
   */
  applyGuestLimits: (operation: Operation) => Promise<Refusal | undefined>;
  now: () => number;
}

/** Creates the preflight: all checks that can still refuse an operation before its request is sent. Safe to repeat. */
export function createPreflight(
  deps: PreflightDeps,
): (operation: Operation, code: string | undefined) => Promise<Prepared | Refusal> {
  const {
    kinds,
    locks,
    completedOnce,
    cooldowns,
    addressAnnouncements,
    dailyCap,
    operatorCap,
    operator,
    rental,
    now,
  } = deps;
  const needsOneTimeCode = ({ request }: Operation) => kinds.of(request).needsCode?.(request) === true;

  /** Locks the target of the request, and checks on the service's list that the request still makes sense. */
  async function checkListing(operation: Operation, prepared: Paying): Promise<Prepared | Refusal> {
    const { listing } = kinds.of(operation.request);
    if (listing === undefined) return prepared;
    if (!(await locks.acquire(operation))) return refusal('locked');
    const listed = await listing.read(rental, prepared.apiKey);
    if (listed.kind !== 'accepted') return refusalOf(listed);
    const obstacle = listing.obstacle(operation.request, listed.value);
    return obstacle ? refusal(obstacle) : { ...prepared, listed: listed.value.map(({ id }) => id) };
  }

  /** Checks what replaces the one-time code of an account without 2FA: an announced address and a daily limit. */
  async function checkWithoutCode(operation: Operation): Promise<Refusal | undefined> {
    const { user, account, request } = operation;
    const asked = { user, account, address: kinds.of(request).target(request) };
    if (!(await dailyCap.reserve(operation, 'sent'))) return refusal('cap');
    // This check is the last one. An account holder who strikes out the address later is notified that it may be too
    // late.
    const standing = await addressAnnouncements.reserve(asked);
    if (standing === 'usable') return undefined;
    return refusal(standing === 'cancelled' ? 'struck' : 'unannounced');
  }

  /** Runs the remaining checks of an operation that is charged to an account: balance, cooldown, list and limits. */
  async function checkCharged(operation: Operation, prepared: Paying): Promise<Prepared | Refusal> {
    const { request, account, balance: shown } = operation;
    const kind = kinds.of(request);
    if (kind.withdrawalAmount) {
      const isOperators = await operator.owns(account);
      if (isOperators !== false) return refusal(isOperators ? 'operator' : 'offline');
    }
    const obstacle = kind.balanceObstacle?.(request, { shown, now: prepared.balance });
    if (obstacle) return refusal(obstacle);
    const cooldownMs = await cooldowns.remainingMs(operation);
    if (cooldownMs > 0) return { ...refusal('limited'), seconds: Math.ceil(cooldownMs / 1000) };
    const listed = await checkListing(operation, prepared);
    if ('reason' in listed) return listed;
    const isOpen = kind.withdrawalAmount !== undefined && !needsOneTimeCode(operation);
    const obstacleWithoutCode = isOpen ? await checkWithoutCode(operation) : undefined;
    if (obstacleWithoutCode) return obstacleWithoutCode;
    if (operation.operators && !(await operatorCap.reserve(operation, 'sent')))
      return refusal('operator-cap');
    await cooldowns.begin(operation);
    return listed;
  }

  /** Checks an operation on the operator account. It is charged nothing, but limits apply. */
  async function asOperator(operation: Operation): Promise<Prepared | Refusal> {
    return (await deps.applyGuestLimits(operation)) ?? {};
  }

  return async (operation, code) => {
    const { user, account, request, claimedAt = 0 } = operation;
    const needsCode = needsOneTimeCode(operation);
    if (now() - claimedAt > STALE_MS) return refusal('expired');
    const [isDone, apiKey] = await Promise.all([completedOnce.has(request), deps.apiKey(user, account)]);
    if (isDone) return refusal('already');
    if (account === OPERATOR_ACCOUNT) return asOperator(operation);
    // Also refused if a user's own link has become a reference to the operator account since, or vice versa.
    if (apiKey === undefined || operator.isKey(apiKey) !== (operation.operators === true))
      return refusal('unlinked');
    const never = operation.operators && neverOnOperators(kinds.of(request), request);
    if (never) return refusal(never);
    const isCodeFresh = code !== undefined && now() - claimedAt < CODE_TTL_MS;
    if (needsCode && !isCodeFresh) return refusal('code-gone');
    const profile = await rental.profile(apiKey);
    if (profile.kind !== 'accepted') return refusalOf(profile);
    if (profile.value.id !== account) return refusal('unlinked');
    // If 2FA was turned off since, a code would protect nothing. If it was turned on, the service requires a code that
    // the user wasn't asked for.
    const isOut = kinds.of(request).withdrawalAmount !== undefined;
    if (isOut && needsCode !== profile.value.totp_enabled)
      return refusal(needsCode ? 'codes-off' : 'codes-on');
    const prepared = { apiKey, balance: profile.value.balance_trx, ...(code !== undefined && { code }) };
    return checkCharged(operation, prepared);
  };
}

/** Returns why a request is never allowed on the operator account, or `undefined`. */
export function neverOnOperators(
  kind: Pick<OperationKind, 'withdrawalAmount' | 'causesOngoingCosts'>,
  request: OperationRequest,
): 'operator' | 'operator-ongoing' | undefined {
  if (kind.withdrawalAmount) return 'operator';
  return kind.causesOngoingCosts?.(request) ? 'operator-ongoing' : undefined;
}

function refusal(reason: Refusal['reason']): Refusal {
  return { reason, code: reason.toUpperCase(), seconds: 0 };
}

/** TTL, for clean-up only. */
const COMPLETED_ONCE_TTL_MS = 365 * 24 * 3600_000;

export const COMPLETED_ONCE = {
  keys: 'completed-once:mark',
  content: 'An address is active',
  expiry: '1 year',
  retained: { elsewhere: 'kept-account' },
} as const satisfies StoredData;

/**
 * Requests that succeed only once, and have succeeded, such as the activation of an address. Prevents a second charge.
 */
export interface CompletedOnce {
  has(request: OperationRequest): Promise<boolean>;
  add(request: OperationRequest): Promise<void>;
}

export function createCompletedOnce({ storage, kinds }: { storage: Storage; kinds: Kinds }): CompletedOnce {
  const keyOfRequest = (request: OperationRequest) => {
    const mark = kinds.of(request).once?.mark(request);
    return mark && keyOf(COMPLETED_ONCE.keys, { mark });
  };
  return {
    async has(request) {
      const key = keyOfRequest(request);
      return key !== undefined && (await storage.get(key)) !== undefined;
    },
    async add(request) {
      const key = keyOfRequest(request);
      if (key !== undefined) await storage.set(key, '', { ttlMs: COMPLETED_ONCE_TTL_MS });
    },
  };
}

export const COOLDOWN = defineRecord({
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
export interface Cooldowns {
  /** Returns the milliseconds until the account may send such a request again, or 0. */
  remainingMs(subject: CooldownSubject): Promise<number>;
  /** Starts the cooldown. Call right before the request. */
  begin(subject: CooldownSubject): Promise<void>;
}

export function createCooldowns({
  records,
  kinds,
  now,
}: {
  records: SignedRecords;
  kinds: Kinds;
  now: () => number;
}): Cooldowns {
  const cooldowns = records.store(COOLDOWN);
  const refOfSubject = ({ account, request: { kind } }: CooldownSubject) => ({ account, kind });
  const durationOf = ({ request }: CooldownSubject) => kinds.of(request).cooldownMs ?? 0;
  return {
    async remainingMs(subject) {
      const durationMs = durationOf(subject);
      if (durationMs === 0) return 0;
      const begun = await cooldowns.get(refOfSubject(subject));
      return begun === undefined ? 0 : Math.min(durationMs, Math.max(0, begun.at + durationMs - now()));
    },
    async begin(subject) {
      const durationMs = durationOf(subject);
      if (durationMs > 0) await cooldowns.set(refOfSubject(subject), { at: now(), durationMs });
    },
  };
}

/**
 * TTL of a lock, in milliseconds. Longer than a request may take, and long enough for the service to show the outcome
 * of a lost reply.
 */
const LOCK_TTL_MS = 10 * 60_000;

export const TARGET_LOCK = {
  keys: 'target-lock:account:target',
  content: 'Lock: one change of a subscription, or one withdrawal, at a time',
  expiry: '10 minutes',
  retained: { elsewhere: 'kept-under-way' },
} as const satisfies StoredData;

/** Locks on targets that two operations of an account must not change at once, even those of different users. */
export interface TargetLocks {
  /** Returns whether the operation got the lock. A lock that isn't released expires after ten minutes. */
  acquire(operation: Operation): Promise<boolean>;
  release(operation: Operation): Promise<void>;
}

export function createTargetLocks({ storage, kinds }: { storage: Storage; kinds: Kinds }): TargetLocks {
  const keyOfLock = ({ account, request }: Operation) => {
    const target = kinds.of(request).listing?.lock(request);
    return target === undefined ? undefined : keyOf(TARGET_LOCK.keys, { account, target });
  };
  const holderOf = ({ user, id }: Operation) => `${user}/${id}`;
  return {
    async acquire(operation) {
      const key = keyOfLock(operation);
      return key === undefined || storage.add(key, holderOf(operation), { ttlMs: LOCK_TTL_MS });
    },
    async release(operation) {
      const key = keyOfLock(operation);
      if (key !== undefined) await storage.delete(key, holderOf(operation));
    },
  };
}
