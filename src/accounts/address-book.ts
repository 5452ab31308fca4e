import { z } from 'zod';
import { DAY_MS } from '../platform/clock.ts';
import { defineRecord, type Stored } from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';

/** Maximum number of unnamed own addresses, and of customers'. The least recently used one is dropped for a new one. */
const MAX_UNNAMED = 5;
export const MAX_NAME_LENGTH = 24;
export const MAX_NAMED = 15;
/** Number of characters at each end of an address by which users recognize it. */
const COMPARED_CHARACTERS = 4;
const TTL_MS = 365 * DAY_MS;

const knownAddressSchema = z.object({
  address: z.string(),
  name: z.string().optional(),
  /** Set if the user has only sold energy for it. */
  isCustomers: z.literal(true).optional(),
});

export type KnownAddress = z.infer<typeof knownAddressSchema>;

const bookSchema = z.object({
  /** Addresses that the user has bought for, withdrawn to or named, latest first. */
  addresses: z.array(knownAddressSchema),
  /** Default address; one of `addresses`. */
  defaultAddress: z.string().optional(),
});

export type Book = z.infer<typeof bookSchema>;

export const ADDRESS_BOOK = defineRecord({
  keys: 'addresses:{user}',
  content: 'Addresses bought for or withdrawn to, named addresses, and the default one',
  schema: bookSchema,
  ttlMs: TTL_MS,
  expiry: '1 year since the last purchase or change',
  signed: true,
});

/** Returns the book with this address first, under its name or a new one. */
function putFirst(
  book: Book,
  { address, name, isCustomers }: { address: string; name?: string; isCustomers?: boolean },
): Book {
  const before = book.addresses.find((known) => known.address === address);
  const others = book.addresses.filter((known) => known.address !== address);
  const present: KnownAddress = { address };
  const newName = name ?? before?.name;
  if (newName !== undefined) present.name = newName;
  if (isCustomers ?? before?.isCustomers) present.isCustomers = true;

  const unnamed = [present, ...others].filter(
    (known) => known.name === undefined && known.isCustomers === present.isCustomers,
  );
  const dropped = unnamed.slice(MAX_UNNAMED).filter((known) => known.address !== book.defaultAddress);
  return { ...book, addresses: [present, ...others.filter((known) => !dropped.includes(known))] };
}

/**
 * Returns whether two names are equal, ignoring case and leading or trailing characters other than letters and digits.
 * A name longer than twice {@link MAX_NAME_LENGTH} equals none.
 */
