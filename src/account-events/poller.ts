import { randomUUID } from 'node:crypto';
import type { AccountKey, AccountKeys } from '../accounts/account-keys.ts';
import type { Link, Links } from '../accounts/links.ts';
import type { Operator } from '../accounts/operator.ts';
import type { Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import type { RateLimit, SharedRateLimiter } from '../platform/rate-limit.ts';
import { orTimeout } from '../platform/retry.ts';
import { createWorkQueue } from '../platform/work-queue.ts';
import type { Rental } from '../rental-api/client.ts';
import { isKeyRefused, type Outcome } from '../rental-api/http.ts';
import {
  type Found,
  type Hint,
  knownOf,
  type Lanes,
  LOOK_NAMES,
  type Look,
  type Looked,
  type LookedStore,
  type LookRef,
  memberOf,
  nextPoll,
  type PollTarget,
  refOfMember,
  UNWANTED_MS,
} from './poll-schedule.ts';

const TTL_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Caches the results of frequent queries about an account for a minute, in this process only. */
function createKeptAnswers({
  ask,
  now,
}: {
  ask: (account: number) => Promise<boolean>;
  now: () => number;
}): (account: number) => Promise<boolean> {
  const answers = new Map<number, { answer: boolean; at: number }>();
  return async (account) => {
    const known = answers.get(account);
    if (known !== undefined && now() - known.at < TTL_MS) return known.answer;
    const answer = await ask(account);
    if (answers.size >= MAX_REMEMBERED) answers.clear();
    answers.set(account, { answer, at: now() });
    return answer;
  };
}

/** Result while the service doesn't say which account a key opens. Handled like a failed request. */
const UNTOLD: Outcome<never> = {
  ...{ kind: 'unknown', reason: 'status' },
  message: 'the service does not say which account a key opens',
};

/**
 * Polls with one key after another until one isn't refused. Returns `undefined` if no key opens the account. A key may
 * have been reassigned to another account. So its account is checked first, unless the response itself names the
 * account.
 */
type AskByKeys = (ref: LookRef, key: AccountKey, before: Looked) => Promise<Outcome<Found> | undefined>;

function createAskByKeys(deps: {
  lookOf: (name: PollTarget) => Look | undefined;
  rental: Rental;
  accountKeys: AccountKeys;
}): AskByKeys {
  const { lookOf, rental, accountKeys } = deps;
  const read = async (ref: LookRef, apiKey: string, { since, at, known }: Looked) =>
    lookOf(ref.name)?.look(rental, apiKey, { account: ref.account, since, at, known });

  const ask: AskByKeys = async (ref, key, before) => {
    if (key.kind !== 'key') return undefined;
    const isSaid = lookOf(ref.name)?.namesAccount === true;
    const opens = isSaid || key.user === undefined || (await accountKeys.opens(key.user, ref.account));
    let found: Outcome<Found> | undefined = opens === undefined ? UNTOLD : undefined;
    if (opens) {
      found = await read(ref, key.apiKey, before);
      if (found === undefined) return undefined;
      accountKeys.note(key.user, ref.account, found);
      if (!isKeyRefused(found)) return found;
    }
    const next = await accountKeys.of(ref.account);
    const isOther = next.kind === 'key' && next.apiKey !== key.apiKey;
    return isOther ? ask(ref, next, before) : found;
  };
  return ask;
}

const SELDOM_MS = 30_000;

/**
 * Creates a function that returns whether activity of a user should cause a poll. Returns `true` at most once in 30
 * seconds for an account, in this process.
 */
function createVisits({ now }: { now: () => number }): (account: number) => boolean {
  const lately = new Map<number, number>();
  return (account) => {
    const at = lately.get(account);
    if (at !== undefined && now() - at < SELDOM_MS) return false;
    if (lately.size >= MAX_REMEMBERED) lately.clear();
    lately.set(account, now());
    return true;
  };
}

const WITHIN_MS = 1_500;
/** Minimum time between two attempts to find out the operator's account, in milliseconds. */
const RETRY_DELAY_MS = 60_000;

/**
 * Creates a function that starts polling the balance of the operator's account, once that account is known. A user
 * needn't hold it.
 */
function createFollowOperator(deps: {
  operator: Pick<Operator, 'account'>;
  lanes: Pick<Lanes, 'enter'>;
  now: () => number;
}): () => Promise<void> {
  const { operator, lanes, now } = deps;
  let isFollowed = false;
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (isFollowed || now() < nextAt) return;
    nextAt = now() + RETRY_DELAY_MS;
    const account = await orTimeout(operator.account(), WITHIN_MS);
    if (account === undefined) return;
    await lanes.enter({ account, name: 'balance' }, 0);
    isFollowed = true;
  };
}

