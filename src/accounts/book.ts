import { z } from 'zod';

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

/** Returns the book with this address first, under its name or a new one. Keeps the account it was withdrawn from, if given. */
export function putFirst(
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
export function isFirst({ addresses: [latest] }: Book, address: string, withdrawnFrom?: number): boolean {
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
