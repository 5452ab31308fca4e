import type { Rental } from '../rental-api/client.ts';
import { isKeyRefused, type Outcome } from '../rental-api/http.ts';
import type { Links } from './links.ts';
import type { Operator } from './operator.ts';

/** What the profile has shown of a key is taken for true for so long; and whose read was refused is left alone. */
const SHOWN_MS = 30_000;
/** A key that is refused for so long opens nothing any more: for a moment it may be the service that is wrong. */
const REVOKED_MS = 15 * 60_000;
const MOST = 10_000;

/**
 * Whose key an account is read by. `since`: of those who hold it the first linked it then, in epoch milliseconds.
 * `closed`: nobody has a key that opens it just now.
 */
export type AccountKey =
  | { kind: 'key'; user: number | undefined; apiKey: string; since: number | undefined }
  | { kind: 'closed' }
  | { kind: 'nobody' };

/** By whose key an account can be read, and whether it is still theirs: keys are revoked at the service. */
export interface AccountKeys {
  of(account: number): Promise<AccountKey>;
  /** What became of a read by this user's key: refused, others are asked by. It doesn't tell whose account it opened. */
  note(user: number | undefined, account: number, outcome: Outcome<unknown>): void;
  /** Records that the profile was just read with this user's key and is of this account. */
  opened(user: number, account: number): void;
  /** Whether this user's key still opens the account; `undefined` where the service doesn't tell just now. */
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
  /** Whose reads were refused lately: others are asked by. Only the profile says whether a key opens the account at all. */
  const refused = new Map<string, number>();
  /** Since when the profile itself is refused to them. */
  const closedSince = new Map<string, number>();
  /** Several lists are looked at at once. */
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
      // A key that was given to another account since opens that one.
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
      // Where the service doesn't tell whose it is, it may be the operator's.
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

/** What is forgotten is asked for anew. */
function put<Value>(known: Map<string, Value>, name: string, value: Value): void {
  if (known.size >= MOST) known.clear();
  known.set(name, value);
}