/**
 * Polls allowed per minute for each resource of an account. The service allows 60 reads of each kind (specification,
 * section 8). The rest is left for requests of users.
 */
const LOOKS: RateLimit = { most: 30, withinMs: 60_000 };
/** Time until a target is due again if the process that polls it crashes, in milliseconds. */
const LEASE_MS = 20_000;
/** Delay until the first regular poll of an account that was just linked, in milliseconds. */
const FIRST_MS = 60_000;
/** Maximum time that linking waits for the lists, in milliseconds. */
const LINK_WITHIN_MS = 1_500;
/** Lists with events that a user would miss: read while linking and when a user opens the menu. */
const LISTS = ['deposits', 'withdrawals', 'log'] as const;
const ELSEWHERE_MS = 1_500;
const BATCH = 200;
const CONCURRENCY = 16;
const WAITING = 2_000;

/** Polls accounts for changes: when an event indicates one, at the start, and regularly, busy accounts first. */
export interface Looks {
  /**
   * Starts polling an account that was just linked, until no user holds it. Reads its lists at once, for at most 1.5
   * seconds. Entries that this read returns are known; later ones cause notifications, even without a date. If a list
   * can't be read, it is read again within seconds, and the first successful read counts instead. If others hold the
   * account, its known state is kept, so that they are notified of changes. `relinked` is the user's former link to the
   * same account.
   *
   * @example await looks.follow(account, { user, relinked: before?.account === account ? before : undefined });
   */
  follow(account: number, link: { user: number; relinked?: Link | undefined }): Promise<unknown>;
  /** Polls a resource at once because a change is expected. Resolves once the expectation is stored. */
  expect(account: number, name: PollTarget): Promise<void>;
  /** Polls the lists of an account whose user is active, and polls them more often for a while. */
  visit(account: number): Promise<void>;
  /** Polls the balance because it may have changed. Does nothing if no user needs it; this is cached for a minute. */
  expectBalance(account: number): Promise<void>;
  /** Polls all webhook logs soon, because events may have been lost. */
  hurry(): void;
  /** Starts polling all targets that are due. The first call makes all webhook logs due. */
  run(): Promise<void>;
  close(): Promise<void>;
}

