import { z } from 'zod';
import type { AccountKey } from '../accounts/account-keys.ts';
import { readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Outcome } from '../rental-api/http.ts';

/** Result of a poll: the names of known items, and whether something was new. */
export interface Found {
  known: readonly string[];
  hasChanged: boolean;
  /** Delay until the next poll, in milliseconds, if some items must be read again soon. */
  againMs?: number;
  /** Maximum interval of regular polls, in milliseconds. */
  withinMs?: number;
}

/** State of a poll target before a poll. `known` is `undefined` at the first poll. */
export interface LookedBefore {
  account: number;
  /** Epoch milliseconds: earlier items cause no notification. */
  since: number;
  /** Epoch milliseconds of the previous poll. Remains the same until the result of this one is stored. */
  at: number;
  known: readonly string[] | undefined;
}

/**
 * Poller of one resource of an account. To add one, add its name to `LOOK_NAMES` and the poller to
 * `createAccountLooks`.
 */
export interface Look {
  name: PollTarget;
  /** Returns whether any user needs the result. If not, the service isn't polled. */
  isWanted?(account: number): Promise<boolean>;
  /** The response names its account, so the key needn't be checked before. */
  namesAccount?: true;
  /** Polls the service and sends notifications about new items. Safe to repeat: each notification is sent once. */
  look(rental: Rental, apiKey: string, before: LookedBefore): Promise<Outcome<Found>>;
}

export const LOOK_NAMES = ['deposits', 'withdrawals', 'log', 'balance'] as const;
export type PollTarget = (typeof LOOK_NAMES)[number];

/** Maximum number of items read from a list, and of names remembered for it. */
export const MAX_KNOWN = 1_000;
/** Maximum difference between the service's clock and the local one, in milliseconds. */
export const SKEW_MS = 60_000;

interface Dated {
  id?: number | undefined;
  created_at?: string | undefined;
}

/**
 * Gives the newest items of a list unique names, oldest first, and returns the items that aren't known. Known names
 * stay known even if the list doesn't contain them: a response may be incomplete or empty.
 */
export function unknownOf<Item extends Dated>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  known: readonly string[] = [],
): { known: string[]; fresh: { name: string; item: Item }[] } {
  const counts = new Map<string, number>();
  const inOrder = items.toSorted((one, other) => timeOf(one) - timeOf(other) || idOf(one) - idOf(other));
  const named = inOrder.map((item) => {
    const base = nameOf(item);
    const count = counts.get(base) ?? 0;
    counts.set(base, count + 1);
    return { name: count === 0 ? base : `${base}#${count}`, item };
  });
  const newest = named.slice(-MAX_KNOWN);
  const [present, before] = [new Set(newest.map(({ name }) => name)), new Set(known)];
  return {
    known: [...present, ...known.filter((name) => !present.has(name))].slice(0, MAX_KNOWN),
    fresh: newest.filter(({ name }) => !before.has(name)),
  };
}

/** Returns whether an item is from after the link. Items without a date count as such from the second poll on. */
export function isSince({ created_at: at }: Dated, { since, known }: LookedBefore): boolean {
  return at === undefined ? known !== undefined : Date.parse(at) >= since - SKEW_MS;
}

function timeOf({ created_at: at }: Dated): number {
  return at === undefined ? 0 : Date.parse(at);
}

function idOf({ id = 0 }: Dated): number {
  return id;
}

/** Poll target: one resource of one account. */
export interface LookRef {
  account: number;
  name: PollTarget;
}

/** `expected`: a change is expected. `busy`: changed lately. `quiet`: everything else. */
type Lane = 'expected' | 'busy' | 'quiet';

const MAX_HURRIED = 200_000;
const HURRIED_BATCH = 500;
const LANES: readonly Lane[] = ['expected', 'busy', 'quiet'];

/** Due queue of poll targets, shared by all replicas. Delays count from the storage's clock. */
export interface Lanes {
  /** Adds a target, or moves it forward if it is due later than in `ms`. */
  enter(ref: LookRef, ms: number): Promise<void>;
  /** Leases a due target for `ms`. If its replica crashes, the target comes due again. Clears its expectation. */
  take(ref: LookRef, ms: number): Promise<void>;
  /** Sets the next regular poll and keeps an expectation. */
  scheduleIn(lane: 'busy' | 'quiet', ref: LookRef, ms: number): Promise<void>;
  /** Marks a change as expected within `ms`. Never delays an earlier expectation. */
  expect(ref: LookRef, ms: number): Promise<void>;
  leave(ref: LookRef): Promise<unknown>;
  /**
   * Returns due targets: expected ones first, then busy ones, then quiet ones. A tenth of `limit` is reserved for quiet
   * ones.
   */
  due(limit: number): Promise<{ ref: LookRef; isExpected: boolean }[]>;
  /** Makes all targets of this name due, busy ones first. */
  hurry(name: PollTarget): Promise<void>;
}

