import { describe, expect, test } from 'vitest';
import {
  type AddressBook,
  createAddressBook,
  findLookalike,
  MAX_NAMED,
} from '../../src/accounts/address-book.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';

const USER = 502;
const KEY = `addresses:{${USER}}`;
const KNOWN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

function newBook() {
  const storage = createMemoryStorage();
  return { storage, book: createAddressBook({ records: signedRecords(storage) }) };
}

const listed = async (book: AddressBook) =>
  (await book.get(USER)).addresses.map(({ address, name }) => (name ? `${address}=${name}` : address));

describe('the address book', () => {
  test('is empty at first and separate for each user', async () => {
    const { book } = newBook();
    await book.remember(USER, KNOWN);
    expect(await book.get(USER + 1)).toEqual({ addresses: [] });
  });

  test('lists each address once, the latest first, and drops all but the last five unnamed ones', async () => {
    const { book } = newBook();
    for (const address of ['A', 'B', 'C', 'A']) await book.remember(USER, address);
    expect(await listed(book)).toEqual(['A', 'C', 'B']);
    for (const address of ['D', 'E', 'A', 'F']) await book.remember(USER, address);
    expect(await listed(book)).toEqual(['F', 'A', 'E', 'D', 'C']);
  });

  test('keeps named addresses and the default, however many others are used', async () => {
    const { book } = newBook();
    expect(await book.setName(USER, 'A', 'Main')).toBe('named');
    await book.remember(USER, 'B');
    await book.setDefault(USER, 'B');
    for (const address of ['C', 'D', 'E', 'F', 'G', 'H']) await book.remember(USER, address);
    expect(await listed(book)).toEqual(['H', 'G', 'F', 'E', 'D', 'B', 'A=Main']);
    expect(await book.get(USER)).toMatchObject({ defaultAddress: 'B' });
  });

  test("drops an own address for no customer's, and makes a customer's address that is used an own one", async () => {
    const { book } = newBook();
    await book.remember(USER, 'A');
    for (const address of ['B', 'C', 'D', 'E', 'F', 'G', 'A'])
      await book.remember(USER, address, { isCustomers: true });
    expect(await listed(book)).toEqual(['A', 'G', 'F', 'E', 'D', 'C']);
    await book.remember(USER, 'G');
    const { addresses } = await book.get(USER);
    expect(addresses.filter((one) => !one.isCustomers).map(({ address }) => address)).toEqual(['G', 'A']);
  });

  test('keeps the name of an address that is used again, and can change it', async () => {
    const { book } = newBook();
    await book.setName(USER, 'A', 'Main');
    await book.remember(USER, 'B');
    await book.remember(USER, 'A');
    expect(await listed(book)).toEqual(['A=Main', 'B']);
    expect(await book.setName(USER, 'A', 'Cold')).toBe('named');
    expect(await listed(book)).toEqual(['A=Cold', 'B']);
  });

  test('rejects a name that another address has, ignoring case', async () => {
    const { book } = newBook();
    await book.setName(USER, 'A', 'Main');
    expect(await book.setName(USER, 'B', 'MAIN')).toBe('taken');
    expect(await book.setName(USER, 'A', 'MAIN')).toBe('named');
    expect(await listed(book)).toEqual(['A=MAIN']);
  });

  test('limits the number of names but still allows renaming', async () => {
    const { book } = newBook();
    for (let at = 0; at < MAX_NAMED; at++) expect(await book.setName(USER, `A${at}`, `n${at}`)).toBe('named');
    expect(await book.setName(USER, 'B', 'another')).toBe('full');
    expect(await book.setName(USER, 'A0', 'first')).toBe('named');
    expect(await listed(book)).toHaveLength(MAX_NAMED);
  });

  test('clears the default on request and when its address is removed', async () => {
    const { book } = newBook();
    await book.setDefault(USER, 'A');
    await book.setDefault(USER, undefined);
    expect(await book.get(USER)).toEqual({ addresses: [{ address: 'A' }] });
    await book.setName(USER, 'A', 'Main');
    await book.setDefault(USER, 'A');
    await book.remove(USER, 'A');
    expect(await book.get(USER)).toEqual({ addresses: [] });
  });

  test('keeps all concurrent changes', async () => {
    const { book } = newBook();
    await Promise.all([
      book.setName(USER, 'A', 'Main'),
      book.remember(USER, 'B'),
      book.setDefault(USER, 'A'),
      book.setName(USER, 'C', 'Cold'),
    ]);
    expect((await listed(book)).toSorted()).toEqual(['A=Main', 'B', 'C=Cold']);
    expect(await book.get(USER)).toMatchObject({ defaultAddress: 'A' });
  });

  test('does not overwrite a later change with a book that was read ahead', async () => {
    const { book } = newBook();
    const before = await book.readAhead(USER)();
    await book.setName(USER, 'A', 'Main');
    await book.remember(USER, 'B', { known: before });
    expect(await listed(book)).toEqual(['B', 'A=Main']);
    const since = await book.readAhead(USER)();
    await book.setName(USER, 'C', 'Cold');
    await book.remember(USER, 'D', { known: since });
    expect(await listed(book)).toEqual(['D', 'C=Cold', 'B', 'A=Main']);
  });
});

