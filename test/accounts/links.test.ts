import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createLinks, type Links } from '../../src/accounts/links.ts';
import { createOperator } from '../../src/accounts/operator.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { failing } from '../operations/operations-setup.ts';
import { OFFLINE, profileOf, standInRental } from '../operations/rental-stand-in.ts';
import { tamperedTexts } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

const [USER, OTHER, ADMIN, ACCOUNT, OPERATOR] = [502, 503, 504, 1001, 1000];
const KEY = 'the-key-of-an-account-abcd';
const OPERATOR_KEY = 'the-key-of-the-operator';
const SECRET = randomBytes(32);
const LINK = { account: ACCOUNT, tail: 'abcd', linkedAt: 1_000, language: 'en' };

let storage: Storage;
let links: Links;

/** Returns the dependencies of the links of a process without an operator account. */
const depsOn = (on: Storage, ...secrets: Uint8Array[]) => ({
  storage: on,
  records: signedRecords(on),
  seal: createSeal(secrets.length > 0 ? secrets : [SECRET]),
  now: () => 1_000,
});
const linksWith = (...secrets: Uint8Array[]) => createLinks(depsOn(storage, ...secrets));
const stored = async (user: number) => (await storage.get(`link:{${user}}`)) ?? '';

beforeEach(() => {
  storage = createMemoryStorage();
  links = linksWith();
});

