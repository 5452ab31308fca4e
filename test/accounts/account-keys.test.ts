import { randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createAccountKeys, createKeyAttempts } from '../../src/accounts/account-keys.ts';
import { createBalances } from '../../src/accounts/balances.ts';
import { createLinks } from '../../src/accounts/links.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { MINUTE } from '../account-events/pollers-setup.ts';
import { START, USER } from '../operations/operations-setup.ts';
import {
  ACCOUNT,
  accepted,
  OFFLINE,
  profileOf,
  rejected,
  standInRental,
} from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';

const OTHER = USER + 1;
const REFUSED = rejected(401, 'UNAUTHORIZED');

function openStorage() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  return { clock, now, storage, records: signedRecords(storage) };
}

/** An account with two holders, the first of whom linked it a minute before the second. */
async function openKeys({ operatorKey }: { operatorKey?: string } = {}) {
  const { clock, now, storage, records } = openStorage();
  const links = createLinks({ storage, records, seal: createSeal([randomBytes(32)]), now });
  const rental = standInRental();
  rental.profile.mockResolvedValue(profileOf('1'));
  const operator = { owns: vi.fn(async (_account: number): Promise<boolean | undefined> => false) };
  await links.link(USER, ACCOUNT, 'key-of-user', 'en');
  clock.now += MINUTE;
  await links.link(OTHER, ACCOUNT, 'key-of-other', 'en');
  const balances = createBalances();
  const keys = createAccountKeys({ links, operator, operatorKey, rental, balances, now });
  const ofUser = { kind: 'key', user: USER, apiKey: 'key-of-user', since: START };
  const ofOther = { kind: 'key', user: OTHER, apiKey: 'key-of-other', since: START };
  return { clock, storage, links, rental, operator, balances, keys, ofUser, ofOther };
}

test('a profile read in the background replaces the last known balance, unless money has moved since', async () => {
  const { keys, rental, balances } = await openKeys();
  const read = () => keys.readProfile({ user: USER, apiKey: 'key-of-user' }, ACCOUNT);
  balances.set(ACCOUNT, '5');
  await read();
  expect(balances.getRecent(ACCOUNT)).toBe('1');
  rental.profile.mockImplementation(async () => {
    balances.delete(ACCOUNT);
    return profileOf('2');
  });
  await read();
  expect(balances.getRecent(ACCOUNT)).toBeUndefined();
});

describe('an account is read with the key of', () => {
  test('the user who linked it first, and since that link', async () => {
    const { keys, ofUser } = await openKeys();
    expect(await keys.select(ACCOUNT)).toEqual(ofUser);
  });

  test('another holder while the first holder’s key was refused recently', async () => {
    const { keys, ofUser, ofOther, clock } = await openKeys();
    keys.recordRead(USER, ACCOUNT, REFUSED);
    expect(await keys.select(ACCOUNT)).toEqual(ofOther);
    clock.now += MINUTE / 2 - 1;
    expect(await keys.select(ACCOUNT)).toEqual(ofOther);
    clock.now += 1;
    expect(await keys.select(ACCOUNT)).toEqual(ofUser);
  });

  test.each([OFFLINE, rejected(429, 'RATE_LIMITED', 1_000), rejected(404, 'NOT_FOUND')])(
    'the same holder after a failure other than a refusal: $message',
    async (outcome) => {
      const { keys, ofUser } = await openKeys();
      keys.recordRead(USER, ACCOUNT, outcome);
      expect(await keys.select(ACCOUNT)).toEqual(ofUser);
    },
  );

  test('a remaining holder', async () => {
    const { keys, links, ofOther } = await openKeys();
    await links.unlink(USER);
    expect(await keys.select(ACCOUNT)).toEqual({ ...ofOther, since: START + MINUTE });
    await links.link(OTHER, ACCOUNT + 1, 'another', 'en');
    expect(await keys.select(ACCOUNT)).toEqual({ kind: 'no-holder' });
  });

  test('actual holders only, not of users whom just the index of holders names', async () => {
    const { keys, storage, links, ofUser } = await openKeys();
    await links.link(USER + 2, ACCOUNT + 1, 'key-of-a-third', 'en');
    for (const user of [USER + 2, USER + 3])
      await storage.index.put(`holders-of-account:${ACCOUNT}`, String(user), 0);
    expect(await keys.select(ACCOUNT)).toEqual(ofUser);
  });

  test('no holder if all keys were refused, without dropping the account', async () => {
    const { keys } = await openKeys();
    for (const user of [USER, OTHER]) keys.recordRead(user, ACCOUNT, rejected(403, 'FORBIDDEN'));
    expect(await keys.select(ACCOUNT)).toEqual({ kind: 'unavailable' });
  });

  test('the operator if it is the operator’s account and no holder’s key opens it', async () => {
    const { keys, operator, links, ofUser } = await openKeys({ operatorKey: 'key-of-operator' });
    operator.owns.mockImplementation(async (account) => account === ACCOUNT);
    expect(await keys.select(ACCOUNT)).toEqual(ofUser);
    await links.unlink(USER);
    await links.unlink(OTHER);
    const operators = { kind: 'key', user: undefined, apiKey: 'key-of-operator', since: undefined };
    expect(await keys.select(ACCOUNT)).toEqual(operators);
    keys.recordRead(undefined, ACCOUNT, REFUSED);
    expect(await keys.select(ACCOUNT)).toEqual(operators);
    expect(await keys.select(ACCOUNT + 1)).toEqual({ kind: 'no-holder' });
  });

  test('no holder, without dropping the account, while its owner is unknown', async () => {
    const { keys, operator } = await openKeys({ operatorKey: 'key-of-operator' });
    operator.owns.mockResolvedValue(undefined);
    expect(await keys.select(ACCOUNT + 1)).toEqual({ kind: 'unavailable' });
  });
});

