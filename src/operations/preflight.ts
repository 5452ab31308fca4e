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
 * A confirmation that could not be carried out for this long isn't what its user wants any more. Clocks of replicas
 * that differ by seconds only make it that much shorter or longer: nothing is sent twice by it.
 */
const STALE_MS = 5 * 60_000;

/** One-time codes change twice a minute: an older one would be refused. */
const CODE_TTL_MS = 60_000;

/** What is known right before the request. */
export interface Prepared {
  /** Of the account that pays, and its balance in TRX, decimal, to compare with later; not of the operator's. */
  apiKey?: string;
  balance?: string;
  /** By number, what is on the service's list that the request is about. */
  listed?: number[];
  /** The one-time code. It is stored nowhere. */
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
  /** What admins may spend of the operator's account. */
  operatorCap: Pick<DailyCap, 'take'>;
  operator: Pick<Operator, 'owns' | 'isKey'>;
  rental: Rental;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Why the operator's account isn't asked for it just now. What that counts is counted by this. */
  admit: (operation: Operation) => Promise<Refusal | undefined>;
  now: () => number;
}

/** Everything that can still say no before a byte is sent. Safe to repeat. */
export function createPrepare(
  deps: PrepareDeps,
): (operation: Operation, code: string | undefined) => Promise<Prepared | Refusal> {
  const { kinds, locks, alreadyDone, rests, announced, dailyCap, operatorCap, operator, rental, now } = deps;
  const isWithCode = ({ request }: Operation) => kinds.of(request).needsCode?.(request) === true;

  /** What the request is about is this operation's alone, and as it is right now it isn't done or gone already. */
  async function prepareListed(operation: Operation, prepared: Paying): Promise<Prepared | Refusal> {
    const { listing } = kinds.of(operation.request);
    if (listing === undefined) return prepared;
    if (!(await locks.take(operation))) return refusal('locked');
    const listed = await listing.read(rental, prepared.apiKey);
    if (listed.kind !== 'accepted') return refusalOf(listed);
    const obstacle = listing.obstacle(operation.request, listed.value);
    return obstacle ? refusal(obstacle) : { ...prepared, listed: listed.value.map(({ id }) => id) };
  }

  /** What stands in for the code of an account that has none: an announced address, and a day's cap. */
  async function withoutCode(operation: Operation): Promise<Refusal | undefined> {
    const { user, account, request } = operation;
    const asked = { user, account, address: kinds.of(request).target(request) };
    if (!(await dailyCap.take(operation, 'sent'))) return refusal('cap');
    // Last of all: whoever strikes it out after this is told that it may be too late.
    const standing = await announced.take(asked);
    if (standing === 'ripe') return undefined;
    return refusal(standing === 'struck' ? 'struck' : 'unannounced');
  }

  /** Money that leaves the service: what more there is to ask before. */
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

  /** On the operator's account nothing is charged, and not everything is let through. */
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
    // Also where a link of their own has become a reference since, or the other way round.
    if (apiKey === undefined || operator.isKey(apiKey) !== (operation.operators === true))
      return refusal('unlinked');
    const never = operation.operators && neverOnOperators(kinds.of(request), request);
    if (never) return refusal(never);
    const isCodeFresh = code !== undefined && now() - claimedAt < CODE_TTL_MS;
    if (needsCode && !isCodeFresh) return refusal('code-gone');
    const profile = await rental.profile(apiKey);
    if (profile.kind !== 'accepted') return refusalOf(profile);
    if (profile.value.id !== account) return refusal('unlinked');
    // Turned off meanwhile, the code would protect nothing; turned on, the service wants one that nobody asked for.
    const isOut = kinds.of(request).takesOut !== undefined;
    if (isOut && needsCode !== profile.value.totp_enabled)
      return refusal(needsCode ? 'codes-off' : 'codes-on');
    const prepared = { apiKey, balance: profile.value.balance_trx, ...(code !== undefined && { code }) };
    return prepareOut(operation, prepared);
  };
}

/** What is done with the operator's account by nobody in a chat. */
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

/** So long that nobody comes back to it; clean-up only. */
const KEPT_MS = 365 * 24 * 3600_000;

/** What succeeds once for all, and did: an address that is active. Nobody is charged for it again. */
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
      if (key !== undefined) await storage.set(key, '', { ttlMs: KEPT_MS });
    },
  };
}

const sentSchema = z.object({ at: z.number() });

type Asked = Pick<Operation, 'account' | 'request'>;

/** How long the service wants to be left alone after a request of a kind, wrong ones included (specification, section 8). */
export interface Rests {
  /** Milliseconds until the account may ask again; 0 where it may now. */
  left(asked: Asked): Promise<number>;
  /** A request of it is about to be sent. */
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

/** Longer than a request may take, and so long that one whose answer was lost shows what became of it. */
const LOCKED_MS = 10 * 60_000;

/** What two operations of an account must not change at once, whoever confirms them. */
export interface Locks {
  /** Answers whether it is this operation's now. One that nobody releases goes after ten minutes. */
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