describe('a link', () => {
  test('stores the last four characters of the key and returns the key', async () => {
    expect(await links.link(USER, ACCOUNT, KEY, 'en')).toEqual(LINK);
    expect(await links.find(USER)).toEqual(LINK);
    expect(await links.apiKey(USER, ACCOUNT)).toBe(KEY);
  });

  test('is returned with its key by one read, but without it under another secret', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    const reads = vi.spyOn(storage, 'get');
    expect(await links.readAhead(USER).open()).toEqual({ link: LINK, apiKey: KEY });
    expect(reads).toHaveBeenCalledOnce();
    expect(await links.readAhead(OTHER).open()).toBeUndefined();
    const expected = { link: LINK, apiKey: undefined };
    expect(await linksWith(randomBytes(32)).readAhead(USER).open()).toEqual(expected);
  });

  test('neither stores nor returns the key in a readable form', async () => {
    const add = vi.spyOn(storage, 'add');
    await linksWith().link(USER, ACCOUNT, KEY, 'en');
    expect(add.mock.calls.map(([key]) => key)).toContain(`link:{${USER}}`);
    const texts = JSON.stringify([add.mock.calls, await links.find(USER)]);
    for (const form of ['utf8', 'base64', 'base64url', 'hex'] as const)
      expect(texts).not.toContain(Buffer.from(KEY).toString(form));
  });

  test.each([
    ['abcd', 'cd'],
    ['abcdefg', 'efg'],
    ['abcdefgh', 'efgh'],
  ])('with the short key %s shows only %s', async (key, tail) => {
    expect(await links.link(USER, ACCOUNT, key, 'en')).toMatchObject({ tail });
  });

  test('is not opened if it was copied from another user', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    await storage.set(`link:{${OTHER}}`, await stored(USER));
    expect(await links.find(OTHER)).toBeUndefined();
    expect(await links.apiKey(OTHER, ACCOUNT)).toBeUndefined();
    expect(await links.apiKey(USER, ACCOUNT)).toBe(KEY);
  });

  test('offers seller mode until the user turns it on or off, and keeps the choice', async () => {
    await links.setMerchant(USER, true);
    expect(await links.canOfferSellerMode(USER)).toBe(false);
    await links.link(USER, ACCOUNT, KEY, 'en');
    expect(await links.canOfferSellerMode(USER)).toBe(true);
    await links.setMerchant(USER, false);
    expect(await links.canOfferSellerMode(USER)).toBe(false);
    await links.link(USER, ACCOUNT + 1, KEY, 'en');
    expect(await links.find(USER)).toMatchObject({ isMerchant: false, account: ACCOUNT + 1 });
    expect(await links.apiKey(USER, ACCOUNT + 1)).toBe(KEY);
  });

  test('counts as missing if any field was tampered with, and allows a new one', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    await links.setMerchant(USER, true);
    for (const [path, text] of tamperedTexts(await stored(USER))) {
      await storage.set(`link:{${USER}}`, text);
      expect(await links.find(USER), path).toBeUndefined();
      for (const account of [ACCOUNT, ACCOUNT + 1])
        expect(await links.apiKey(USER, account), path).toBeUndefined();
    }
    await links.link(USER, ACCOUNT + 1, KEY, 'en');
    expect(await links.apiKey(USER, ACCOUNT + 1)).toBe(KEY);
  });

  test('has its key sealed by the newest secret when it is used', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    const newer = randomBytes(32);
    expect(await linksWith(newer, SECRET).apiKey(USER, ACCOUNT)).toBe(KEY);
    expect(await linksWith(newer).apiKey(USER, ACCOUNT)).toBe(KEY);
    expect(await links.apiKey(USER, ACCOUNT)).toBeUndefined();
    expect(await links.find(USER)).toMatchObject({ account: ACCOUNT, tail: 'abcd' });
  });

  test('keeps a key that was linked while the previous one was being sealed', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    const replacing: Storage = {
      ...storage,
      async replace(...change) {
        await links.link(USER, ACCOUNT, 'the-key-that-was-linked-meanwhile', 'en');
        return storage.replace(...change);
      },
    };
    await createLinks(depsOn(replacing, randomBytes(32), SECRET)).apiKey(USER, ACCOUNT);
    expect(await links.apiKey(USER, ACCOUNT)).toBe('the-key-that-was-linked-meanwhile');
  });

  test('gives the key of the linked account only', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    expect(await links.apiKey(USER, ACCOUNT + 1)).toBeUndefined();
    await links.link(USER, ACCOUNT + 1, 'the-key-of-another-one', 'en');
    expect(await links.apiKey(USER, ACCOUNT)).toBeUndefined();
    expect(await links.apiKey(USER, ACCOUNT + 1)).toBe('the-key-of-another-one');
  });

  test('is gone after unlinking', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    await links.unlink(USER);
    expect(await links.find(USER)).toBeUndefined();
    expect(await links.apiKey(USER, ACCOUNT)).toBeUndefined();
    for (const prefix of ['link', 'holders']) expect(await storedKeys(storage, prefix)).toEqual([]);
  });

  test('makes its user a holder of the account until the user unlinks or links another one', async () => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    await links.link(OTHER, ACCOUNT, KEY, 'ru');
    await links.link(ADMIN, ACCOUNT + 1, KEY, 'en');
    expect((await links.holders(ACCOUNT)).sort()).toEqual([USER, OTHER]);
    await links.link(USER, ACCOUNT, 'another-key-of-that-one', 'en');
    expect((await links.holders(ACCOUNT)).sort()).toEqual([USER, OTHER]);
    await links.unlink(USER);
    await links.link(OTHER, ACCOUNT + 1, KEY, 'ru');
    expect(await links.holders(ACCOUNT)).toEqual([]);
    expect((await links.holders(ACCOUNT + 1)).sort()).toEqual([OTHER, ADMIN]);
  });

  test('lists its account, page by page, while the account has a holder', async () => {
    const listed = (above: number, limit = 10) => links.linkedAccounts({ above, limit });
    for (const account of [7, 1_001, 30]) await links.link(USER + account, account, KEY, 'en');
    await links.link(USER, 30, KEY, 'en');
    expect([await listed(0, 2), await listed(30)]).toEqual([[7, 30], [1_001]]);
    await links.unlink(USER + 30);
    expect(await listed(0)).toEqual([7, 30, 1_001]);
    await links.link(USER, ACCOUNT + 1, KEY, 'en');
    expect(await listed(0)).toEqual([7, 1_001, ACCOUNT + 1]);
  });

  test.each([
    ['unlinks', 'links'],
    ['links', 'unlinks'],
  ] as const)('lists its account if one user %s it while another one %s it', async (_, inBetween) => {
    for (let calls = 1; calls <= 6; calls += 1) {
      await links.link(USER, ACCOUNT, KEY, 'en');
      const steps = {
        links: (on = links) => on.link(OTHER, ACCOUNT, KEY, 'en'),
        unlinks: (on = links) => on.unlink(USER),
      };
      let made = 0;
      const index = new Proxy(storage.index, {
        get:
          (target, name: keyof Storage['index']) =>
          async (...given: never[]) => {
            made += 1;
            if (made === calls) await steps[inBetween]();
            return (target[name] as (...given: never[]) => unknown)(...given);
          },
      });
      await steps[inBetween === 'links' ? 'unlinks' : 'links'](createLinks(depsOn({ ...storage, index })));
      if (made < calls) await steps[inBetween]();
      expect(await links.linkedAccounts({ above: 0, limit: 10 })).toEqual([ACCOUNT]);
      await links.unlink(OTHER);
      expect(await links.linkedAccounts({ above: 0, limit: 10 })).toEqual([]);
    }
  });

  test.each([
    ['holders', `holders-of-account:${ACCOUNT}`, String(USER)],
    ['accounts', 'linked-accounts', String(ACCOUNT)],
  ])('is added to an index of %s that lacks it, unless it ends meanwhile', async (_, index, member) => {
    await links.link(USER, ACCOUNT, KEY, 'en');
    expect(await links.addIfMissing(USER)).toBe(false);
    await storage.index.remove(index, member);
    expect(await links.addIfMissing(USER)).toBe(true);
    expect(await links.holders(ACCOUNT)).toEqual([USER]);
    expect(await links.linkedAccounts({ above: 0, limit: 10 })).toEqual([ACCOUNT]);
    await storage.index.remove(index, member);
    const { put } = storage.index;
    vi.spyOn(storage.index, 'put').mockImplementationOnce(async (...given) => {
      await links.unlink(USER);
      await put(...given);
    });
    await links.addIfMissing(USER);
    expect(await storedKeys(storage, 'holders')).toEqual([]);
    expect(await links.linkedAccounts({ above: 0, limit: 10 })).toEqual([]);
  });

  test('keeps its language until the user chooses another', async () => {
    await links.link(USER, ACCOUNT, KEY, 'ru');
    expect(await links.find(USER)).toMatchObject({ language: 'ru' });
    await links.setLanguage(USER, 'en');
    expect(await links.find(USER)).toEqual(LINK);
    expect(await links.apiKey(USER, ACCOUNT)).toBe(KEY);
  });

  test('is not made when a user without one chooses a language', async () => {
    await links.setLanguage(USER, 'ru');
    expect(await storedKeys(storage)).toEqual([]);
  });

  test('causes no unhandled rejection if a failed read-ahead is not awaited', async () => {
    const away = createLinks(depsOn(failing(storage, () => true)));
    const onRejection = vi.fn();
    process.on('unhandledRejection', onRejection);
    const reader = away.readAhead(USER);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    process.off('unhandledRejection', onRejection);
    expect(onRejection).not.toHaveBeenCalled();
    await expect(reader.find()).rejects.toThrow('away');
  });
});

