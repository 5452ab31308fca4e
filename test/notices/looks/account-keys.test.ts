import { randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createLinks } from '../../../src/accounts/links.ts';
import { createAccountKeys } from '../../../src/notices/looks/account-keys.ts';
import { createMemoryStorage } from '../../../src/storage/memory.ts';
import { createSeal } from '../../../src/storage/seal.ts';
import {
  ACCOUNT,
  accepted,
  OFFLINE,
  profileOf,
  rejected,
  standInRental,
} from '../../operations/rental-stand-in.ts';
import { START, USER } from '../../operations/room.ts';
import { signedRecords } from '../../support/records.ts';
import { MINUTE } from './room.ts';

const OTHER = USER + 1;
const REFUSED = rejected(401, 'UNAUTHORIZED');

/** An account that two users hold, the first a minute before the second. */
async function openKeys({ operatorKey }: { operatorKey?: string } = {}) {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const seal = createSeal([randomBytes(32)]);
  const records = signedRecords(storage);
  const links = createLinks({ storage, records, seal, now: () => clock.now });
  const rental = standInRental();
  const operator = { owns: vi.fn(async (_account: number): Promise<boolean | undefined> => false) };
  await links.link(USER, ACCOUNT, 'key-of-user', 'en');
  clock.now += MINUTE;
  await links.link(OTHER, ACCOUNT, 'key-of-other', 'en');
  const keys = createAccountKeys({ links, operator, operatorKey, rental, now: () => clock.now });
  const ofUser = { kind: 'key', user: USER, apiKey: 'key-of-user', since: START };
  const ofOther = { kind: 'key', user: OTHER, apiKey: 'key-of-other', since: START };
  return { clock, storage, links, rental, operator, keys, ofUser, ofOther };
}

describe('an account is read by the key', () => {
  test('of who linked it first, since then', async () => {
    const { keys, ofUser } = await openKeys();
    expect(await keys.of(ACCOUNT)).toEqual(ofUser);
  });

  test('of another who holds it, while the first was refused lately', async () => {
    const { keys, ofUser, ofOther, clock } = await openKeys();
    keys.note(USER, ACCOUNT, REFUSED);
    expect(await keys.of(ACCOUNT)).toEqual(ofOther);
    clock.now += MINUTE / 2 - 1;
    expect(await keys.of(ACCOUNT)).toEqual(ofOther);
    clock.now += 1;
    expect(await keys.of(ACCOUNT)).toEqual(ofUser);
  });

  test.each([OFFLINE, rejected(429, 'RATE_LIMITED', 1_000), rejected(404, 'NOT_FOUND')])(
    'that was used, where its read failed for another reason: $message',
    async (outcome) => {
      const { keys, ofUser } = await openKeys();
      keys.note(USER, ACCOUNT, outcome);
      expect(await keys.of(ACCOUNT)).toEqual(ofUser);
    },
  );

  test('of whoever holds it still', async () => {
    const { keys, links, ofOther } = await openKeys();
    await links.unlink(USER);
    expect(await keys.of(ACCOUNT)).toEqual({ ...ofOther, since: START + MINUTE });
    await links.link(OTHER, ACCOUNT + 1, 'another', 'en');
    expect(await keys.of(ACCOUNT)).toEqual({ kind: 'nobody' });
  });

  test('of nobody else, whom the list of holders names without a link of theirs', async () => {
    const { keys, storage, links, ofUser } = await openKeys();
    await links.link(USER + 2, ACCOUNT + 1, 'key-of-a-third', 'en');
    for (const user of [USER + 2, USER + 3])
      await storage.index.put(`holders-of-account:${ACCOUNT}`, String(user), 0);
    expect(await keys.of(ACCOUNT)).toEqual(ofUser);
  });

  test('of nobody, where all were refused: it is closed, not forgotten', async () => {
    const { keys } = await openKeys();
    for (const user of [USER, OTHER]) keys.note(user, ACCOUNT, rejected(403, 'FORBIDDEN'));
    expect(await keys.of(ACCOUNT)).toEqual({ kind: 'closed' });
  });

  test('of the operator, where it is the operator’s and nobody’s who holds it opens it', async () => {
    const { keys, operator, links, ofUser } = await openKeys({ operatorKey: 'key-of-operator' });
    operator.owns.mockImplementation(async (account) => account === ACCOUNT);
    expect(await keys.of(ACCOUNT)).toEqual(ofUser);
    await links.unlink(USER);
    await links.unlink(OTHER);
    const operators = { kind: 'key', user: undefined, apiKey: 'key-of-operator', since: undefined };
    expect(await keys.of(ACCOUNT)).toEqual(operators);
    keys.note(undefined, ACCOUNT, REFUSED);
    expect(await keys.of(ACCOUNT)).toEqual(operators);
    expect(await keys.of(ACCOUNT + 1)).toEqual({ kind: 'nobody' });
  });

  test('of nobody, while the service doesn’t tell whether it is the operator’s: it isn’t forgotten', async () => {
    const { keys, operator } = await openKeys({ operatorKey: 'key-of-operator' });
    operator.owns.mockResolvedValue(undefined);
    expect(await keys.of(ACCOUNT + 1)).toEqual({ kind: 'closed' });
  });
});

