import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { createLinks, type Links } from '../../src/accounts/links.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { failing } from '../operations/operations-setup.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';

const USER = 502;
const ACCOUNT = 1001;
const KEY = 'the-key-of-an-account-abcd';

let storage: Storage;
let links: Links;
const secret = randomBytes(32);

const linksWith = (...keys: Uint8Array[]) =>
  createLinks({ storage, records: signedRecords(storage), seal: createSeal(keys), now: () => 1_000 });

beforeEach(() => {
  storage = createMemoryStorage();
  links = linksWith(secret);
});

test('stores the last four characters of the key and returns the key', async () => {
  const link = { account: ACCOUNT, tail: 'abcd', linkedAt: 1_000, language: 'en' };
  expect(await links.link(USER, ACCOUNT, KEY, 'en')).toEqual(link);
  expect(await links.find(USER)).toEqual(link);
  expect(await links.apiKey(USER, ACCOUNT)).toBe(KEY);
});

test('returns link and key with one read, but no key under another secret', async () => {
  const link = await links.link(USER, ACCOUNT, KEY, 'en');
  const reads = vi.spyOn(storage, 'get');
  expect(await links.readAhead(USER).open()).toEqual({ link, apiKey: KEY });
  expect(reads).toHaveBeenCalledOnce();
  expect(await links.readAhead(USER + 1).open()).toBeUndefined();
  expect(await linksWith(randomBytes(32)).readAhead(USER).open()).toEqual({ link, apiKey: undefined });
});

test('neither stores nor returns the key in a readable form', async () => {
  const stored: string[] = [];
  const watched: Storage = {
    ...storage,
    set: (key, value) => {
      stored.push(key, value);
      return storage.set(key, value);
    },
  };
  const seal = createSeal([secret]);
  const own = createLinks({ storage: watched, records: signedRecords(watched), seal, now: () => 1_000 });
  await own.link(USER, ACCOUNT, KEY, 'en');
  const texts = [...stored, JSON.stringify(await own.find(USER))];
  expect(stored).toHaveLength(2);
  for (const form of [
    KEY,
    ...(['base64', 'base64url', 'hex'] as const).map((to) => Buffer.from(KEY).toString(to)),
  ]) {
    expect(texts.filter((text) => text.includes(form))).toEqual([]);
  }
});

test.each([
  ['abcd', 'cd'],
  ['abcdefg', 'efg'],
  ['abcdefgh', 'efgh'],
])('for the short key %s shows only %s', async (key, tail) => {
  expect(await links.link(USER, ACCOUNT, key, 'en')).toMatchObject({ tail });
});

test('does not open a record that was copied from another user', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  const [ours, theirs] = [`link:{${USER}}`, `link:{${USER + 1}}`];
  await storage.set(theirs, (await storage.get(ours)) ?? '');
  expect(await links.find(USER + 1)).toBeUndefined();
  expect(await links.apiKey(USER + 1, ACCOUNT)).toBeUndefined();
  expect(await links.apiKey(USER, ACCOUNT)).toBe(KEY);
});

test('marks a user as a merchant after a sale, unless the user declined', async () => {
  await links.markAsMerchant(USER);
  expect(await links.find(USER)).toBeUndefined();
  await links.link(USER, ACCOUNT, KEY, 'en');
  await links.markAsMerchant(USER);
  expect(await links.find(USER)).toMatchObject({ isMerchant: true, account: ACCOUNT });
  await links.setMerchant(USER, false);
  await links.markAsMerchant(USER);
  await links.link(USER, ACCOUNT + 1, KEY, 'en');
  expect(await links.find(USER)).toMatchObject({ isMerchant: false, account: ACCOUNT + 1 });
  expect(await links.apiKey(USER, ACCOUNT + 1)).toBe(KEY);
});

test('treats a link with any tampered field as missing, and allows a new one', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  await links.markAsMerchant(USER);
  const key = `link:{${USER}}`;
  const [version, mac, ...content] = ((await storage.get(key)) ?? '').split('.');
  for (const [path, changed] of changedFields(content.join('.'))) {
    await storage.set(key, `${version}.${mac}.${changed}`);
    expect(await links.find(USER), path).toBeUndefined();
    expect(await links.apiKey(USER, ACCOUNT), path).toBeUndefined();
    expect(await links.apiKey(USER, ACCOUNT + 1), path).toBeUndefined();
  }
  await links.link(USER, ACCOUNT + 1, KEY, 'en');
  expect(await links.apiKey(USER, ACCOUNT + 1)).toBe(KEY);
});