test.each([
  ['an address', KNOWN, OTHER],
  ['a name', 'Main', 'Mine'],
  ['the default', `"defaultAddress":"${KNOWN}"`, `"defaultAddress":"${OTHER}"`],
])('treats an address book as empty if %s was tampered with', async (_, from, to) => {
  const { storage, book } = newBook();
  await book.setName(USER, KNOWN, 'Main');
  await book.setDefault(USER, KNOWN);
  const text = (await storage.get(KEY)) ?? '';
  expect(text).toContain(from);
  await storage.set(KEY, text.replace(from, to));
  expect(await book.get(USER)).toEqual({ addresses: [] });
  await book.remember(USER, KNOWN);
  expect(await listed(book)).toEqual([KNOWN]);
});

test('treats a copy of another user’s book as missing', async () => {
  const { storage, book } = newBook();
  await book.setName(USER + 1, KNOWN, 'Theirs');
  await storage.set(KEY, (await storage.get(`addresses:{${USER + 1}}`)) ?? '');
  expect(await book.get(USER)).toEqual({ addresses: [] });
});

test('keeps an address book for a year after its last change', async () => {
  let at = Date.parse('2025-06-02T10:00:00Z');
  const book = createAddressBook({ records: signedRecords(createMemoryStorage({ now: () => at })) });
  await book.setName(USER, KNOWN, 'Main');
  at += 364 * 24 * 3600_000;
  expect(await listed(book)).toEqual([`${KNOWN}=Main`]);
  at += 2 * 24 * 3600_000;
  expect(await listed(book)).toEqual([]);
});

describe('lookalike', () => {
  const ends = (start: string, end: string) => `T${start}${'x'.repeat(25)}${end}`;
  const holding = (...addresses: string[]) => ({ addresses: addresses.map((address) => ({ address })) });

  test('returns a known address with the same four characters at both ends', () => {
    expect(findLookalike(ends('R7NH', 'Lj6t'), holding('Tabc', KNOWN))).toBe(KNOWN);
  });

  test.each([
    ['another beginning', ends('R7NX', 'Lj6t')],
    ['another end', ends('R7NH', 'Xj6t')],
    ['letters of another case', ends('r7NH', 'Lj6t')],
  ])('does not match an address with %s', (_, address) => {
    expect(findLookalike(address, holding(KNOWN))).toBeUndefined();
  });

  test('does not match an address that is itself known', () => {
    const other = ends('R7NH', 'Lj6t');
    expect(findLookalike(KNOWN, holding(other, KNOWN))).toBeUndefined();
    expect(findLookalike(KNOWN, holding())).toBeUndefined();
  });
});
