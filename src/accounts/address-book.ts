import { z } from 'zod';
import type { SignedRecords } from '../storage/signed-records.ts';

const SIZE = 5;
const ENDS = 4;
/** Since it was last written: who comes back after that names an address anew. */
const KEPT_MS = 365 * 24 * 3600_000;

/** What the keys of address books begin with. */
export const ADDRESSES = 'addresses:';

const bookSchema = z.array(z.string());

export interface AddressBook {
  /** The addresses that this user bought for, the latest first. */
  known(user: number): Promise<string[]>;
  /** Begins to read at once what may be asked for later. */
  ahead(user: number): () => Promise<string[]>;
  /** Puts an address first. `known` is what the user has, as it was just read. */
  remember(user: number, address: string, known: string[]): Promise<void>;
}

export function createAddressBook({ records }: { records: SignedRecords }): AddressBook {
  const keyOf = (user: number) => `${ADDRESSES}{${user}}`;

  function ahead(user: number): () => Promise<string[]> {
    const reading = records.ahead(keyOf(user));
    return async () => {
      const record = await reading();
      return record === undefined ? [] : bookSchema.parse(JSON.parse(record.content));
    };
  }

  return {
    known: (user) => ahead(user)(),
    ahead,
    async remember(user, address, known) {
      if (known[0] === address) return;
      const others = known.filter((other) => other !== address);
      const addresses = [address, ...others].slice(0, SIZE);
      await records.set(keyOf(user), JSON.stringify(addresses), { ttlMs: KEPT_MS });
    },
  };
}

/**
 * A known address that `address` could be taken for: the same at both ends, and yet another one
 * (docs/facts.md, the chain). Every address begins with T, so the first character doesn't count.
 */
export function lookalike(address: string, known: string[]): string | undefined {
  const ends = (of: string) => of.slice(1, 1 + ENDS) + of.slice(-ENDS);
  if (known.includes(address)) return undefined;
  return known.find((other) => ends(other) === ends(address));
}
