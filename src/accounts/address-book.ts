import { z } from 'zod';
import { retryOnConflict, type SignedRecord, type SignedRecords } from '../platform/records.ts';

/** Maximum number of unnamed addresses. The least recently used one is dropped for a new one. */
const UNNAMED = 5;
/** Maximum length of an address name, in characters. */
export const NAME_LENGTH = 24;
/** Maximum number of named addresses. */
export const MAX_NAMED = 15;
const ENDS = 4;
/** Maximum number of accounts stored per address. */
const MAX_WITHDRAWN_FROM = 5;

const knownSchema = z.object({
  address: z.string(),
  name: z.string().optional(),
  /** Accounts from which this user has withdrawn to the address, latest first. */
  withdrawnFrom: z.array(z.number()).optional(),
});

const bookSchema = z.union([
  z.object({ addresses: z.array(knownSchema), preferred: z.string().optional() }),
  // Format from before addresses had names.
  z.array(z.string()).transform((list) => ({
    addresses: list.map((address): z.infer<typeof knownSchema> => ({ address })),
    preferred: undefined,
  })),
]);

export type KnownAddress = z.infer<typeof knownSchema>;

/** A user's address book as last read. */
export interface Book {
  /** Addresses that the user has bought for, withdrawn to or named, latest first. */
  addresses: readonly KnownAddress[];
  /** Default address; one of `addresses`. */
  preferred?: string | undefined;
}

/**
 * Returns the book with this address first, under its name or a new one. Adds the account that was withdrawn from, if
 * given.
 */
function putFirst(
  book: Book,
  { address, name, withdrawnFrom }: { address: string; name?: string; withdrawnFrom?: number | undefined },
): Book {
  const before = book.addresses.find((one) => one.address === address);
  const named = name ?? before?.name;
  const former = before?.withdrawnFrom ?? [];
  const accounts =
    withdrawnFrom === undefined ? former : [withdrawnFrom, ...former.filter((one) => one !== withdrawnFrom)];
  const others = book.addresses.filter((one) => one.address !== address);
  const unnamed = [...(named === undefined ? [address] : []), ...others.flatMap(unnamedOf)];
  // The default address is never dropped.
  const kept = new Set([...unnamed.slice(0, UNNAMED), book.preferred]);
  const present: KnownAddress = {
    address,
    ...(named !== undefined && { name: named }),
    ...(accounts.length > 0 && { withdrawnFrom: accounts.slice(0, MAX_WITHDRAWN_FROM) }),
  };
  return {
    ...book,
    addresses: [present, ...others.filter((one) => one.name !== undefined || kept.has(one.address))],
  };
}

/** Returns whether putting this address first would change nothing. */
function isFirst({ addresses: [latest] }: Book, address: string, withdrawnFrom?: number): boolean {
  const isKnownAccount = withdrawnFrom === undefined || latest?.withdrawnFrom?.[0] === withdrawnFrom;
  return latest?.address === address && isKnownAccount;
}

const unnamedOf = ({ address, name }: KnownAddress) => (name === undefined ? [address] : []);

/**
 * Returns whether two names are equal, ignoring case and leading or trailing characters other than letters and digits.
 * A name longer than twice {@link NAME_LENGTH} equals none.
 */
export function isSameName(one: string | undefined, other: string): boolean {
  return one !== undefined && other.length <= 2 * NAME_LENGTH && typed(one) === typed(other);
}

