import { z } from 'zod';
import { type SignedRecord, type SignedRecords, untilWritten } from '../platform/records.ts';

/** Of those without a name: the one that was used longest ago goes as another comes. */
const UNNAMED = 5;
/** In characters; and so many addresses can have one. */
export const NAME_LENGTH = 24;
export const NAMED_MOST = 15;
const ENDS = 4;
/** Accounts kept per address. */
const MAX_WITHDRAWN_FROM = 5;

const knownSchema = z.object({
  address: z.string(),
  name: z.string().optional(),
  /** Accounts that this user has withdrawn from to it, latest first. */
  withdrawnFrom: z.array(z.number()).optional(),
});

const bookSchema = z.union([
  z.object({ addresses: z.array(knownSchema), preferred: z.string().optional() }),
  // As it was written before addresses had names.
  z.array(z.string()).transform((list) => ({
    addresses: list.map((address): z.infer<typeof knownSchema> => ({ address })),
    preferred: undefined,
  })),
]);

export type KnownAddress = z.infer<typeof knownSchema>;

/** What a user's address book says, as it was just read. */
export interface Book {
  /** That they bought for or have named, the latest first. */
  addresses: readonly KnownAddress[];
  /** One of them: theirs by default. */
  preferred?: string | undefined;
}

/** Returns the book with this address first, under its name or a new one. Keeps the account it was withdrawn from, if given. */
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
  // The one by default stays, however long it wasn't used.
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

/** Whether putting this address first changes nothing. */
function isFirst({ addresses: [latest] }: Book, address: string, withdrawnFrom?: number): boolean {
  const isKnownAccount = withdrawnFrom === undefined || latest?.withdrawnFrom?.[0] === withdrawnFrom;
  return latest?.address === address && isKnownAccount;
}

const unnamedOf = ({ address, name }: KnownAddress) => (name === undefined ? [address] : []);

/** Whether two names are the same to who types them: without signs at their ends, and capitals. */
export function isSameName(one: string | undefined, other: string): boolean {
  return one !== undefined && other.length <= 2 * NAME_LENGTH && typed(one) === typed(other);
}

function typed(name: string): string {
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** Another address that has this name already. */
export function namedAlike(
  { addresses }: Book,
  address: string | undefined,
  name: string,
): KnownAddress | undefined {
  return addresses.find((one) => one.address !== address && isSameName(one.name, name));
}

/** Whether this one can have a name, beside those that have one. */
export function hasRoomForName({ addresses }: Book, address: string | undefined): boolean {
  return addresses.filter((one) => one.address !== address && one.name !== undefined).length < NAMED_MOST;
}

export function isKnown({ addresses }: Book, address: string): boolean {
  return addresses.some((one) => one.address === address);
}

/** Whether this user has withdrawn from the account to the address before. Purchases for it don't count. */
export function isWithdrawnTo({ addresses }: Book, address: string, account: number): boolean {
  return addresses.some((one) => one.address === address && one.withdrawnFrom?.includes(account) === true);
}

/**
 * A known address that `address` could be taken for: the same at both ends, and yet another one
 * (docs/facts.md, the chain). Every address begins with T, so the first character doesn't count.
 */
export function lookalike(address: string, book: Book): string | undefined {
  const ends = (of: string) => of.slice(1, 1 + ENDS) + of.slice(-ENDS);
  if (isKnown(book, address)) return undefined;
  return book.addresses.find((other) => ends(other.address) === ends(address))?.address;
}

/** Since it was last written: who comes back after that names an address anew. */
const KEPT_MS = 365 * 24 * 3600_000;

/** What the keys of address books begin with. */
export const ADDRESSES = 'addresses:';

/** `taken`: another address has that name; `full`: no more can have one. */
type Naming = 'named' | 'taken' | 'full';

export interface AddressBook {
  known(user: number): Promise<Book>;
  /** Begins to read at once what may be asked for later. */
  ahead(user: number): () => Promise<Book>;
  /**
   * Puts an address first that something was bought for or withdrawn to. `withdrawnFrom` is the account that a withdrawal
   * left. `known` is the book as it was just read, which saves a second read.
   */
  remember(
    user: number,
    address: string,
    about?: { withdrawnFrom?: number | undefined; known?: Book },
  ): Promise<void>;
  /** Keeps an address under this name, in place of the one that it had. Names differ for who types them (`isSameName`). */
  name(user: number, address: string, name: string): Promise<Naming>;
  /** Makes it the one by default, whether it was known or not; `undefined`: none is any more. */
  prefer(user: number, address: string | undefined): Promise<void>;
  remove(user: number, address: string): Promise<void>;
}

/** A book with the record that a change is compared with. */
type Read = Book & { record?: SignedRecord };

const EMPTY: Read = { addresses: [] };

/** Addresses that a user has a use for. They decide about money, and so are signed. */
export function createAddressBook({ records }: { records: SignedRecords }): AddressBook {
  const keyOf = (user: number) => `${ADDRESSES}{${user}}`;

  function ahead(user: number): () => Promise<Read> {
    const reading = records.ahead(keyOf(user));
    return async () => {
      const record = await reading();
      return record === undefined ? EMPTY : { ...bookSchema.parse(JSON.parse(record.content)), record };
    };
  }

  /** Writes only in place of what was read. What isn't ours is as good as not there, and is written over. */
  async function write(user: number, before: Read, book: Book): Promise<boolean> {
    const [key, lifetime] = [keyOf(user), { ttlMs: KEPT_MS }];
    const { addresses, preferred } = book;
    const content = JSON.stringify({ addresses, preferred });
    if (before.record) return (await records.replace(key, before.record, content, lifetime)) !== undefined;
    if (await records.add(key, content, lifetime)) return true;
    if ((await records.get(key)) !== undefined) return false;
    await records.set(key, content, lifetime);
    return true;
  }

  /** Applies `by` to the book as it is now; again, if somebody else was quicker. `undefined` leaves it as it is. */
  async function change(user: number, by: (book: Book) => Book | undefined, known?: Book): Promise<void> {
    let read: Read | undefined = known;
    await untilWritten(async () => {
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
