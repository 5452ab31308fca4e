import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';

/** After so long nothing is looked for any more. */
export const SEARCHED_MS = 24 * 3600_000;
/** How long after what a trace is looked for again, in seconds; the last one goes on until the day is over. */
const SEARCH_S = [2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];
/** Whoever takes an operation up has this long before another does; also the pace of saying what could not be said. */
export const TAKEN_MS = 10_000;
/** What is on a list of the service says there how it stands, for as long as anybody waits for it. */
const LISTED_MS = 30 * 24 * 3600_000;
/** How long after its order a delivery is looked for in the logs, in seconds; the last one goes on until the day is over. */
const DELIVERY_S = [30, 60, 120, 300, 600, 1_800, 3_600];

/** In how many milliseconds an operation whose user was told is to be looked at again; `undefined`: it waits for nothing. */
export type NextLook = (operation: Operation) => Promise<number | undefined>;

export function createNextLook(deps: {
  kinds: Kinds;
  /** Whether the service's events of the account come here: then its logs tell of deliveries too. */
  reported: (account: number) => Promise<boolean>;
  now: () => number;
}): NextLook {
  return async ({ state, request, result, settledAt, account, reported }) => {
    if (state === 'unknown' || state === 'sent' || state === 'claimed') return 0;
    if (state !== 'done' || result?.status !== 'pending' || result.order === undefined) return undefined;
    const age = deps.now() - (settledAt ?? 0);
    const isListed = deps.kinds.of(request).listing?.standing !== undefined;
    if (age > (isListed ? LISTED_MS : SEARCHED_MS)) return undefined;
    if (!isListed && !(reported ?? (await deps.reported(account)))) return undefined;
    return 1000 * (DELIVERY_S.find((seconds) => seconds * 1000 > age) ?? 3_600);
  };
}

/**
 * In how many milliseconds traces are looked for again, after so many looks, `age` milliseconds after the request: what
 * was looked at more often by hand isn't left alone for longer.
 */
export function searchAgainMs(looks: number, age: number): number {
  const [first = 1] = SEARCH_S;
  const seconds = SEARCH_S[Math.min(looks, SEARCH_S.length) - 1] ?? first;
  return Math.min(1000 * seconds, Math.max(1000 * first, 2 * age));
}

/** Epoch milliseconds: when traces are looked for next by themselves; `undefined`: never again, or not known. */
export function nextSearchAt({ state, search, sentAt = 0 }: Operation): number | undefined {
  if (state !== 'unknown' || search?.at === undefined || search.over) return undefined;
  return search.at + searchAgainMs(search.count, search.at - sentAt);
}

/** Whether it is time to look for its delivery, rather than to wait for the event. */
export function isOverdue({ settledAt }: Operation, now: number): boolean {
  return now - (settledAt ?? 0) >= 1000 * (DELIVERY_S[0] ?? 0);
}
