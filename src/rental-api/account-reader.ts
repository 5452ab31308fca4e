import type { Outcome, Rental } from './client.ts';
import { ENDPOINTS, type Endpoints } from './endpoints.ts';
import type { Profile } from './schemas.ts';

/** Names of the client's methods that read (`ENDPOINTS`). */
type ReadName = {
  [Name in keyof Endpoints]: Endpoints[Name]['kind'] extends 'read' ? Name : never;
}[keyof Endpoints];

const READ_NAMES = Object.values(ENDPOINTS).flatMap(({ kind, name }) => (kind === 'read' ? [name] : []));

type WithoutKey<Method> = Method extends (key: string, ...others: infer Others) => infer Result
  ? (...others: Others) => Result
  : never;

/** Reads with one API key: the client's methods without their first argument. */
export type AccountReads = { [Name in ReadName]: WithoutKey<Rental[Name]> };

/** Returns the reads with this key. They don't check which account the key opens. */
export function readsWith(rental: Pick<Rental, ReadName>, apiKey: string): AccountReads {
  const client = rental as Record<ReadName, (key: string, ...others: unknown[]) => unknown>;
  const reads = READ_NAMES.map((name) => [name, (...others: unknown[]) => client[name](apiKey, ...others)]);
  return Object.fromEntries(reads) as AccountReads;
}

/** The service has assigned the key to another account. What was read belongs to that account. */
export interface OtherAccount {
  kind: 'other-account';
}

export type AccountOutcome<Value> = Outcome<Value> | OtherAccount;

/** Reads from an account for one reply. */
export interface OpenedAccount {
  /**
   * Makes the reads of `request`, and at the same time reads the profile, once for all reads of the reply. Returns the
   * value only if the key opens the account.
   */
  read<Value>(request: (reads: AccountReads) => Promise<Outcome<Value>>): Promise<AccountOutcome<Value>>;
}

export type AccountReader = ReturnType<typeof createAccountReader>;

/**
 * Creates the only way to read from an account for a user. The service may assign a key to another account after it was
 * linked, so each reply needs a profile that names the account.
 * @example
 * const account = accountReader.open({ account: 1001, apiKey });
 * const deposit = await account.read((reads) => reads.depositInfo());
 */
export function createAccountReader({ rental }: { rental: Pick<Rental, ReadName> }) {
  return {
    open({ account, apiKey }: { account: number; apiKey: string }): OpenedAccount {
      let profile: Promise<Outcome<Profile>> | undefined;
      const reads = readsWith(rental, apiKey);
      const readProfile = () => {
        profile ??= reads.profile();
        return profile;
      };
      return {
        async read(request) {
          const [found, outcome] = await Promise.all([
            readProfile(),
            request({ ...reads, profile: readProfile }),
          ]);
          if (found.kind !== 'accepted') return found;
          return found.value.id === account ? outcome : { kind: 'other-account' };
        },
      };
    },
    /** Reads the profile of a key that isn't linked yet. */
    identify: (apiKey: string): Promise<Outcome<Profile>> => rental.profile(apiKey),
  };
}