export function createPoller(deps: {
  looks: readonly Look[];
  lanes: Lanes;
  looked: LookedStore;
  rental: Rental;
  accountKeys: AccountKeys;
  links: Pick<Links, 'accounts'>;
  operator: Pick<Operator, 'account'>;
  leases: Leases;
  budget: SharedRateLimiter;
  now: () => number;
  log: Log;
}): Looks {
  const { looks, lanes, looked, rental, accountKeys, links, leases, budget, now, log } = deps;

  const lookOf = (name: PollTarget) => looks.find((one) => one.name === name);

  async function forget(ref: LookRef): Promise<void> {
    await looked.forget(ref);
    await lanes.leave(ref);
    // If the account was linked again in the meantime, it would otherwise not be polled anymore.
    if ((await accountKeys.of(ref.account)).kind !== 'nobody') await lanes.enter(ref, 0);
  }

  /**
   * Returns the known state of an account that its user linked again. The state is unchanged, even if this poll fails.
   */
  function relinkedOf(key: AccountKey, { linkedAt }: Link, last: Looked | undefined): Looked {
    const held = key.kind === 'key' ? { ...key, since: Math.min(key.since ?? linkedAt, linkedAt) } : key;
    return { ...knownOf(held, last, now()), at: now() };
  }

  const ask = createAskByKeys({ lookOf, rental, accountKeys });

  async function look(ref: LookRef, hint: Hint, relinked?: Link): Promise<void> {
    // Schedules the next poll first, in case this process crashes. A change that is expected from here on belongs to
    // the next poll, because this one may miss it.
    await lanes.take(ref, LEASE_MS);
    const [key, last, isWanted] = await Promise.all([
      accountKeys.of(ref.account),
      looked.read(ref),
      lookOf(ref.name)?.isWanted?.(ref.account),
    ]);
    if (key.kind === 'nobody') return forget(ref);
    if (isWanted === false) return lanes.scheduleIn('quiet', ref, UNWANTED_MS);
    const waitMs = await budget.take(`looks:${memberOf(ref)}`, randomUUID(), LOOKS);
    if (waitMs > 0) {
      await lanes.scheduleIn('busy', ref, waitMs);
      return hint === 'none' ? undefined : lanes.expect(ref, waitMs);
    }
    const before = relinked ? relinkedOf(key, relinked, last) : knownOf(key, last, now());
    const found = await ask(ref, key, before);
    const isVisited = visited.delete(memberOf(ref));
    const next = nextPoll(isVisited ? { ...before, quiet: 0 } : before, { found, hint, now: now() });
    await looked.write(ref, next.looked);
    await lanes.scheduleIn(next.lane, ref, next.inMs);
    if (next.expectMs !== undefined) await lanes.expect(ref, next.expectMs);
  }

  async function lookAlone(name: string, relinked?: Link): Promise<void> {
    const ref = refOfMember(name);
    if (ref === undefined) return;
    const hint = hints.get(name) ?? 'none';
    hints.delete(name);
    try {
      const turn = await leases.withLease(`looking:${name}`, () => look(ref, hint, relinked));
      // The process that polls it now started before this change was expected.
      if (turn === 'busy' && hint !== 'none') await lanes.expect(ref, ELSEWHERE_MS);
    } catch (err) {
      if (hint !== 'none' && !hints.has(name)) hints.set(name, hint);
      throw err;
    }
  }

  /** Returns whether any user needs the balance of the account. Cached, because every purchase asks for it. */
  const isWanted = createKeptAnswers({
    ask: async (account) => (await lookOf('balance')?.isWanted?.(account)) ?? false,
    now,
  });
  const isVisit = createVisits({ now });
  const followOperator = createFollowOperator(deps);
  const visited = new Set<string>();
  /** Initially true: events that were sent while no replica was running are only in the logs. */
  let isHurried = true;
  let isFollowed = false;
  /** Expected changes that this process knows of, by poll target. */
  const hints = new Map<string, Hint>();
  const atOnce = createWorkQueue({
    work: lookAlone,
    ...{ limit: CONCURRENCY, most: WAITING, failed: 'polling an account failed; it will be retried', log },
  });

  async function expect(account: number, name: PollTarget): Promise<void> {
    const ref = { account, name };
    await lanes.expect(ref, 0);
    hints.set(memberOf(ref), 'new');
    atOnce.begin(memberOf(ref), 'urgent');
  }

  async function hurry(): Promise<void> {
    isHurried = false;
    await lanes.hurry('log').catch((err: unknown) => {
      isHurried = true;
      throw err;
    });
  }

  /** Schedules the targets of linked accounts that were never polled. Spreads them over an hour. */
  async function followAll(): Promise<void> {
    for (const account of await links.accounts()) {
      const refs = LOOK_NAMES.map((name) => ({ account, name }));
      const known = await Promise.all(refs.map(looked.read));
      const missing = refs.filter((_, at) => known[at] === undefined);
      await Promise.all(missing.map((ref) => lanes.enter(ref, FIRST_MS + (account % 3_600) * 1_000)));
    }
  }

  return {
    async follow(account, { user, relinked }) {
      // The screen after linking doesn't count as user activity.
      isVisit(account);
      // Linking has just read the profile with this key.
      accountKeys.opened(user, account);
      await Promise.all(LOOK_NAMES.map((name) => lanes.enter({ account, name }, FIRST_MS)));
      const readings = LISTS.map((name) => lookAlone(memberOf({ account, name }), relinked));
      await orTimeout(Promise.allSettled(readings), LINK_WITHIN_MS);
    },
    expect,
    async visit(account) {
      if (!isVisit(account)) return;
      for (const name of LISTS) {
        const ref = { account, name };
        visited.add(memberOf(ref));
        await lanes.enter(ref, 0);
        atOnce.begin(memberOf(ref));
      }
    },
    async expectBalance(account) {
      if (await isWanted(account)) await expect(account, 'balance');
    },
    hurry() {
      isHurried = true;
    },
    async run() {
      if (!isFollowed) await followAll();
      isFollowed = true;
      await followOperator();
      if (isHurried) await hurry();
      for (const { ref, isExpected } of await lanes.due(BATCH)) {
        if (isExpected && !hints.has(memberOf(ref))) hints.set(memberOf(ref), 'still');
        atOnce.begin(memberOf(ref), isExpected ? 'urgent' : undefined);
      }
    },
    close: atOnce.close,
  };
}
