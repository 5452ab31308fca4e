import { describe, expect, test } from 'vitest';
import { type AddressBook, createAddressBook, lookalike } from '../../src/accounts/address-book.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { signedRecords } from '../support/records.ts';

const USER = 502;
const KNOWN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const remember = async (book: AddressBook, address: string) =>
  book.remember(USER, address, await book.known(USER));

describe('the address book', () => {
  test('begins empty, and each user has their own', async () => {
    const book = createAddressBook({ records: signedRecords(createMemoryStorage()) });
    await remember(book, KNOWN);
    expect(await book.known(USER + 1)).toEqual([]);
  });

  test('lists the latest first, each once', async () => {
    const book = createAddressBook({ records: signedRecords(createMemoryStorage()) });
    for (const address of ['A', 'B', 'C', 'A']) await remember(book, address);
    expect(await book.known(USER)).toEqual(['A', 'C', 'B']);
  });

  test('holds five, and forgets the one that was used longest ago', async () => {
    const book = createAddressBook({ records: signedRecords(createMemoryStorage()) });
    for (const address of ['A', 'B', 'C', 'D', 'E', 'A', 'F']) await remember(book, address);
    expect(await book.known(USER)).toEqual(['F', 'A', 'E', 'D', 'C']);
  });
});

test('an address book that was changed is empty, and begins anew', async () => {
  const storage = createMemoryStorage();
  const book = createAddressBook({ records: signedRecords(storage) });
  await remember(book, KNOWN);
  const text = (await storage.get(`addresses:{${USER}}`)) ?? '';
  await storage.set(`addresses:{${USER}}`, text.replace(KNOWN, 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4'));
  expect(await book.known(USER)).toEqual([]);
  await remember(book, KNOWN);
  expect(await book.known(USER)).toEqual([KNOWN]);
});

describe('an address is taken for a known one', () => {
  const ends = (start: string, end: string) => `T${start}${'x'.repeat(25)}${end}`;

  test('where four characters at both ends are the same', () => {
    expect(lookalike(ends('R7NH', 'Lj6t'), ['Tabc', KNOWN])).toBe(KNOWN);
  });

  test.each([
    ['another beginning', ends('R7NX', 'Lj6t')],
    ['another end', ends('R7NH', 'Xj6t')],
    ['letters of another case', ends('r7NH', 'Lj6t')],
  ])('not with %s', (_, address) => {
    expect(lookalike(address, [KNOWN])).toBeUndefined();
  });

  test('not where it is known itself', () => {
    const other = ends('R7NH', 'Lj6t');
    expect(lookalike(KNOWN, [other, KNOWN])).toBeUndefined();
    expect(lookalike(KNOWN, [])).toBeUndefined();
  });
});