export function isSameName(name: string | undefined, typed: string): boolean {
  if (name === undefined || typed.length > 2 * MAX_NAME_LENGTH) return false;
  return normalizeName(name) === normalizeName(typed);
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** Returns the name under which an address is saved, if any. */
export function nameOf({ addresses }: Pick<Book, 'addresses'>, address: string): string | undefined {
  return addresses.find((one) => one.address === address)?.name;
}

/** Politeness at the end of a text. */
const POLITENESS = /[\s,]+(?:please|pls|thanks|thank you|пожалуйста|плиз|спасибо)$/iu;
/** Words after which a name may also be amid a text: `buy for Exchange 24h`. */
const BEFORE_NAME = /^(?:for|to|для|на)$/iu;

/**
 * Finds a saved address by the longest name that begins or ends a text, or follows *for* or *to*. A question names none,
 * unless it is only the name. `rest`: the text without the name. `text`: the text with the address in its place.
 */
export function findSavedName(
  text: string,
  { addresses }: Pick<Book, 'addresses'>,
): { address: string; rest: string; text: string } | undefined {
  const said = text
    .trim()
    .replace(/[.!?]+$/, '')
    .replace(POLITENESS, '')
    .split(/\s+/);
  const found = addresses.flatMap(({ address, name = '' }) => {
    const { length } = name.split(/\s+/);
    const at = said.findIndex((_, from) => {
      const isNamed = isSameName(name, said.slice(from, from + length).join(' '));
      const isPlaced = from === 0 || from + length === said.length || BEFORE_NAME.test(said[from - 1] ?? '');
      return isNamed && isPlaced && from + length <= said.length;
    });
    const start = BEFORE_NAME.test(said[at - 1] ?? '') ? at - 1 : at;
    return at < 0 || !/[\p{L}\p{N}]/u.test(name)
      ? []
      : { address, name, rest: said.toSpliced(start, at + length - start).join(' ') };
  });
  const [named] = found.toSorted((one, other) => other.name.length - one.name.length);
  if (named && named.rest !== '' && /[?？]\s*$/u.test(text)) return undefined;
  return named && { address: named.address, rest: named.rest, text: `${named.rest} ${named.address}`.trim() };
}

/** Returns another address that already has this name. */
export function findByName(
  { addresses }: Book,
  address: string | undefined,
  name: string,
): KnownAddress | undefined {
  return addresses.find((known) => known.address !== address && isSameName(known.name, name));
}

/** Returns whether this address can have a name within the limit of {@link MAX_NAMED} names. */
export function canAddName({ addresses }: Book, address: string | undefined): boolean {
  const named = addresses.filter((known) => known.address !== address && known.name !== undefined);
  return named.length < MAX_NAMED;
}

export function isKnown({ addresses }: Pick<Book, 'addresses'>, address: string): boolean {
  return addresses.some((known) => known.address === address);
}

/**
 * Returns a known address that could be confused with `address`: a different one with the same characters at both ends
 * (docs/facts.md, the chain). Every address begins with T, so the first character doesn't count.
 */
export function findLookalike(address: string, book: Pick<Book, 'addresses'>): string | undefined {
  const ends = (of: string) => of.slice(1, 1 + COMPARED_CHARACTERS) + of.slice(-COMPARED_CHARACTERS);
  if (isKnown(book, address)) return undefined;
  return book.addresses.find((known) => ends(known.address) === ends(address))?.address;
}

/** `taken`: another address has that name. `full`: the maximum number of names is reached. */
type Naming = 'named' | 'taken' | 'full';

export type AddressBook = ReturnType<typeof createAddressBook>;

type ReadBook = Book & { stored?: Stored<Book> | undefined };

/** Creates the store of users' address books. They are signed because they affect payments. */
export function createAddressBook({ records }: Pick<AccountsDeps, 'records'>) {
  const books = records.store(ADDRESS_BOOK);

  function readAhead(user: number): () => Promise<ReadBook> {
    const reading = books.readAhead({ user });
    return async () => {
      const stored = await reading();
      return stored ? { ...stored.value, stored } : { addresses: [] };
    };
  }

  /** Writes nothing if `apply` returns `undefined`. */
  async function change(user: number, apply: (book: Book) => Book | undefined): Promise<void> {
    await books.update({ user }, (book = { addresses: [] }) => apply(book));
  }

  /** Applies `apply` to a book that was just read. Returns false if the stored book has changed since. */
  async function changeKnown(
    user: number,
    { stored, ...book }: ReadBook,
    apply: (book: Book) => Book | undefined,
  ): Promise<boolean> {
    const changed = apply(book);
    if (changed === undefined) return true;
    if (stored === undefined) return books.add({ user }, changed);
    return (await books.replace({ user }, stored, changed)) !== undefined;
  }

  return {
    async get(user: number): Promise<Book> {
      const { stored: _, ...book } = await readAhead(user)();
      return book;
    },
    readAhead,
    /**
     * Puts an address first after a purchase for it or a withdrawal to it. `known` is a book that was just read; it saves a
     * second read. `isCustomers`: it was an invoice for a customer, which leaves an own address an own one.
     */
    async remember(
      user: number,
      address: string,
      { known, isCustomers: isSold = false }: { known?: Book; isCustomers?: boolean } = {},
    ) {
      const apply = (book: Book) => {
        const before = book.addresses.find((one) => one.address === address);
        const isCustomers = isSold && (before === undefined || before.isCustomers === true);
        const isUnchanged = before === book.addresses[0] && (before?.isCustomers ?? false) === isCustomers;
        return before && isUnchanged ? undefined : putFirst(book, { address, isCustomers });
      };
      if (known && (await changeKnown(user, known as ReadBook, apply))) return;
      await change(user, apply);
    },
    /** Stores an address under this name and replaces its previous name. Names must differ by `isSameName`. */
    async setName(user: number, address: string, name: string): Promise<Naming> {
      let naming: Naming = 'named';
      await change(user, (book) => {
        if (findByName(book, address, name)) naming = 'taken';
        else naming = canAddName(book, address) ? 'named' : 'full';
        return naming === 'named' ? putFirst(book, { address, name }) : undefined;
      });
      return naming;
    },
    /** Makes an address the default, known or not. `undefined` removes the default. */
    setDefault: (user: number, address: string | undefined) =>
      change(user, (book) => ({
        ...(address === undefined || isKnown(book, address) ? book : putFirst(book, { address })),
        defaultAddress: address,
      })),
    remove: (user: number, address: string) =>
      change(user, ({ addresses, defaultAddress }) => ({
        addresses: addresses.filter((known) => known.address !== address),
        defaultAddress: defaultAddress === address ? undefined : defaultAddress,
      })),
  };
}
