import { z } from 'zod';
import { untilWritten } from '../storage/contention.ts';
import type { SignedRecord, SignedRecords } from '../storage/signed-records.ts';

/** Of those without a name: the one that was used longest ago goes as another comes. */
const UNNAMED = 5;
/** In characters; and so many addresses can have one. */
export const NAME_LENGTH = 24;
export const NAMED_MOST = 15;
const ENDS = 4;
/** Since it was last written: who comes back after that names an address anew. */
const KEPT_MS = 365 * 24 * 3600_000;

/** What the keys of address books begin with. */
export const ADDRESSES = 'addresses:';

const knownSchema = z.object({
  address: z.string(),
  name: z.string().optional(),
  /** Nothing was done for it yet: it was only named, or made the one by default. */
  unused: z.literal(true).optional(),
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

/** `taken`: another address has that name; `full`: {@link NAMED_MOST} have names. */
export type Naming = 'named' | 'taken' | 'full';

export interface AddressBook {
  known(user: number): Promise<Book>;
  /** Begins to read at once what may be asked for later. */
  ahead(user: number): () => Promise<Book>;
  /** Something was done for it: puts it first. `known` is the book as it was just read: no second read then. */
  remember(user: number, address: string, known?: Book): Promise<void>;
  /** Keeps an address under this name, in place of the one that it had. Names differ for who types them ({@link isSameName}). */
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
    remember: (user, address, known) =>
      change(
        user,
        (book) => (isFirst(book, address) ? undefined : first(book, { address, isUsed: true })),
        known,
      ),
    async name(user, address, name) {
      let naming: Naming = 'named';
      await change(user, (book) => {
        const others = book.addresses.filter((one) => one.address !== address && one.name !== undefined);
        naming = others.some((one) => isSameName(one.name, name))
          ? 'taken'
          : others.length >= NAMED_MOST
            ? 'full'
            : 'named';
        return naming === 'named' ? first(book, { address, name }) : undefined;
      });
      return naming;
    },
    prefer: (user, address) =>
      change(user, (book) => ({
        ...(address === undefined || isKnown(book, address) ? book : first(book, { address })),
        preferred: address,
      })),
    remove: (user, address) =>
      change(user, ({ addresses, preferred }) => ({
        addresses: addresses.filter((one) => one.address !== address),
        preferred: preferred === address ? undefined : preferred,
      })),
  };
}

/** The book with this address before all others, under its name or a new one. */
function first(
  book: Book,
  { address, name, isUsed = false }: { address: string; name?: string; isUsed?: boolean },
): Book {
  const before = book.addresses.find((one) => one.address === address);
  const named = name ?? before?.name;
  const isUnused = !isUsed && (before === undefined || before.unused === true);
  const others = book.addresses.filter((one) => one.address !== address);
  const unnamed = [...(named === undefined ? [address] : []), ...others.flatMap(unnamedOf)];
  // The one by default stays, however long it wasn't used.
  const kept = new Set([...unnamed.slice(0, UNNAMED), book.preferred]);
  const present: KnownAddress = {
    address,
    ...(named !== undefined && { name: named }),
    ...(isUnused && { unused: true }),
  };
  return {
    ...book,
    addresses: [present, ...others.filter((one) => one.name !== undefined || kept.has(one.address))],
  };
}

function isFirst({ addresses: [latest] }: Book, address: string): boolean {
  return latest?.address === address && !latest.unused;
}

const unnamedOf = ({ address, name }: KnownAddress) => (name === undefined ? [address] : []);

/** Whether two names are the same to who types them: without signs at their ends, and capitals. */
export function isSameName(one: string | undefined, other: string): boolean {
  return one !== undefined && other.length <= 2 * NAME_LENGTH && typed(one) === typed(other);
}

function typed(name: string): string {
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

export function isKnown({ addresses }: Book, address: string): boolean {
  return addresses.some((one) => one.address === address);
}

/** Whether something was done for it before: it isn't only named. */
export function isUsed({ addresses }: Book, address: string): boolean {
  return addresses.some((one) => one.address === address && !one.unused);
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
