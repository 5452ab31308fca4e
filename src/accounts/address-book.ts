import { untilWritten } from '../storage/contention.ts';
import type { SignedRecord, SignedRecords } from '../storage/signed-records.ts';
import { type Book, bookSchema, hasRoomForName, isFirst, isKnown, namedAlike, putFirst } from './book.ts';

/** Since it was last written: who comes back after that names an address anew. */
const KEPT_MS = 365 * 24 * 3600_000;

/** What the keys of address books begin with. */
export const ADDRESSES = 'addresses:';

/** `taken`: another address has that name; `full`: no more can have one. */
export type Naming = 'named' | 'taken' | 'full';

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
