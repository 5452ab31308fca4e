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

/** What the keys of what left within the day begin with, and those of what admins spent of the operator's. */
export const WITHDRAWN = 'withdrawn:';
export const OPERATOR_SPENT = 'operator-spent:';

const takenSchema = z.array(z.object({ operation: z.string(), trx: z.string(), until: z.number() }));
type Taken = z.infer<typeof takenSchema>;

/** What a cap is for. Amounts are TRX, decimal. */
interface CapRule {
  /** What its keys begin with. */
  prefix: string;
  /** The most there is. */
  most(): Promise<string>;
  /** What an operation takes of it; `undefined` where its price isn't known: for that there is no room. */
  wants(operation: Operation): string | undefined;
  /** What it has taken in the end; `nothing` is given back. */
  took(operation: Operation): string | 'nothing' | undefined;
  /** Until when what leaves now counts, in epoch milliseconds. */
  countsUntil(now: number): number;
}

/**
 * The most that leaves an account within a day, whoever confirms it. An operation takes its part before its claim, for no
 * longer than it could still be claimed; and again, for as long as that counts, before its request. What may have left stays
 * taken; only what came to nothing is given back.
 */
export interface DailyCap {
  /** TRX, decimal. */
  most(): Promise<string>;
  /** TRX, decimal: what is left of it now, and what is taken. */
  left(account: number): Promise<string>;
  taken(account: number): Promise<string>;
  /** Answers whether there was room; asked again for the same operation, its part is the same. */
  take(operation: Operation, until: 'decided' | 'sent'): Promise<boolean>;
  /** What it has come to is what it took: nothing, where it was refused, or failed and was given back by the service. */
  settle(operation: Operation): Promise<void>;
}

export function createDailyCap(deps: {
  records: SignedRecords;
  rule: CapRule;
  /** How long after its card's end a claim may still be committed. */
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
        // Never for a shorter time than it has already: it may have been sent.
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
        // Also where it was given back before: what was decided by hand may turn out otherwise.
        const until = taken.find((one) => one.operation === name)?.until ?? rule.countsUntil(now());
        return [...others, { operation: name, trx: took, until }];
      });
    },
  };
}

/** The most that leaves an account without two-factor codes within 24 hours. `trx`: decimal. */
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

/** The most that admins together spend of the operator's account on a day, which ends at midnight UTC. */
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
/** Clocks of replicas may differ by this much. */
const SKEW_MS = 30_000;
/** As long as the latest of the operations that it names. */
const KEPT_MS = 90 * 24 * 3600_000;

interface Attempt {
  member: string;
  operation?: Operation;
  /** By another version of the app, perhaps: nobody knows what it did. */
  isUnreadable?: boolean;
}

/** The operations that were sent for one account lately: whatever one of them did could be taken for another's trace. */
export interface RecentAttempts {
  add(operation: Operation): Promise<void>;
  /** It is resolved, and was told. */
  resolved(operation: Operation): Promise<void>;
  /** Those that aren't resolved, however old; oldest first. */
  unresolvedOf(account: number): Promise<Operation[]>;
  /** Those of the last day, and older ones that aren't resolved; oldest first. */
  of(account: number): Promise<Operation[]>;
  /** Whether another operation may have moved the balance since this one was sent. */
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
  /** A part of the same: few of hundreds, and asked for with every card. */
  const openKey = (account: number) => `unresolved-of-account:${account}`;
  const memberOf = ({ user, id }: OperationRef) => `${user}/${id}`;

  /** The last ones, oldest first: of more than many it is the latest whose traces are looked for. */
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
    // One that isn't resolved stays, however old.
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
          storage.index.putIn(key, memberOf(operation), 0, { ttlMs: KEPT_MS }),
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
      // Among very many, one that matters may be missing: then nothing is concluded.
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

/** Those that aren't resolved, and those that are, or are gone. */
function partition(attempts: Attempt[]): [Attempt[], Attempt[]] {
  const isOpen = ({ operation, isUnreadable }: Attempt) =>
    isUnreadable === true || (operation !== undefined && isUnresolved(operation));
  return [attempts.filter(isOpen), attempts.filter((attempt) => !isOpen(attempt))];
}

/** The latest of the user's own among these that could be the same intention. */
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