describe('whether a key still opens its account', () => {
  test('is requested once in thirty seconds', async () => {
    const { keys, rental, clock } = await openKeys();
    expect([await keys.isValid(USER, ACCOUNT), await keys.isValid(USER, ACCOUNT)]).toEqual([true, true]);
    expect(rental.profile.mock.calls).toEqual([['key-of-user']]);
    clock.now += MINUTE / 2;
    await keys.isValid(USER, ACCOUNT);
    expect(rental.profile).toHaveBeenCalledTimes(2);
  });

  test('is requested once for concurrent callers, and again after a failure', async () => {
    const { keys, rental } = await openKeys();
    rental.profile.mockResolvedValueOnce(OFFLINE);
    const all = () => Promise.all([1, 2, 3].map(() => keys.isValid(USER, ACCOUNT)));
    expect(await all()).toEqual([undefined, undefined, undefined]);
    expect(await all()).toEqual([true, true, true]);
    expect(rental.profile).toHaveBeenCalledTimes(2);
  });

  test('is not inferred from an accepted list, because the key may open another account', async () => {
    const { keys, rental } = await openKeys();
    rental.profile.mockResolvedValue(profileOf('1', ACCOUNT + 1));
    keys.recordRead(USER, ACCOUNT, accepted([]));
    expect(await keys.isValid(USER, ACCOUNT)).toBe(false);
  });

  test('is checked with the profile after a refused list', async () => {
    const { keys, rental } = await openKeys();
    keys.recordOpened(USER, ACCOUNT);
    keys.recordRead(USER, ACCOUNT, REFUSED);
    expect(await keys.isValid(USER, ACCOUNT)).toBe(true);
    expect(rental.profile).toHaveBeenCalledOnce();
  });

  test.each([
    ['undefined after one refusal', REFUSED, undefined],
    ['false if the key opens another account', profileOf('1', ACCOUNT + 1), false],
    ['undefined if the service does not respond', OFFLINE, undefined],
    ['undefined if the service limits requests', rejected(429, 'RATE_LIMITED', 1_000), undefined],
  ])('is %s', async (_, answer, opens) => {
    const { keys, rental } = await openKeys();
    rental.profile.mockResolvedValue(answer);
    expect(await keys.isValid(USER, ACCOUNT)).toBe(opens);
  });

  test('becomes false after refusals for fifteen minutes, and true after the next success', async () => {
    const { keys, rental, clock } = await openKeys();
    rental.profile.mockResolvedValue(REFUSED);
    await keys.isValid(USER, ACCOUNT);
    clock.now += 15 * MINUTE - 1;
    expect(await keys.isValid(USER, ACCOUNT)).toBeUndefined();
    clock.now += 1;
    expect(await keys.isValid(USER, ACCOUNT)).toBe(false);
    clock.now += MINUTE;
    rental.profile.mockResolvedValue(profileOf('1'));
    expect(await keys.isValid(USER, ACCOUNT)).toBe(true);
    clock.now += MINUTE;
    rental.profile.mockResolvedValue(REFUSED);
    expect(await keys.isValid(USER, ACCOUNT)).toBeUndefined();
  });

  test('is false without a request if the user has linked nothing or another account', async () => {
    const { keys, rental } = await openKeys();
    expect(await keys.isValid(USER + 2, ACCOUNT)).toBe(false);
    expect(await keys.isValid(USER, ACCOUNT + 1)).toBe(false);
    expect(rental.profile).not.toHaveBeenCalled();
  });
});

describe('a user who tries keys', () => {
  test('must wait after five refused ones until the hour is over, unlike others', async () => {
    const { clock, ...deps } = openStorage();
    const attempts = createKeyAttempts(deps);
    for (let n = 0; n < 5; n++) {
      expect(await attempts.waitMs(USER)).toBe(0);
      await attempts.recordRefusal(USER);
      clock.now += MINUTE;
    }
    expect(await attempts.waitMs(USER)).toBe(55 * MINUTE);
    expect(await attempts.waitMs(OTHER)).toBe(0);
    clock.now += 55 * MINUTE;
    expect(await attempts.waitMs(USER)).toBe(0);
  });

  test('need not wait for refusals that are more than an hour old', async () => {
    const { clock, ...deps } = openStorage();
    const attempts = createKeyAttempts(deps);
    for (let n = 0; n < 20; n++) {
      await attempts.recordRefusal(USER);
      clock.now += 16 * MINUTE;
      expect(await attempts.waitMs(USER)).toBe(0);
    }
  });

  test('need not wait if the count is unreadable', async () => {
    const deps = openStorage();
    await deps.storage.set(`refused-keys:{${USER}}`, 'garbage');
    expect(await createKeyAttempts(deps).waitMs(USER)).toBe(0);
  });
});
