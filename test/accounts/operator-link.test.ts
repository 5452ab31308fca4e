import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createLinks, type Links } from '../../src/accounts/links.ts';
import { createOperator, createOperatorAccess } from '../../src/accounts/operator.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Rental } from '../../src/rental-api/client.ts';
import { OFFLINE, profileOf } from '../operations/rental-stand-in.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';

const [ADMIN, OTHER, OPERATOR] = [504, 502, 1000];
const KEY = 'the-key-of-the-operator';
const SECRET = randomBytes(32);

const storage = { of: createMemoryStorage() };
let admins: Set<number>;
let profile: Rental['profile'];

/** Creates the links and the operator of a process with this operator key. */
function openLinks(operatorKey: string | undefined = KEY) {
  const operator = createOperator({ rental: { profile: (key) => profile(key) }, operatorKey });
  const isAdmin = (user: number) => admins.has(user);
  const links = createLinks({
    ...{ storage: storage.of, records: signedRecords(storage.of), seal: createSeal([SECRET]) },
    operatorAccess: createOperatorAccess({ operator, operatorKey, isAdmin }),
    now: () => 1_000,
  });
  return { links, operator };
}

/** Links the account with a copy of the key, as versions without references did. */
async function linkCopy(user: number, key = KEY): Promise<void> {
  await createLinks({
    ...{ storage: storage.of, records: signedRecords(storage.of), seal: createSeal([SECRET]) },
    now: () => 1_000,
  }).link(user, OPERATOR, key, 'en');
}

const stored = async (user: number) => (await storage.of.get(`link:{${user}}`)) ?? '';

async function expectNone(links: Links, user: number): Promise<void> {
  expect(await links.find(user)).toBeUndefined();
  expect(await links.readAhead(user).open()).toBeUndefined();
  expect(await links.apiKey(user, OPERATOR)).toBeUndefined();
}

beforeEach(() => {
  storage.of = createMemoryStorage();
  admins = new Set([ADMIN]);
  profile = async () => profileOf('500.00', OPERATOR);
});

describe('an admin’s reference to the operator account', () => {
  test('stores no key and uses the configured one', async () => {
    const { links } = openLinks();
    const link = { account: OPERATOR, tail: '', operators: true, linkedAt: 1_000, language: 'en' };
    expect(await links.linkOperatorAccount(ADMIN, OPERATOR, 'en')).toEqual(link);
    expect(await links.find(ADMIN)).toEqual(link);
    expect(await links.apiKey(ADMIN, OPERATOR)).toBe(KEY);
    expect(await links.holders(OPERATOR)).toEqual([ADMIN]);
    expect(Object.keys(JSON.parse((await stored(ADMIN)).split('.').slice(2).join('.')))).not.toContain('key');
  });

  test('is ignored while the user is not an admin', async () => {
    const { links } = openLinks();
    await links.linkOperatorAccount(ADMIN, OPERATOR, 'en');
    const begun = links.readAhead(ADMIN);
    admins.clear();
    expect(await begun.open()).toBeUndefined();
    await expectNone(links, ADMIN);
    expect(await links.readAhead(ADMIN).isVoid()).toBe(false);
    admins.add(ADMIN);
    expect(await links.apiKey(ADMIN, OPERATOR)).toBe(KEY);
  });

  test('is ignored without a configured key, or with the key of another account', async () => {
    await openLinks().links.linkOperatorAccount(ADMIN, OPERATOR, 'en');
    const without = createLinks({
      ...{ storage: storage.of, records: signedRecords(storage.of), seal: createSeal([SECRET]) },
      now: () => 1_000,
    });
    await expectNone(without, ADMIN);
    profile = async () => profileOf('500.00', OPERATOR + 1);
    await expectNone(openLinks('another-key').links, ADMIN);
  });

  test('is found without a key while the service does not return its account', async () => {
    const { links } = openLinks();
    await links.linkOperatorAccount(ADMIN, OPERATOR, 'en');
    profile = async () => OFFLINE;
    const other = openLinks().links;
    expect(await other.find(ADMIN)).toMatchObject({ operators: true });
    expect(await other.readAhead(ADMIN).open()).toMatchObject({ apiKey: undefined });
  });

  test('uses another configured key of the same account', async () => {
    await openLinks().links.linkOperatorAccount(ADMIN, OPERATOR, 'en');
    expect(await openLinks('its-newer-key').links.apiKey(ADMIN, OPERATOR)).toBe('its-newer-key');
  });

  test('is ignored if any field was tampered with, or if it was copied', async () => {
    const { links } = openLinks();
    await links.linkOperatorAccount(ADMIN, OPERATOR, 'en');
    const text = await stored(ADMIN);
    const [version, mac, ...content] = text.split('.');
    for (const [path, changed] of changedFields(content.join('.'))) {
      await storage.of.set(`link:{${ADMIN}}`, `${version}.${mac}.${changed}`);
      expect(await links.find(ADMIN), path).toBeUndefined();
    }
    admins.add(OTHER);
    await storage.of.set(`link:{${OTHER}}`, text);
    await expectNone(links, OTHER);
  });
});

describe('a copy of the operator’s key from an earlier version', () => {
  test('is ignored and reported as barred for a user who is not an admin', async () => {
    await linkCopy(OTHER);
    const { links } = openLinks();
    await expectNone(links, OTHER);
    expect(await links.readAhead(OTHER).isVoid()).toBe(true);
  });

  test('becomes a reference without a key for an admin', async () => {
    await linkCopy(ADMIN);
    const before = await stored(ADMIN);
    const { links } = openLinks();
    expect(await links.find(ADMIN)).toMatchObject({ account: OPERATOR, operators: true, tail: '' });
    expect(await stored(ADMIN)).not.toBe(before);
    expect(await stored(ADMIN)).not.toContain('"key"');
    expect(await links.apiKey(ADMIN, OPERATOR)).toBe(KEY);
  });

  test('is recognized with another key once the operator account is known', async () => {
    await linkCopy(OTHER, 'a-second-key-of-it');
    const { links, operator } = openLinks();
    expect(await links.apiKey(OTHER, OPERATOR)).toBe('a-second-key-of-it');
    await operator.account();
    await expectNone(links, OTHER);
  });
});

test.each([KEY.slice(1), `${KEY}x`, '', KEY.toUpperCase()])(
  'does not accept %j as the operator’s key',
  (other) => {
    const { operator } = openLinks();
    expect(operator.isKey(KEY)).toBe(true);
    expect(operator.isKey(other)).toBe(false);
  },
);
