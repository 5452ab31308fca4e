import type { Rental } from '../../rental/client.ts';
import type { Outcome } from '../../rental/outcome.ts';
import { type AccountKey, type AccountKeys, isRefused } from './account-keys.ts';
import type { LookRef } from './lanes.ts';
import type { Found, Look, LookName } from './look.ts';
import type { Looked } from './looked.ts';

/** Asks by one key after another, until one isn't refused. `undefined`: none is left. */
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
  const ask: AskByKeys = async (ref, key, before) => {
    if (key.kind !== 'key') return undefined;
    const { since, at, known } = before;
    const found = await lookOf(ref.name)?.look(rental, key.apiKey, {
      ...{ account: ref.account, since, at, known },
    });
    if (found === undefined) return undefined;
    accountKeys.note(key.user, ref.account, found);
    const next = isRefused(found) ? await accountKeys.of(ref.account) : undefined;
    const isOther = next?.kind === 'key' && next.apiKey !== key.apiKey;
    return isOther ? ask(ref, next, before) : found;
  };
  return ask;
}
