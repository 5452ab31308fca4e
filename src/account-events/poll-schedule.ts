import { z } from 'zod';
import type { AccountKey } from '../accounts/account-keys.ts';
import { readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Outcome } from '../rental-api/http.ts';

/** What a look found: what is known from now on, and whether something of it hadn't been seen before. */
export interface Found {
  known: readonly string[];
  hasChanged: boolean;
  /** Something of it is to be looked at again that soon, in milliseconds. */
  againMs?: number;
  /** Regularly it is looked at within this time, in milliseconds, however little there was to see. */
  withinMs?: number;
}

/** Since when an account is linked, and what of it is known already; nothing at its first look. */
export interface LookedBefore {
  account: number;
  /** Epoch milliseconds. */
  since: number;
  /** When it was looked at before, in epoch milliseconds: the same until this look has come to its end. */
  at: number;
  known: readonly string[] | undefined;
}

/**
 * Something of an account that is read to learn what has happened there. A further one is a file like `deposits.ts` and a
 * line in `account/account-looks.ts`.
 */
export interface Look {
  name: LookName;
  /** Whether anybody wants to know; nobody asks the service otherwise. */
  isWanted?(account: number): Promise<boolean>;
  /** What it reads says itself which account that is of: nobody has to ask for that before. */
  namesAccount?: true;
  /** Asks the service, and tells what is new by what it answers. Safe to repeat: what was told once is told no more. */
  look(rental: Rental, apiKey: string, before: LookedBefore): Promise<Outcome<Found>>;
}

export const LOOK_NAMES = ['deposits', 'withdrawals', 'log', 'balance'] as const;
export type LookName = (typeof LOOK_NAMES)[number];

/** Of a list, and of what is known of it, by name. */
export const MOST_KNOWN = 1_000;
/** The service's clock and ours may differ by this much. */
export const SKEW_MS = 60_000;

interface Dated {
  id?: number | undefined;
  created_at?: string | undefined;
}

/**
 * The newest of a list, oldest first, each under a name of its own: those that aren't known are news. What is known stays
 * so while the list doesn't show it: it may be short, or empty, for once.
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
  const newest = named.slice(-MOST_KNOWN);
  const [present, before] = [new Set(newest.map(({ name }) => name)), new Set(known)];
  return {
    known: [...present, ...known.filter((name) => !present.has(name))].slice(0, MOST_KNOWN),
    fresh: newest.filter(({ name }) => !before.has(name)),
  };
}

/** Whether it is from after the link; what has no time is, from the second look on. */
export function isSince({ created_at: at }: Dated, { since, known }: LookedBefore): boolean {
  return at === undefined ? known !== undefined : Date.parse(at) >= since - SKEW_MS;
}

function timeOf({ created_at: at }: Dated): number {
  return at === undefined ? 0 : Date.parse(at);
}

function idOf({ id = 0 }: Dated): number {
  return id;
}

/** What is looked at: one list, say, of one account. */
export interface LookRef {
  account: number;
  name: LookName;
}

/** Something is expected of it; it was busy lately; all others. */
type Lane = 'expected' | 'busy' | 'quiet';

const MOST_HURRIED = 200_000;
const HURRIED_AT_ONCE = 500;
const LANES: readonly Lane[] = ['expected', 'busy', 'quiet'];

/** When which account is looked at next, by the storage's clock. */
export interface Lanes {
  /** It is looked at from now on, at first at once. */
  enter(ref: LookRef, ms: number): Promise<void>;
  /** Whoever takes it up has so long before another does. What was expected of it is theirs to see. */
  take(ref: LookRef, ms: number): Promise<void>;
  /** When it is looked at regularly; what is expected of it stays so. */
  putIn(lane: 'busy' | 'quiet', ref: LookRef, ms: number): Promise<void>;
  /** Within this time: never later than it was expected. */
  expect(ref: LookRef, ms: number): Promise<void>;
  leave(ref: LookRef): Promise<unknown>;
  /** What has come due: what is expected first, then the busiest; the quiet ones after them, a tenth in any case. */
  due(limit: number): Promise<{ ref: LookRef; isExpected: boolean }[]>;
  /** All of this name come due, the busiest first. */
  hurry(name: LookName): Promise<void>;
}