describe('whether a key still opens its account', () => {
  test('is asked once in half a minute', async () => {
    const { keys, rental, clock } = await openKeys();
    rental.profile.mockResolvedValue(profileOf('1'));
    expect([await keys.opens(USER, ACCOUNT), await keys.opens(USER, ACCOUNT)]).toEqual([true, true]);
    expect(rental.profile.mock.calls).toEqual([['key-of-user']]);
    clock.now += MINUTE / 2;
    await keys.opens(USER, ACCOUNT);
    expect(rental.profile).toHaveBeenCalledTimes(2);
  });

  test('is asked once by all who want to know it at once, and again where nobody could tell', async () => {
    const { keys, rental } = await openKeys();
    rental.profile.mockResolvedValueOnce(OFFLINE);
    const all = () => Promise.all([1, 2, 3].map(() => keys.opens(USER, ACCOUNT)));
    expect(await all()).toEqual([undefined, undefined, undefined]);
    rental.profile.mockResolvedValue(profileOf('1'));
    expect(await all()).toEqual([true, true, true]);
    expect(rental.profile).toHaveBeenCalledTimes(2);
  });

  test('is told by no list that it read: the key may open another account since', async () => {
    const { keys, rental } = await openKeys();
    rental.profile.mockResolvedValue(profileOf('1', ACCOUNT + 1));
    keys.note(USER, ACCOUNT, accepted([]));
    expect(await keys.opens(USER, ACCOUNT)).toBe(false);
  });

  test('is asked of the profile where a list was refused, which need not be the key’s fault', async () => {
    const { keys, rental } = await openKeys();
    keys.note(USER, ACCOUNT, accepted([]));
    keys.note(USER, ACCOUNT, REFUSED);
    expect(await keys.opens(USER, ACCOUNT)).toBe(true);
    expect(rental.profile).toHaveBeenCalledOnce();
  });

  test.each([
    ['it is refused, if only for a moment', REFUSED, undefined],
    ['it opens another account by now', profileOf('1', ACCOUNT + 1), false],
    ['the service doesn’t answer', OFFLINE, undefined],
    ['the service has enough of us', rejected(429, 'RATE_LIMITED', 1_000), undefined],
  ])('where %s', async (_, answer, opens) => {
    const { keys, rental } = await openKeys();
    rental.profile.mockResolvedValue(answer);
    expect(await keys.opens(USER, ACCOUNT)).toBe(opens);
  });

  test('is no longer so once it was refused for a quarter of an hour, and so again once it isn’t', async () => {
    const { keys, rental, clock } = await openKeys();
    rental.profile.mockResolvedValue(REFUSED);
    await keys.opens(USER, ACCOUNT);
    clock.now += 15 * MINUTE - 1;
    expect(await keys.opens(USER, ACCOUNT)).toBeUndefined();
    clock.now += 1;
    expect(await keys.opens(USER, ACCOUNT)).toBe(false);
    clock.now += MINUTE;
    rental.profile.mockResolvedValue(profileOf('1'));
    expect(await keys.opens(USER, ACCOUNT)).toBe(true);
    clock.now += MINUTE;
    rental.profile.mockResolvedValue(REFUSED);
    expect(await keys.opens(USER, ACCOUNT)).toBeUndefined();
  });

  test('isn’t so where nothing, or something else, is linked', async () => {
    const { keys, rental } = await openKeys();
    expect([await keys.opens(USER + 2, ACCOUNT), await keys.opens(USER, ACCOUNT + 1)]).toEqual([
      false,
      false,
    ]);
    expect(rental.profile).not.toHaveBeenCalled();
  });
});
