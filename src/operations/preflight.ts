// Preflight: all checks between a claim and its request, with the cooldowns and locks that they need.

import { z } from 'zod';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Operator } from '../accounts/operator.ts';
import { readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import { OPERATORS } from '../rental-api/operator-invoices.ts';
import type { OperationKind, OperationRequest } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { DailyCap } from './limits.ts';
import type { Operation, Refusal } from './operation.ts';
import { refusalOf } from './transitions.ts';

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
   * missing if `account` is `OPERATORS`.
   */
  apiKey?: string;
  balance?: string;
  /** Ids on the service's list that the request is about. */
  listed?: number[];
  /** One-time code. It is never stored. */
  code?: string;
}

type Paying = Prepared & { apiKey: string; balance: string };

export interface PrepareDeps {
  kinds: Kinds;
  locks: Locks;
  alreadyDone: AlreadyDone;
  rests: Rests;
  announced: Pick<AnnouncedAddresses, 'take'>;
  dailyCap: Pick<DailyCap, 'take'>;
  /** Limit on what admins spend from the operator account. */
  operatorCap: Pick<DailyCap, 'take'>;
  operator: Pick<Operator, 'owns' | 'isKey'>;
  rental: Rental;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /**
   * Returns why the operation may not use the operator account now, or `undefined`. Counts the operation towards the
   * limits.
   */
  admit: (operation: Operation) => Promise<Refusal | undefined>;
  now: () => number;
}

/** Creates the preflight: all checks that can still refuse an operation before its request is sent. Safe to repeat. */
export function createPrepare(
  deps: PrepareDeps,
): (operation: Operation, code: string | undefined) => Promise<Prepared | Refusal> {
  const { kinds, locks, alreadyDone, rests, announced, dailyCap, operatorCap, operator, rental, now } = deps;
  const isWithCode = ({ request }: Operation) => kinds.of(request).needsCode?.(request) === true;

  /** Locks the target of the request, and checks on the service's list that the request still makes sense. */
  async function prepareListed(operation: Operation, prepared: Paying): Promise<Prepared | Refusal> {
    const { listing } = kinds.of(operation.request);
    if (listing === undefined) return prepared;
    if (!(await locks.take(operation))) return refusal('locked');
    const listed = await listing.read(rental, prepared.apiKey);
    if (listed.kind !== 'accepted') return refusalOf(listed);
    const obstacle = listing.obstacle(operation.request, listed.value);
    return obstacle ? refusal(obstacle) : { ...prepared, listed: listed.value.map(({ id }) => id) };
  }

  /** Checks what replaces the one-time code of an account without 2FA: an announced address and a daily limit. */
  async function withoutCode(operation: Operation): Promise<Refusal | undefined> {
    const { user, account, request } = operation;
    const asked = { user, account, address: kinds.of(request).target(request) };
    if (!(await dailyCap.take(operation, 'sent'))) return refusal('cap');
    // This check is the last one. An account holder who strikes out the address later is notified that it may be too
    // late.
    const standing = await announced.take(asked);
    if (standing === 'ripe') return undefined;
    return refusal(standing === 'struck' ? 'struck' : 'unannounced');
  }

  /** Runs the remaining checks of an operation that is charged to an account: balance, cooldown, list and limits. */
  async function prepareOut(operation: Operation, prepared: Paying): Promise<Prepared | Refusal> {
    const { request, account, balance: shown } = operation;
    const kind = kinds.of(request);
    if (kind.takesOut) {
      const isOperators = await operator.owns(account);
      if (isOperators !== false) return refusal(isOperators ? 'operator' : 'offline');
    }
    const obstacle = kind.balanceObstacle?.(request, { shown, now: prepared.balance });
    if (obstacle) return refusal(obstacle);
    const restMs = await rests.left(operation);
    if (restMs > 0) return { ...refusal('limited'), seconds: Math.ceil(restMs / 1000) };
    const listed = await prepareListed(operation, prepared);
    if ('reason' in listed) return listed;
    const isOpen = kind.takesOut !== undefined && !isWithCode(operation);
    const why = isOpen ? await withoutCode(operation) : undefined;
    if (why) return why;
    if (operation.operators && !(await operatorCap.take(operation, 'sent'))) return refusal('operator-cap');
    await rests.begin(operation);
    return listed;
  }

  /** Checks an operation on the operator account. It is charged nothing, but limits apply. */
  async function asOperator(operation: Operation): Promise<Prepared | Refusal> {
    return (await deps.admit(operation)) ?? {};
  }

  return async (operation, code) => {
    const { user, account, request, claimedAt = 0 } = operation;
    const needsCode = isWithCode(operation);
    if (now() - claimedAt > STALE_MS) return refusal('expired');
    const [isDone, apiKey] = await Promise.all([alreadyDone.isDone(request), deps.apiKey(user, account)]);
    if (isDone) return refusal('already');
    if (account === OPERATORS) return asOperator(operation);
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
    const isOut = kinds.of(request).takesOut !== undefined;
    if (isOut && needsCode !== profile.value.totp_enabled)
      return refusal(needsCode ? 'codes-off' : 'codes-on');
    const prepared = { apiKey, balance: profile.value.balance_trx, ...(code !== undefined && { code }) };
    return prepareOut(operation, prepared);
  };
}

