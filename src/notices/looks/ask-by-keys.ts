import type { Rental } from '../../rental/client.ts';
import { isKeyRefused, type Outcome } from '../../rental/outcome.ts';
import type { AccountKey, AccountKeys } from './account-keys.ts';
import type { LookRef } from './lanes.ts';
import type { Found, Look, LookName } from './look.ts';
import type { Looked } from './looked.ts';

/** A failure of which nobody knows how long it lasts, as the service's others. */
const UNTOLD: Outcome<never> = {
  ...{ kind: 'unknown', reason: 'status' },
  message: 'the service does not tell which account a key opens',
};

/**
 * Asks by one key after another, until one isn't refused. `undefined`: none is left. A key that was given to another account
 * since would tell what is there: so each is asked first which account it opens, unless what is read says so itself.
 */
export type AskByKeys = (
  ref: LookRef,
  key: AccountKey,
  before: Looked,
) => Promise<Outcome<Found> | undefined>;

export function createAskByKeys(deps: {
  lookOf: (name: LookName) => Look | undefined;
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