function typed(name: string): string {
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** Returns another address that already has this name. */
export function namedAlike(
  { addresses }: Book,
  address: string | undefined,
  name: string,
): KnownAddress | undefined {
  return addresses.find((one) => one.address !== address && isSameName(one.name, name));
}

/** Returns whether this address can have a name within the limit of {@link MAX_NAMED} names. */
export function hasRoomForName({ addresses }: Book, address: string | undefined): boolean {
  return addresses.filter((one) => one.address !== address && one.name !== undefined).length < MAX_NAMED;
}

export function isKnown({ addresses }: Book, address: string): boolean {
  return addresses.some((one) => one.address === address);
}

/**
 * Returns whether this user has withdrawn from the account to the address before. Purchases for the address don't
 * count.
 */
export function isWithdrawnTo({ addresses }: Book, address: string, account: number): boolean {
  return addresses.some((one) => one.address === address && one.withdrawnFrom?.includes(account) === true);
}

/**
 * Returns a known address that could be confused with `address`: a different one with the same characters at both ends
 * (docs/facts.md, the chain). Every address begins with T, so the first character doesn't count.
 */
export function lookalike(address: string, book: Book): string | undefined {
  const ends = (of: string) => of.slice(1, 1 + ENDS) + of.slice(-ENDS);
  if (isKnown(book, address)) return undefined;
  return book.addresses.find((other) => ends(other.address) === ends(address))?.address;
}

/** TTL of an address book since its last change, in milliseconds. */
const TTL_MS = 365 * 24 * 3600_000;

/** Key prefix of address books. */
export const ADDRESSES = 'addresses:';

/** `taken`: another address has that name. `full`: the maximum number of names is reached. */
type Naming = 'named' | 'taken' | 'full';

export interface AddressBook {
  known(user: number): Promise<Book>;
  /** Starts reading at once. The returned function resolves with the result. */
  ahead(user: number): () => Promise<Book>;
  /**
   * Puts an address first after a purchase for it or a withdrawal to it. `withdrawnFrom` is the account of the
   * withdrawal. `known` is a book that was just read; it saves a second read.
   */
  remember(
    user: number,
    address: string,
    about?: { withdrawnFrom?: number | undefined; known?: Book },
  ): Promise<void>;
  /** Stores an address under this name and replaces its previous name. Names must differ by `isSameName`. */
  name(user: number, address: string, name: string): Promise<Naming>;
  /** Makes an address the default, known or not. `undefined` removes the default. */
  prefer(user: number, address: string | undefined): Promise<void>;
  remove(user: number, address: string): Promise<void>;
}

/** Book with the record that it was read from. */
type Read = Book & { record?: SignedRecord };

const EMPTY: Read = { addresses: [] };

/** Creates the store of users' address books. They are signed because they affect payments. */
export function createAddressBook({ records }: { records: SignedRecords }): AddressBook {
  const keyOf = (user: number) => `${ADDRESSES}{${user}}`;

  function ahead(user: number): () => Promise<Read> {
    const reading = records.ahead(keyOf(user));
    return async () => {
      const record = await reading();
      return record === undefined ? EMPTY : { ...bookSchema.parse(JSON.parse(record.content)), record };
    };
  }

  /**
   * Writes the book and returns true, or false if the stored one has changed since it was read. Overwrites a record
   * that fails verification.
   */
  async function write(user: number, before: Read, book: Book): Promise<boolean> {
    const [key, lifetime] = [keyOf(user), { ttlMs: TTL_MS }];
    const { addresses, preferred } = book;
    const content = JSON.stringify({ addresses, preferred });
    if (before.record) return (await records.replace(key, before.record, content, lifetime)) !== undefined;
    if (await records.add(key, content, lifetime)) return true;
    if ((await records.get(key)) !== undefined) return false;
    await records.set(key, content, lifetime);
    return true;
  }

  /** Applies `by` to the current book, again after a concurrent write. Writes nothing if `by` returns `undefined`. */
  async function change(user: number, by: (book: Book) => Book | undefined, known?: Book): Promise<void> {
    let read: Read | undefined = known;
    await retryOnConflict(async () => {
      const before = read ?? (await ahead(user)());
      read = undefined;
      const after = by(before);
      return after === undefined || (await write(user, before, after)) || undefined;
    });
  }

  return {
    async known(user) {
      const { addresses, preferred } = await ahead(user)();
      return { addresses, ...(preferred !== undefined && { preferred }) };
    },
    ahead,
    remember: (user, address, { withdrawnFrom, known } = {}) =>
      change(
        user,
        (book) =>
          isFirst(book, address, withdrawnFrom) ? undefined : putFirst(book, { address, withdrawnFrom }),
        known,
      ),
    async name(user, address, name) {
      let naming: Naming = 'named';
      await change(user, (book) => {
        if (namedAlike(book, address, name)) naming = 'taken';
        else naming = hasRoomForName(book, address) ? 'named' : 'full';
        return naming === 'named' ? putFirst(book, { address, name }) : undefined;
      });
      return naming;
    },
    prefer: (user, address) =>
      change(user, (book) => ({
        ...(address === undefined || isKnown(book, address) ? book : putFirst(book, { address })),
        preferred: address,
      })),
    remove: (user, address) =>
      change(user, ({ addresses, preferred }) => ({
        addresses: addresses.filter((one) => one.address !== address),
        preferred: preferred === address ? undefined : preferred,
      })),
  };
}
