import { expect, test } from 'vitest';
import type { Link } from '../../src/accounts/links.ts';
import { createUsers } from '../../src/accounts/users.ts';
import { createReadAudience } from '../../src/broadcasts/audience.ts';
import type { Audience } from '../../src/broadcasts/store.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';

const DAY = 24 * 3600_000;
const ADMIN = 504;

/**
 * Users 1 to 3 receive no broadcasts, 11 is a guest, 12 a Russian-speaking holder, 13 a merchant. User 14 was last
 * active 20 days ago.
 */
async function openPeople() {
  const clock = { now: Date.UTC(2026, 10, 1, 12) };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const users = createUsers({ storage, records: signedRecords(storage), now });
  await users.recordActivity(14, 'en', undefined);
  clock.now += 20 * DAY;
  for (const user of [1, 2, 3, 11, 12, 13])
    await users.recordActivity(user, user === 12 ? 'ru' : 'en', undefined);
  await users.setUnreachable(1, 'blocked');
  await users.setBroadcastOptOut(2, true);
  await users.setBanned(3, true);
  const link: Link = { account: 1, tail: 'x', linkedAt: 0, language: 'en' };
  const links = new Map<number, Link>([
    [12, link],
    [13, { ...link, isMerchant: true }],
  ]);
  const read = createReadAudience({ users, links: { find: async (user) => links.get(user) }, now });
  return async (audience: Audience) => {
    const all: number[] = [];
    for await (const users of read(audience, ADMIN)) all.push(...users);
    return all;
  };
}

test.each<[Audience, number[]]>([
  [{ who: 'everybody' }, [11, 12, 13, 14]],
  [{ who: 'language', language: 'ru' }, [12]],
  [{ who: 'holders' }, [12, 13]],
  [{ who: 'guests' }, [11, 14]],
  [{ who: 'merchants' }, [13]],
  [{ who: 'active', days: 20 }, [11, 12, 13]],
  [{ who: 'active', days: 21 }, [11, 12, 13, 14]],
  [{ who: 'me' }, [ADMIN]],
])('resolves %j without unreachable, opted-out and banned users', async (audience, expected) => {
  const read = await openPeople();
  expect(await read(audience)).toEqual(expected);
});