export function createPollSchedule({ storage }: { storage: Pick<Storage, 'index'> }): Lanes {
  const { index } = storage;
  const indexOf = (lane: Lane) => `looks:${lane}`;
  const removeEverywhere = (member: string) =>
    Promise.all(LANES.map((lane) => index.remove(indexOf(lane), member)));
  return {
    async take(ref, ms) {
      await index.move(indexOf('busy'), [indexOf('quiet'), indexOf('expected')], memberOf(ref), ms);
    },
    async scheduleIn(lane, ref, ms) {
      await index.move(indexOf(lane), [indexOf(lane === 'busy' ? 'quiet' : 'busy')], memberOf(ref), ms);
    },
    enter: (ref, ms) => index.scheduleNoLaterThan(indexOf('busy'), memberOf(ref), ms),
    expect: (ref, ms) => index.scheduleNoLaterThan(indexOf('expected'), memberOf(ref), ms),
    leave: (ref) => removeEverywhere(memberOf(ref)),
    async due(limit) {
      const [expected = [], busy = [], quiet = []] = await Promise.all(
        LANES.map((lane) => index.due(indexOf(lane), limit)),
      );
      const kept = Math.min(quiet.length, Math.ceil(limit / 10));
      const first = [...new Set([...expected, ...busy])].slice(0, limit - kept);
      const names = new Set([...first, ...quiet.slice(0, limit - first.length)]);
      const refs = [...names].map((name) => ({ name, ref: refOfMember(name) }));
      const isExpected = new Set(expected);
      // Malformed members would stay due forever and block the queue.
      const odd = refs.filter(({ ref }) => ref === undefined).map(({ name }) => name);
      await Promise.all(odd.map(removeEverywhere));
      return refs.flatMap(({ name, ref }) => (ref ? [{ ref, isExpected: isExpected.has(name) }] : []));
    },
    async hurry(name) {
      for (const lane of ['busy', 'quiet'] as const) {
        const all = await index.upTo(indexOf(lane), Number.MAX_VALUE, MAX_HURRIED);
        const members = all.filter((one) => refOfMember(one)?.name === name);
        for (let from = 0; from < members.length; from += HURRIED_BATCH) {
          const some = members.slice(from, from + HURRIED_BATCH);
          await Promise.all(some.map((member) => index.scheduleNoLaterThan(indexOf(lane), member, 0)));
        }
      }
    },
  };
}

export function memberOf({ account, name }: LookRef): string {
  return `${account}/${name}`;
}

