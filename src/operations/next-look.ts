import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';

/** After so long nothing is looked for any more. */
export const SEARCHED_MS = 24 * 3600_000;
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

/** Whether it is time to look for its delivery, rather than to wait for the event. */
export function isOverdue({ settledAt }: Operation, now: number): boolean {
  return now - (settledAt ?? 0) >= 1000 * (DELIVERY_S[0] ?? 0);
}