test('re-encrypts a key of an older secret when it is used', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  const newer = randomBytes(32);
  expect(await linksWith(newer, secret).apiKey(USER, ACCOUNT)).toBe(KEY);
  expect(await linksWith(newer).apiKey(USER, ACCOUNT)).toBe(KEY);
});

test('does not overwrite a key that is replaced during re-encryption', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  const replacing: Storage = {
    ...storage,
    async replace(...change) {
      await links.link(USER, ACCOUNT, 'the-key-that-was-linked-meanwhile', 'en');
      return storage.replace(...change);
    },
  };
  const rotated = createLinks({
    storage,
    records: signedRecords(replacing),
    seal: createSeal([randomBytes(32), secret]),
    now: () => 1_000,
  });
  await rotated.apiKey(USER, ACCOUNT);
  expect(await links.apiKey(USER, ACCOUNT)).toBe('the-key-that-was-linked-meanwhile');
});

test('returns the key only for the linked account', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  expect(await links.apiKey(USER, ACCOUNT + 1)).toBeUndefined();
  await links.link(USER, ACCOUNT + 1, 'the-key-of-another-one', 'en');
  expect(await links.apiKey(USER, ACCOUNT)).toBeUndefined();
  expect(await links.apiKey(USER, ACCOUNT + 1)).toBe('the-key-of-another-one');
});

test('removes the record on unlink', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  await links.unlink(USER);
  expect(await links.find(USER)).toBeUndefined();
  expect(await links.apiKey(USER, ACCOUNT)).toBeUndefined();
  expect(await storage.get(`link:{${USER}}`)).toBeUndefined();
});

test('returns the remaining holders of an account', async () => {
  expect(await links.holders(ACCOUNT)).toEqual([]);
  await links.link(USER, ACCOUNT, KEY, 'en');
  await links.link(USER + 1, ACCOUNT, KEY, 'en');
  await links.unlink(USER);
  expect(await links.holders(ACCOUNT)).toHaveLength(1);
  await links.link(USER + 1, ACCOUNT + 1, KEY, 'en');
  expect(await links.holders(ACCOUNT)).toEqual([]);
  expect(await links.holders(ACCOUNT + 1)).toHaveLength(1);
});

test('opens a key with a previous secret, but not without it', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  expect(await linksWith(randomBytes(32), secret).apiKey(USER, ACCOUNT)).toBe(KEY);
  const without = linksWith(randomBytes(32));
  expect(await without.apiKey(USER, ACCOUNT)).toBeUndefined();
  expect(await without.find(USER)).toMatchObject({ account: ACCOUNT, tail: 'abcd' });
});

test('returns all holders until they unlink or link another account', async () => {
  await links.link(USER, ACCOUNT, KEY, 'en');
  await links.link(USER + 1, ACCOUNT, KEY, 'ru');
  await links.link(USER + 2, ACCOUNT + 1, KEY, 'en');
  expect((await links.holders(ACCOUNT)).sort()).toEqual([USER, USER + 1]);
  await links.link(USER, ACCOUNT, 'another-key-of-that-one', 'en');
  expect((await links.holders(ACCOUNT)).sort()).toEqual([USER, USER + 1]);
  await links.unlink(USER);
  await links.link(USER + 1, ACCOUNT + 1, KEY, 'ru');
  expect(await links.holders(ACCOUNT)).toEqual([]);
  expect((await links.holders(ACCOUNT + 1)).sort()).toEqual([USER + 1, USER + 2]);
});

test('keeps the language of the link until the user chooses another', async () => {
  await links.link(USER, ACCOUNT, KEY, 'ru');
  expect(await links.find(USER)).toMatchObject({ language: 'ru' });
  await links.setLanguage(USER, 'en');
  expect(await links.find(USER)).toEqual({ account: ACCOUNT, tail: 'abcd', linkedAt: 1_000, language: 'en' });
  expect(await links.apiKey(USER, ACCOUNT)).toBe(KEY);
});

test('creates no link when a user without one chooses a language', async () => {
  await links.setLanguage(USER, 'ru');
  expect(await links.find(USER)).toBeUndefined();
  expect(await links.holders(ACCOUNT)).toEqual([]);
});

test('a failed read-ahead that is not awaited causes no unhandled rejection', async () => {
  const away = failing(createMemoryStorage(), () => true);
  const own = createLinks({
    ...{ storage: away, records: signedRecords(away), seal: createSeal([secret]) },
    now: () => 1,
  });
  const unheard = vi.fn();
  process.on('unhandledRejection', unheard);
  const linked = own.readAhead(USER);
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  process.off('unhandledRejection', unheard);
  expect(unheard).not.toHaveBeenCalled();
  await expect(linked.find()).rejects.toThrow('away');
});
