import { z } from 'zod';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import type { Rental } from '../rental-api/client.ts';
import { isKeyRefused, type Outcome } from '../rental-api/http.ts';
import type { Links } from './links.ts';
import type { Operator } from './operator.ts';

/** TTL of a profile check, in milliseconds. A key whose read was refused isn't used for reads for the same time. */
const CHECK_TTL_MS = 30_000;
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
 * - `unavailable`: no known key opens the account at the moment.
 * - `no-holder`: no user has linked the account, and it isn't the operator's.
 */
export type AccountKey =
  | { kind: 'key'; user: number | undefined; apiKey: string; since: number | undefined }
  | { kind: 'unavailable' }
  | { kind: 'no-holder' };

/** Selects the keys with which accounts are read. Detects keys that were revoked at the service. */
export interface AccountKeys {
  select(account: number): Promise<AccountKey>;
  /**
   * Records the result of a read with this user's key. After a refusal, other holders' keys are used. An accepted read
   * doesn't prove which account the key opens.
   */
  recordRead(user: number | undefined, account: number, outcome: Outcome<unknown>): void;
  /** Records that a profile request with this user's key just returned this account. */
  recordOpened(user: number, account: number): void;
  /** Returns whether this user's key still opens the account; `undefined` if the service doesn't say at the moment. */
  isValid(user: number, account: number): Promise<boolean | undefined>;
}

export function createAccountKeys(deps: {
  links: Pick<Links, 'holders' | 'readAhead' | 'apiKey'>;
  operator: Pick<Operator, 'owns'>;
  operatorKey: string | undefined;
  rental: Pick<Rental, 'profile'>;
  now: () => number;
}): AccountKeys {
  const { links, operator, operatorKey, rental, now } = deps;
  /** Results of profile requests by user and account. */
  const checks = new Map<string, { isValid: boolean; at: number }>();
  /**
   * Times of refused reads by user and account. Reads then use other holders' keys. Only the profile shows whether a
   * key opens the account at all.
   */
  const refusedAt = new Map<string, number>();
  /** Time of the first refusal of the profile since it last succeeded, by user and account. */
  const profileRefusedSince = new Map<string, number>();
  /** Profile requests in progress, shared by concurrent callers. */
  const requests = new Map<string, Promise<boolean | undefined>>();
  const nameOf = (user: number, account: number) => `${user}/${account}`;

  function recentCheck(user: number, account: number): boolean | undefined {
    const check = checks.get(nameOf(user, account));
    return check !== undefined && now() - check.at < CHECK_TTL_MS ? check.isValid : undefined;
  }

  function recordCheck(user: number, account: number, isValid: boolean): void {
    setEntry(checks, nameOf(user, account), { isValid, at: now() });
  }

  function recordRead(user: number | undefined, account: number, outcome: Outcome<unknown>): void {
    if (user === undefined) return;
    const name = nameOf(user, account);
    if (outcome.kind === 'accepted') refusedAt.delete(name);
    else if (isKeyRefused(outcome)) {
      checks.delete(name);
      setEntry(refusedAt, name, now());
    }
  }

  function canRead(user: number, account: number): boolean {
    const at = refusedAt.get(nameOf(user, account)) ?? Number.NEGATIVE_INFINITY;
    return now() - at >= CHECK_TTL_MS && recentCheck(user, account) !== false;
  }

  async function requestProfile(user: number, account: number): Promise<boolean | undefined> {
    const apiKey = await links.apiKey(user, account);
    if (apiKey === undefined) return false;
    const profile = await rental.profile(apiKey);
    const name = nameOf(user, account);
    if (profile.kind === 'accepted') {
      profileRefusedSince.delete(name);
      // A key that was since assigned to another account opens that one.
      recordCheck(user, account, profile.value.id === account);
    } else if (isKeyRefused(profile)) {
      recordRead(user, account, profile);
      const since = profileRefusedSince.get(name) ?? now();
      setEntry(profileRefusedSince, name, since);
      if (now() - since >= REVOKED_MS) recordCheck(user, account, false);
    }
    return recentCheck(user, account);
  }

  return {
    async select(account) {
      const holders = await links.holders(account);
      let since: number | undefined;
      for (const user of holders) {
        const { link, apiKey } = (await links.readAhead(user).open()) ?? {};
        if (link?.account !== account) continue;
        since ??= link.linkedAt;
        if (apiKey !== undefined && canRead(user, account)) return { kind: 'key', user, apiKey, since };
      }
      const isOperators = operatorKey !== undefined && (await operator.owns(account));
      if (operatorKey !== undefined && isOperators)
        return { kind: 'key', user: undefined, apiKey: operatorKey, since };
      // If the service doesn't say whose account it is (`undefined`), it may be the operator's.
      return { kind: holders.length === 0 && isOperators === false ? 'no-holder' : 'unavailable' };
    },
    recordRead,
    recordOpened(user, account) {
      refusedAt.delete(nameOf(user, account));
      profileRefusedSince.delete(nameOf(user, account));
      recordCheck(user, account, true);
    },
    async isValid(user, account) {
      const check = recentCheck(user, account);
      if (check !== undefined) return check;
      const name = nameOf(user, account);
      const request =
        requests.get(name) ?? requestProfile(user, account).finally(() => requests.delete(name));
      requests.set(name, request);
      return request;
    },
  };
}

/** Sets an entry. Clears a full map first; cleared entries are requested again. */
function setEntry<Value>(map: Map<string, Value>, name: string, value: Value): void {
  if (map.size >= MAX_REMEMBERED) map.clear();
  map.set(name, value);
}

const MAX_ATTEMPTS = 5;
const ATTEMPTS_PERIOD_MS = 3600_000;

/** `until`: end of the period in which `count` keys were refused, in epoch milliseconds. */
export const KEY_REFUSALS = defineRecord({
  keys: 'refused-keys:{user}',
  content: 'Number of API keys that were rejected lately',
  schema: z.object({ count: z.number(), until: z.number() }),
  ttlMs: ATTEMPTS_PERIOD_MS,
  signed: false,
  retained: { own: 'kept-limits' },
});

/** Counter of the API keys that the service has refused to a user. Slows down users who try keys of others. */
export interface KeyAttempts {
  /** Returns how long the user must wait before trying another key, in milliseconds; 0 if no wait is needed. */
  waitMs(user: number): Promise<number>;
  recordRefusal(user: number): Promise<void>;
}

/**
 * Allows five refused keys an hour, counted from the first one. A user's updates are handled one at a time, so no count
 * is lost.
 */
export function createKeyAttempts(deps: { records: SignedRecords; now: () => number }): KeyAttempts {
  const { records, now } = deps;
  const refusals = records.store(KEY_REFUSALS);

  async function read(user: number) {
    const stored = await refusals.get({ user });
    return stored && stored.until > now() ? stored : { count: 0, until: now() + ATTEMPTS_PERIOD_MS };
  }

  return {
    async waitMs(user) {
      const { count, until } = await read(user);
      return count < MAX_ATTEMPTS ? 0 : until - now();
    },
    async recordRefusal(user) {
      const { count, until } = await read(user);
      await refusals.set({ user }, { count: count + 1, until });
    },
  };
}
