import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import { defineRecord } from '../platform/records.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import type { AccountOutcome } from '../rental-api/account-reader.ts';
import { isKeyRefused, type Outcome, type Rental } from '../rental-api/client.ts';
import type { Profile } from '../rental-api/schemas.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import type { Balances } from './balances.ts';
import type { Links } from './links.ts';
import type { Operator } from './operator.ts';

/** TTL of a profile check, in milliseconds. A key whose read was refused isn't used for reads for the same time. */
const CHECK_TTL_MS = 30_000;
/**
 * Time after which a key counts as revoked if its profile requests are refused, in milliseconds. Shorter refusals may
 * be a fault of the service.
 */
const REVOKED_MS = 15 * MINUTE_MS;

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
export type AccountKeys = ReturnType<typeof createAccountKeys>;

export function createAccountKeys(
  deps: Pick<AccountsDeps, 'operatorKey' | 'now'> & {
    links: Pick<Links, 'holders' | 'readAhead' | 'apiKey'>;
    operator: Pick<Operator, 'owns'>;
    rental: Pick<Rental, 'profile'>;
    balances: Pick<Balances, 'startRead'>;
  },
) {
  const { links, operator, operatorKey, rental, balances, now } = deps;
  // All maps are keyed by user and account.
  /** Results of profile requests. */
  const checks = createTtlCache<string, boolean>({ ttlMs: CHECK_TTL_MS, now });
  /** Refused reads. Only the profile shows whether a key opens the account at all. */
  const refusals = createTtlCache<string, true>({ ttlMs: CHECK_TTL_MS, now });
  /** Time of the first refusal of the profile since it last succeeded. */
  const profileRefusedSince = createTtlCache<string, number>();
  /** Profile requests in progress, shared by concurrent callers. */
  const requests = new Map<string, Promise<boolean | undefined>>();
  const nameOf = (user: number, account: number) => `${user}/${account}`;

  function recordRead(user: number | undefined, account: number, outcome: Outcome<unknown>): void {
    if (user === undefined) return;
    const name = nameOf(user, account);
    if (outcome.kind === 'accepted') refusals.delete(name);
    else if (isKeyRefused(outcome)) {
      checks.delete(name);
      refusals.set(name, true);
    }
  }

  function canRead(user: number, account: number): boolean {
    const name = nameOf(user, account);
    return refusals.get(name) === undefined && checks.get(name) !== false;
  }

  async function requestProfile(user: number, account: number): Promise<boolean | undefined> {
    const apiKey = await links.apiKey(user, account);
    if (apiKey === undefined) return false;
    recordProfile(user, account, await rental.profile(apiKey));
    return checks.get(nameOf(user, account));
  }

  function recordProfile(user: number, account: number, profile: Outcome<Profile>): void {
    const name = nameOf(user, account);
    if (profile.kind === 'accepted') {
      profileRefusedSince.delete(name);
      // The service may have assigned the key to another account since it was linked.
      checks.set(name, profile.value.id === account);
    } else if (isKeyRefused(profile)) {
      recordRead(user, account, profile);
      const since = Math.min(profileRefusedSince.get(name) ?? now(), now());
      profileRefusedSince.set(name, since);
      if (now() - since >= REVOKED_MS) checks.set(name, false);
    }
  }

  return {
    async select(account: number): Promise<AccountKey> {
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
    /**
     * Records the result of a read with this user's key. After a refusal, other holders' keys are used. An accepted read
     * doesn't prove which account the key opens.
     */
    recordRead,
    /**
     * Reads the profile, and returns it only if the key opens the account now. The result of {@link AccountKeys.isValid} may
     * be older.
     */
    async readProfile(
      { user, apiKey }: { user: number | undefined; apiKey: string },
      account: number,
    ): Promise<AccountOutcome<Profile>> {
      const storeBalance = balances.startRead(account);
      const profile = await rental.profile(apiKey);
      if (user !== undefined) recordProfile(user, account, profile);
      if (profile.kind !== 'accepted') return profile;
      if (profile.value.id !== account) return { kind: 'other-account' };
      storeBalance(profile.value.balance_trx);
      return profile;
    },
    /** Records that a profile request with this user's key just returned this account. */
    recordOpened(user: number, account: number) {
      const name = nameOf(user, account);
      refusals.delete(name);
      profileRefusedSince.delete(name);
      checks.set(name, true);
    },
    /** Returns whether this user's key still opens the account; `undefined` if the service doesn't say at the moment. */
    async isValid(user: number, account: number): Promise<boolean | undefined> {
      const name = nameOf(user, account);
      const check = checks.get(name);
      if (check !== undefined) return check;
      const request =
        requests.get(name) ?? requestProfile(user, account).finally(() => requests.delete(name));
      requests.set(name, request);
      return request;
    },
  };
}

const MAX_ATTEMPTS = 5;
const ATTEMPTS_PERIOD_MS = HOUR_MS;

/** `until`: end of the period in which `count` keys were refused, in epoch milliseconds. */
export const KEY_REFUSALS = defineRecord({
  keys: 'refused-keys:{user}',
  content: 'Number of API keys that were rejected lately',
  schema: z.object({ count: z.number(), until: z.number() }),
  ttlMs: ATTEMPTS_PERIOD_MS,
  signed: false,
  retained: { own: 'kept-limits' },
});

/**
 * Creates the counter of the API keys that the service has refused to a user. Slows down users who try keys of others:
 * allows five refused keys an hour, counted from the first one. A user's updates are handled one at a time, so no count
 * is lost.
 */
export function createKeyAttempts({ records, now }: Pick<AccountsDeps, 'records' | 'now'>) {
  const refusals = records.store(KEY_REFUSALS);

  async function read(user: number) {
    const stored = await refusals.get({ user });
    const latest = now() + ATTEMPTS_PERIOD_MS;
    if (stored === undefined || stored.until <= now()) return { count: 0, until: latest };
    if (stored.until <= latest) return stored;
    // The clock was set back since. The period begins anew.
    const renewed = { ...stored, until: latest };
    await refusals.set({ user }, renewed);
    return renewed;
  }

  return {
    /** Returns how long the user must wait before trying another key, in milliseconds; 0 if no wait is needed. */
    async waitMs(user: number): Promise<number> {
      const { count, until } = await read(user);
      return count < MAX_ATTEMPTS ? 0 : until - now();
    },
    async recordRefusal(user: number): Promise<void> {
      const { count, until } = await read(user);
      await refusals.set({ user }, { count: count + 1, until });
    },
  };
}
