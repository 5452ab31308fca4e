import type { Operator } from '../../accounts/operator.ts';
import { orTimeout } from '../../or-timeout.ts';
import type { Lanes } from './lanes.ts';

const WITHIN_MS = 1_500;
/** The service didn't say whose account it is. */
const AGAIN_MS = 60_000;

/** Has the balance of the operator's account looked at, though nobody may hold it: once it is known which one that is. */
export function createFollowOperator(deps: {
  operator: Pick<Operator, 'account'>;
  lanes: Pick<Lanes, 'enter'>;
  now: () => number;
}): () => Promise<void> {
  const { operator, lanes, now } = deps;
  let isFollowed = false;
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (isFollowed || now() < nextAt) return;
    nextAt = now() + AGAIN_MS;
    const account = await orTimeout(operator.account(), WITHIN_MS);
    if (account === undefined) return;
    await lanes.enter({ account, name: 'balance' }, 0);
    isFollowed = true;
  };
}
