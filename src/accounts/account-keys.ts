import type { Rental } from '../rental-api/client.ts';
import { isKeyRefused, type Outcome } from '../rental-api/http.ts';
import type { Links } from './links.ts';
import type { Operator } from './operator.ts';

/** TTL of a profile check, in milliseconds. A key whose read was refused isn't used for reads for the same time. */
const SHOWN_MS = 30_000;
/**
 * Time after which a key counts as revoked if its profile requests are refused, in milliseconds. Shorter refusals may
 * be a fault of the service.
 */
const REVOKED_MS = 15 * 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Key with which an account is read.
 *
 * - `key`: `since` is the time of the first holder's link, in epoch milliseconds. `user` is `undefined` for the
 *   operator's key.
 * - `closed`: no known key opens the account at the moment.
 * - `nobody`: no user has linked the account, and it isn't the operator's.
 */
export type AccountKey =
  | { kind: 'key'; user: number | undefined; apiKey: string; since: number | undefined }
  | { kind: 'closed' }
  | { kind: 'nobody' };

/** Selects the keys with which accounts are read. Detects keys that were revoked at the service. */
export interface AccountKeys {
  of(account: number): Promise<AccountKey>;
  /**
   * Records the result of a read with this user's key. After a refusal, other holders' keys are used. An accepted read
   * doesn't prove which account the key opens.
   */
  note(user: number | undefined, account: number, outcome: Outcome<unknown>): void;
  /** Records that a profile request with this user's key just returned this account. */
  opened(user: number, account: number): void;
  /** Returns whether this user's key still opens the account; `undefined` if the service doesn't say at the moment. */
  opens(user: number, account: number): Promise<boolean | undefined>;
}

export function createAccountKeys(deps: {
  links: Pick<Links, 'holders' | 'ahead' | 'apiKey'>;
  operator: Pick<Operator, 'owns'>;
  operatorKey: string | undefined;
  rental: Pick<Rental, 'profile'>;
  now: () => number;
}): AccountKeys {
  const { links, operator, operatorKey, rental, now } = deps;
  const shown = new Map<string, { opens: boolean; at: number }>();
  /**
   * Times of refused reads by user and account. Reads then use other holders' keys. Only the profile shows whether a
   * key opens the account at all.
   */
  const refused = new Map<string, number>();
  /** Time of the first refusal of the profile since it last succeeded, by user and account. */
  const closedSince = new Map<string, number>();
  /** Profile requests in progress, shared by concurrent callers. */
  const asked = new Map<string, Promise<boolean | undefined>>();
  const nameOf = (user: number, account: number) => `${user}/${account}`;

  function shownOf(user: number, account: number): boolean | undefined {
    const known = shown.get(nameOf(user, account));
    return known !== undefined && now() - known.at < SHOWN_MS ? known.opens : undefined;
  }

  function keep(user: number, account: number, opens: boolean): void {
    put(shown, nameOf(user, account), { opens, at: now() });
  }

  function note(user: number | undefined, account: number, outcome: Outcome<unknown>): void {
    if (user === undefined) return;
    const name = nameOf(user, account);
    if (outcome.kind === 'accepted') refused.delete(name);
    else if (isKeyRefused(outcome)) {
      shown.delete(name);
      put(refused, name, now());
    }
  }

  function mayRead(user: number, account: number): boolean {
    const at = refused.get(nameOf(user, account)) ?? Number.NEGATIVE_INFINITY;
    return now() - at >= SHOWN_MS && shownOf(user, account) !== false;
  }

  async function askProfile(user: number, account: number): Promise<boolean | undefined> {
    const apiKey = await links.apiKey(user, account);
    if (apiKey === undefined) return false;
    const profile = await rental.profile(apiKey);
    const name = nameOf(user, account);
    if (profile.kind === 'accepted') {
      closedSince.delete(name);
      // A key that was since assigned to another account opens that one.
      keep(user, account, profile.value.id === account);
    } else if (isKeyRefused(profile)) {
      note(user, account, profile);
      const since = closedSince.get(name) ?? now();
      put(closedSince, name, since);
      if (now() - since >= REVOKED_MS) keep(user, account, false);
    }
    return shownOf(user, account);
  }

  return {
    async of(account) {
      const holders = await links.holders(account);
      let since: number | undefined;
      for (const user of holders) {
        const { link, apiKey } = (await links.ahead(user).open()) ?? {};
        if (link?.account !== account) continue;
        since ??= link.linkedAt;
        if (apiKey !== undefined && mayRead(user, account)) return { kind: 'key', user, apiKey, since };
      }
      const isOperators = operatorKey !== undefined && (await operator.owns(account));
      if (operatorKey !== undefined && isOperators)
        return { kind: 'key', user: undefined, apiKey: operatorKey, since };
      // If the service doesn't say whose account it is (`undefined`), it may be the operator's.
      return { kind: holders.length === 0 && isOperators === false ? 'nobody' : 'closed' };
    },
    note,
    opened(user, account) {
      refused.delete(nameOf(user, account));
      closedSince.delete(nameOf(user, account));
      keep(user, account, true);
    },
    async opens(user, account) {
      const known = shownOf(user, account);
      if (known !== undefined) return known;
      const name = nameOf(user, account);
      const answer = asked.get(name) ?? askProfile(user, account).finally(() => asked.delete(name));
      asked.set(name, answer);
      return answer;
    },
  };
}

/** Sets an entry. Clears a full map first; cleared entries are requested again. */
function put<Value>(known: Map<string, Value>, name: string, value: Value): void {
  if (known.size >= MAX_REMEMBERED) known.clear();
  known.set(name, value);
}