export function createLanes({ storage }: { storage: Pick<Storage, 'index'> }): Lanes {
  const { index } = storage;
  const indexOf = (lane: Lane) => `looks:${lane}`;
  const removeEverywhere = (member: string) =>
    Promise.all(LANES.map((lane) => index.remove(indexOf(lane), member)));
  return {
    async take(ref, ms) {
      await index.moveIn(indexOf('busy'), [indexOf('quiet'), indexOf('expected')], memberOf(ref), ms);
    },
    async putIn(lane, ref, ms) {
      await index.moveIn(indexOf(lane), [indexOf(lane === 'busy' ? 'quiet' : 'busy')], memberOf(ref), ms);
    },
    enter: (ref, ms) => index.putWithin(indexOf('busy'), memberOf(ref), ms),
    expect: (ref, ms) => index.putWithin(indexOf('expected'), memberOf(ref), ms),
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
      // A name that this house doesn't give would stay due for ever.
      const odd = refs.filter(({ ref }) => ref === undefined).map(({ name }) => name);
      await Promise.all(odd.map(removeEverywhere));
      return refs.flatMap(({ name, ref }) => (ref ? [{ ref, isExpected: isExpected.has(name) }] : []));
    },
    async hurry(name) {
      for (const lane of ['busy', 'quiet'] as const) {
        const all = await index.upTo(indexOf(lane), Number.MAX_VALUE, MOST_HURRIED);
        const members = all.filter((one) => refOfMember(one)?.name === name);
        for (let from = 0; from < members.length; from += HURRIED_AT_ONCE) {
          const some = members.slice(from, from + HURRIED_AT_ONCE);
          await Promise.all(some.map((member) => index.putWithin(indexOf(lane), member, 0)));
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
  // Only as this house writes it: what else means the same would never be taken out.
  return ref && Number.isSafeInteger(ref.account) && memberOf(ref) === text ? ref : undefined;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long until the next look, the longer the less there was to see; the last one goes on. */
const REGULAR_MS = [
  ...[MINUTE, MINUTE, MINUTE, 2 * MINUTE, 2 * MINUTE, 5 * MINUTE, 5 * MINUTE],
  ...[10 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR],
];
/** With so many of them an account is busy, and looked at before others. */
const BUSY = 5;
/** What an event has spoken of may come later to the list where it is to be seen. */
const AWAITED_MS = [SECOND, 2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE];
/** Where the service doesn't answer. */
const FAILED_MS = [2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE];
/** Nobody wants to know: who begins to, says so. */
export const UNWANTED_MS = 6 * HOUR;

/** Whether something was to be seen: not that anybody knew; for the first time now; or since a look that didn't show it. */
export type Hint = 'none' | 'new' | 'still';

interface NextLook {
  looked: Looked;
  lane: 'busy' | 'quiet';
  inMs: number;
  /** It is expected still, and looked at again this soon. */
  expectMs?: number;
}

/** When to look again, and what is known then. `found` is missing where no key opens the account just now. */
export function nextLook(
  before: Looked,
  { found, hint, now }: { found: Outcome<Found> | undefined; hint: Hint; now: number },
): NextLook {
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
  // Where something is going on, there is soon more to be seen.
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

/** Longer than the longest time between two looks. */
const KEPT_MS = 40 * 24 * 3600_000;

/** Before the first look nothing older is news, however long ago the account was linked. */
const AT_MOST_MS = 24 * 3_600_000;

const lookedSchema = z.object({
  /** Epoch milliseconds: what was before it is nobody's news. */
  since: z.number(),
  /** When it was looked at last, in epoch milliseconds. */
  at: z.number(),
  known: z.array(z.string()).optional(),
  /** How often in a row nothing new was found; how often what was expected wasn't there yet; how often it failed. */
  quiet: z.number(),
  awaited: z.number(),
  failed: z.number(),
});

export type Looked = z.infer<typeof lookedSchema>;

/** What was seen of an account, for the next look. It decides what is told, not what is true. */
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
  const lifetime = { ttlMs: KEPT_MS };
  return {
    read: async (ref) => readJson(lookedSchema, await storage.get(keyOf(ref))),
    write: (ref, looked) => storage.set(keyOf(ref), JSON.stringify(looked), lifetime),
    forget: (ref) => storage.delete(keyOf(ref)),
  };
}

/** What is known of it: nothing where all who hold it have linked it since it was looked at. */
export function knownOf(key: AccountKey, looked: Looked | undefined, now: number): Looked {
  const linkedAt = (key.kind === 'key' ? key.since : undefined) ?? Number.NEGATIVE_INFINITY;
  if (looked !== undefined && linkedAt <= looked.at) return looked;
  const since = linkedAt === Number.NEGATIVE_INFINITY ? now : Math.max(linkedAt, now - AT_MOST_MS);
  return { since, at: since, quiet: 0, awaited: 0, failed: 0 };
}