export function refOfMember(text: string): LookRef | undefined {
  const [account, rest] = text.split('/');
  const name = LOOK_NAMES.find((one) => one === rest);
  const ref = name && { account: Number(account), name };
  // Other spellings of the same target could never be removed.
  return ref && Number.isSafeInteger(ref.account) && memberOf(ref) === text ? ref : undefined;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Intervals of regular polls, in milliseconds, by the number of polls without news. The last one repeats. */
const REGULAR_MS = [
  ...[MINUTE, MINUTE, MINUTE, 2 * MINUTE, 2 * MINUTE, 5 * MINUTE, 5 * MINUTE],
  ...[10 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR],
];
/** Number of polls without news from which on a target counts as quiet. */
const BUSY = 5;
/**
 * Delays until the next poll for an expected change, in milliseconds. The list may show the change later than its
 * event.
 */
const AWAITED_MS = [SECOND, 2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE];
/** Retry delays after failed polls, in milliseconds. Refused polls are retried at the regular intervals. */
const FAILED_MS = [2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE];
/** Poll interval while no user needs the result, in milliseconds. Setting a threshold polls at once. */
export const UNWANTED_MS = 6 * HOUR;

/**
 * Expectation of a change before a poll. `none`: no change expected by this process. `new`: first poll for the change.
 * `still`: an earlier poll didn't show it.
 */
export type Hint = 'none' | 'new' | 'still';

interface NextPoll {
  looked: Looked;
  lane: 'busy' | 'quiet';
  inMs: number;
  /** Delay until the next poll for a change that is still expected, in milliseconds. */
  expectMs?: number;
}

/**
 * Returns when to poll next, and the state to store. `found` is `undefined` if no key opens the account at the moment.
 */
export function nextPoll(
  before: Looked,
  { found, hint, now }: { found: Outcome<Found> | undefined; hint: Hint; now: number },
): NextPoll {
  if (found?.kind !== 'accepted') {
    const failed = before.failed + 1;
    const refused = found === undefined || (found.kind === 'rejected' && found.retryAfterMs === undefined);
    const inMs = Math.max(retryAfter(found), pace(refused ? REGULAR_MS : FAILED_MS, failed - 1));
    return {
      ...{ looked: { ...before, failed }, lane: refused ? 'quiet' : 'busy', inMs },
      ...(hint !== 'none' && !refused && { expectMs: inMs }),
    };
  }
  const { known, hasChanged, againMs, withinMs = Number.POSITIVE_INFINITY } = found.value;
  const isAwaited = !hasChanged && (hint !== 'none' || before.awaited > 0);
  const awaited = hint === 'new' ? 0 : before.awaited;
  const awaitMs = isAwaited ? AWAITED_MS[awaited] : undefined;
  // Further changes are likely to follow soon.
  const quiet = hasChanged || isAwaited ? 0 : before.quiet + 1;
  const expectMs = Math.min(againMs ?? Number.POSITIVE_INFINITY, awaitMs ?? Number.POSITIVE_INFINITY);
  const isExpected = Number.isFinite(expectMs);
  return {
    looked: {
      ...{ since: before.since, at: now, known: [...known], quiet, failed: 0 },
      awaited: awaitMs === undefined ? 0 : awaited + 1,
    },
    lane: quiet < BUSY ? 'busy' : 'quiet',
    inMs: Math.max(Math.min(pace(REGULAR_MS, Math.max(0, quiet - 1)), withinMs), isExpected ? expectMs : 0),
    ...(isExpected && { expectMs }),
  };
}

function pace(steps: readonly number[], count: number): number {
  return steps[Math.min(count, steps.length - 1)] ?? MINUTE;
}

function retryAfter(found: Outcome<Found> | undefined): number {
  return found !== undefined && 'retryAfterMs' in found ? (found.retryAfterMs ?? 0) : 0;
}

/** TTL of a poll state, in milliseconds. Longer than the longest poll interval. */
const TTL_MS = 40 * 24 * 3600_000;

/** Maximum age of items that cause notifications at the first poll, in milliseconds, however old the link is. */
const AT_MOST_MS = 24 * 3_600_000;

const lookedSchema = z.object({
  /** Epoch milliseconds: earlier items cause no notification. */
  since: z.number(),
  /** Epoch milliseconds of the latest poll. */
  at: z.number(),
  known: z.array(z.string()).optional(),
  /** Consecutive polls: without news (`quiet`), without the expected change (`awaited`), failed (`failed`). */
  quiet: z.number(),
  awaited: z.number(),
  failed: z.number(),
});

export type Looked = z.infer<typeof lookedSchema>;

/** Stored state of poll targets. Affects only which notifications are sent. */
export interface LookedStore {
  read(ref: LookRef): Promise<Looked | undefined>;
  write(ref: LookRef, looked: Looked): Promise<void>;
  forget(ref: LookRef): Promise<void>;
}

export function createLookedStore({
  storage,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'delete'>;
}): LookedStore {
  const keyOf = (ref: LookRef) => `looked:${memberOf(ref).replace('/', ':')}`;
  const lifetime = { ttlMs: TTL_MS };
  return {
    read: async (ref) => readJson(lookedSchema, await storage.get(keyOf(ref))),
    write: (ref, looked) => storage.set(keyOf(ref), JSON.stringify(looked), lifetime),
    forget: (ref) => storage.delete(keyOf(ref)),
  };
}

/**
 * Returns the state before a poll. It starts anew if none is stored, or if all holders have linked the account since
 * the latest poll.
 */
export function knownOf(key: AccountKey, looked: Looked | undefined, now: number): Looked {
  const linkedAt = (key.kind === 'key' ? key.since : undefined) ?? Number.NEGATIVE_INFINITY;
  if (looked !== undefined && linkedAt <= looked.at) return looked;
  const since = linkedAt === Number.NEGATIVE_INFINITY ? now : Math.max(linkedAt, now - AT_MOST_MS);
  return { since, at: since, quiet: 0, awaited: 0, failed: 0 };
}