/** Returns why a request is never allowed on the operator account, or `undefined`. */
export function neverOnOperators(
  kind: Pick<OperationKind, 'takesOut' | 'isOngoing'>,
  request: OperationRequest,
): 'operator' | 'operator-ongoing' | undefined {
  if (kind.takesOut) return 'operator';
  return kind.isOngoing?.(request) ? 'operator-ongoing' : undefined;
}

function refusal(reason: Refusal['reason']): Refusal {
  return { reason, code: reason.toUpperCase(), seconds: 0 };
}

/** TTL, for clean-up only. */
const TTL_MS = 365 * 24 * 3600_000;

/**
 * Requests that succeed only once, and have succeeded, such as the activation of an address. Prevents a second charge.
 */
export interface AlreadyDone {
  isDone(request: OperationRequest): Promise<boolean>;
  remember(request: OperationRequest): Promise<void>;
}

export function createAlreadyDone({ storage, kinds }: { storage: Storage; kinds: Kinds }): AlreadyDone {
  const keyOf = (request: OperationRequest) => {
    const mark = kinds.of(request).once?.mark(request);
    return mark && `already-done:${mark}`;
  };
  return {
    async isDone(request) {
      const key = keyOf(request);
      return key !== undefined && (await storage.get(key)) !== undefined;
    },
    async remember(request) {
      const key = keyOf(request);
      if (key !== undefined) await storage.set(key, '', { ttlMs: TTL_MS });
    },
  };
}

const sentSchema = z.object({ at: z.number() });

type Asked = Pick<Operation, 'account' | 'request'>;

/** Cooldowns after a request of a kind, failed ones included (specification, section 8). */
export interface Rests {
  /** Returns the milliseconds until the account may send such a request again, or 0. */
  left(asked: Asked): Promise<number>;
  /** Starts the cooldown. Call right before the request. */
  begin(asked: Asked): Promise<void>;
}

export function createRests({
  storage,
  kinds,
  now,
}: {
  storage: Pick<Storage, 'get' | 'set'>;
  kinds: Kinds;
  now: () => number;
}): Rests {
  const keyOf = ({ account, request }: Asked) => `rests:${account}:${request.kind}`;
  const restOf = ({ request }: Asked) => kinds.of(request).restMs ?? 0;
  return {
    async left(asked) {
      const rest = restOf(asked);
      if (rest === 0) return 0;
      const sent = readJson(sentSchema, await storage.get(keyOf(asked)));
      return sent === undefined ? 0 : Math.min(rest, Math.max(0, sent.at + rest - now()));
    },
    async begin(asked) {
      const rest = restOf(asked);
      if (rest > 0) await storage.set(keyOf(asked), JSON.stringify({ at: now() }), { ttlMs: rest });
    },
  };
}

/**
 * TTL of a lock, in milliseconds. Longer than a request may take, and long enough for the service to show the outcome
 * of a lost reply.
 */
const LOCKED_MS = 10 * 60_000;

/** Locks on targets that two operations of an account must not change at once, even those of different users. */
export interface Locks {
  /** Returns whether the operation got the lock. A lock that isn't released expires after ten minutes. */
  take(operation: Operation): Promise<boolean>;
  release(operation: Operation): Promise<void>;
}

export function createLocks({ storage, kinds }: { storage: Storage; kinds: Kinds }): Locks {
  const keyOf = ({ account, request }: Operation) => {
    const name = kinds.of(request).listing?.lock(request);
    return name === undefined ? undefined : `locked:${account}:${name}`;
  };
  const holder = ({ user, id }: Operation) => `${user}/${id}`;
  return {
    async take(operation) {
      const key = keyOf(operation);
      return key === undefined || storage.add(key, holder(operation), { ttlMs: LOCKED_MS });
    },
    async release(operation) {
      const key = keyOf(operation);
      if (key !== undefined) await storage.delete(key, holder(operation));
    },
  };
}
