import { z } from 'zod';

/** Of those without a name: the one that was used longest ago goes as another comes. */
const UNNAMED = 5;
/** In characters; and so many addresses can have one. */
export const NAME_LENGTH = 24;
export const NAMED_MOST = 15;
const ENDS = 4;

const knownSchema = z.object({
  address: z.string(),
  name: z.string().optional(),
  /** Nothing was done for it yet: it was only named, or made the one by default. */
  unused: z.literal(true).optional(),
});

export const bookSchema = z.union([
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

/** The book with this address before all others, under its name or a new one. */
export function putFirst(
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

/** Whether nothing changes by using this one again. */
export function isFirst({ addresses: [latest] }: Book, address: string): boolean {
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