describe('the operator account', () => {
  const rental = standInRental();
  let admins: Set<number>;

  /** Opens the links and the operator of a process with this operator key. */
  function openOperator(operatorKey = OPERATOR_KEY) {
    const operator = createOperator({ rental, operatorKey });
    const isAdmin = (user: number) => admins.has(user);
    return { operator, ...createLinks({ ...depsOn(storage), operator, operatorKey, isAdmin }) };
  }

  async function expectNoLink(of: Links, user: number): Promise<void> {
    expect(await of.find(user)).toBeUndefined();
    expect(await of.readAhead(user).open()).toBeUndefined();
    expect(await of.apiKey(user, OPERATOR)).toBeUndefined();
  }

  beforeEach(() => {
    admins = new Set([ADMIN]);
    rental.profile.mockReset().mockImplementation(async () => profileOf('500.00', OPERATOR));
  });

  describe('through an admin’s reference', () => {
    beforeEach(() => openOperator().linkOperatorAccount(ADMIN, OPERATOR, 'en'));

    test('is used with the configured key, which is not stored', async () => {
      const { linkOperatorAccount, find, apiKey, holders } = openOperator();
      const link = {
        account: OPERATOR,
        tail: '',
        usesOperatorAccount: true,
        linkedAt: 1_000,
        language: 'en',
      };
      expect(await linkOperatorAccount(ADMIN, OPERATOR, 'en')).toEqual(link);
      expect(await find(ADMIN)).toEqual(link);
      expect(await apiKey(ADMIN, OPERATOR)).toBe(OPERATOR_KEY);
      expect(await holders(OPERATOR)).toEqual([ADMIN]);
      expect(await stored(ADMIN)).not.toContain('"key"');
    });

    test('is not available while the user is not an admin', async () => {
      const operators = openOperator();
      const reader = operators.readAhead(ADMIN);
      admins.clear();
      expect(await reader.open()).toBeUndefined();
      await expectNoLink(operators, ADMIN);
      expect(await operators.readAhead(ADMIN).isVoid()).toBe(false);
      admins.add(ADMIN);
      expect(await operators.apiKey(ADMIN, OPERATOR)).toBe(OPERATOR_KEY);
    });

    test('is not available without a configured key, or with the key of another account', async () => {
      await expectNoLink(links, ADMIN);
      rental.profile.mockResolvedValue(profileOf('500.00', OPERATOR + 1));
      await expectNoLink(openOperator('another-key'), ADMIN);
    });

    test('has no key while the service does not say which account the key opens', async () => {
      rental.profile.mockResolvedValue(OFFLINE);
      const { find, readAhead } = openOperator();
      expect(await find(ADMIN)).toMatchObject({ usesOperatorAccount: true });
      expect(await readAhead(ADMIN).open()).toMatchObject({ apiKey: undefined });
    });

    test('keeps its key for results of the operations of an admin who unlinked it', async () => {
      const operators = openOperator();
      await operators.unlink(ADMIN);
      const paid = { user: ADMIN, account: OPERATOR, usesOperatorAccount: true } as const;
      const follow = async (...given: Parameters<typeof operators.canFollow>) => [
        await operators.canFollow(...given),
        await operators.keyToFollow(...given),
      ];
      expect(await follow(paid)).toEqual([true, OPERATOR_KEY]);
      expect(await operators.apiKey(ADMIN, OPERATOR)).toBeUndefined();
      expect(await operators.keyToFollow({ ...paid, account: OPERATOR + 1 })).toBeUndefined();
      expect(await follow({ user: ADMIN, account: OPERATOR })).toEqual([false, undefined]);
      expect(await follow({ ...paid, user: OTHER })).toEqual([false, undefined]);
      admins.delete(ADMIN);
      expect(await follow(paid)).toEqual([false, undefined]);
    });

    test('is used with another configured key of the same account', async () => {
      expect(await openOperator('its-newer-key').apiKey(ADMIN, OPERATOR)).toBe('its-newer-key');
    });

    test('is not available if any field was tampered with, or if the reference was copied', async () => {
      const operators = openOperator();
      const text = await stored(ADMIN);
      for (const [path, tampered] of tamperedTexts(text)) {
        await storage.set(`link:{${ADMIN}}`, tampered);
        expect(await operators.find(ADMIN), path).toBeUndefined();
      }
      admins.add(OTHER);
      await storage.set(`link:{${OTHER}}`, text);
      await expectNoLink(operators, OTHER);
    });
  });

  describe('through a copy of its key from an earlier version', () => {
    test('is not available for a user who is not an admin, whose link is void', async () => {
      await links.link(OTHER, OPERATOR, OPERATOR_KEY, 'en');
      const operators = openOperator();
      await expectNoLink(operators, OTHER);
      expect(await operators.readAhead(OTHER).isVoid()).toBe(true);
    });

    test('is available for an admin through a reference that replaces the copy', async () => {
      await links.link(ADMIN, OPERATOR, OPERATOR_KEY, 'en');
      const { find, apiKey } = openOperator();
      expect(await find(ADMIN)).toMatchObject({ account: OPERATOR, usesOperatorAccount: true, tail: '' });
      expect(await stored(ADMIN)).not.toContain('"key"');
      expect(await apiKey(ADMIN, OPERATOR)).toBe(OPERATOR_KEY);
    });

    test('is not available with another key either once its id is known', async () => {
      await links.link(OTHER, OPERATOR, 'a-second-key-of-it', 'en');
      const operators = openOperator();
      expect(await operators.apiKey(OTHER, OPERATOR)).toBe('a-second-key-of-it');
      await operators.operator.account();
      await expectNoLink(operators, OTHER);
    });
  });
});
