import { expect, test, vi } from 'vitest';
import type { Link } from '../../src/accounts/links.ts';
import { createUserCounts } from '../../src/accounts/user-counts.ts';
import { createUsers } from '../../src/accounts/users.ts';
import { createReadAudience, createRecipientCounter } from '../../src/broadcasts/audience.ts';
import { type Audience, createBroadcastDrafts } from '../../src/broadcasts/store.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { tamperedTexts } from '../support/changed-fields.ts';
import { silentLog } from '../support/log-lines.ts';
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
  const kindOf = async (user: number) => {
    const link = links.get(user);
    return link?.isMerchant ? 'merchant' : link ? 'holder' : 'none';
  };
  const userCounts = createUserCounts({ storage, users, links: { kindOf }, now, log: silentLog() });
  const page = vi.spyOn(users, 'page');
  const deps = { users, userCounts, links: { find: async (user: number) => links.get(user) }, now };
  const read = createReadAudience(deps);
  return {
    ...{ page, userCounts, countEach: createRecipientCounter(deps) },
    async read(audience: Audience) {
      const all: number[] = [];
      for await (const users of read(audience, ADMIN)) all.push(...users);
      return all;
    },
  };
}

const AUDIENCES: [Audience, number[]][] = [
  [{ who: 'everybody' }, [11, 12, 13, 14]],
  [{ who: 'language', language: 'ru' }, [12]],
  [{ who: 'holders' }, [12, 13]],
  [{ who: 'guests' }, [11, 14]],
  [{ who: 'merchants' }, [13]],
  [{ who: 'active', days: 20 }, [11, 12, 13]],
  [{ who: 'active', days: 21 }, [11, 12, 13, 14]],
];

test.each<[Audience, number[]]>([...AUDIENCES, [{ who: 'me' }, [ADMIN]]])(
  'resolves %j without unreachable, opted-out and banned users',
  async (audience, expected) => {
    const { read } = await openPeople();
    expect(await read(audience)).toEqual(expected);
  },
);

test('counts all audiences without reading the users, once all users were counted', async () => {
  const { page, userCounts, countEach } = await openPeople();
  const audiences = AUDIENCES.map(([audience]) => audience);
  await expect(countEach(audiences)).rejects.toThrow('still being counted');
  await userCounts.check();
  page.mockClear();
  expect(await countEach(audiences)).toEqual(AUDIENCES.map(([, expected]) => expected.length));
  expect(page).not.toHaveBeenCalled();
});

const KEY = `broadcast-draft:{${ADMIN}}`;
const content = {
  chat: ADMIN,
  message: 9,
  buttons: [{ text: 'Site', url: 'https://a.example/' }],
  hash: 'a',
};

async function openDrafts() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const drafts = createBroadcastDrafts({ records: signedRecords(storage) });
  await drafts.begin(ADMIN);
  const whole = await drafts.change(ADMIN, () => ({
    ...{ contents: { default: content, ru: { ...content, hash: 'b' } }, at: 1_000_000 },
    ...{ audience: { who: 'active', days: 7 }, source: { message: 8, hash: 'a', language: 'ru' } },
  }));
  expect(whole?.at).toBe(1_000_000);
  return { clock, storage, drafts, whole };
}

test('keeps the draft of an admin for a day and returns none for another admin', async () => {
  const { drafts, whole, clock } = await openDrafts();
  expect(await drafts.find(ADMIN)).toEqual(whole);
  expect(await drafts.find(ADMIN + 1)).toBeUndefined();
  expect(await drafts.change(ADMIN + 1, () => ({ at: 1 }))).toBeUndefined();
  clock.now += 24 * 3600_000;
  expect(await drafts.find(ADMIN)).toBeUndefined();
});

test('replaces the draft with an empty one under a new ID', async () => {
  const { drafts, whole } = await openDrafts();
  const other = await drafts.begin(ADMIN);
  expect(other).toEqual({ id: expect.any(String), admin: ADMIN, contents: {} });
  expect(other.id).not.toBe(whole?.id);
  expect(await drafts.find(ADMIN)).toEqual(other);
});

test('ignores a draft that was tampered with or copied from another admin', async () => {
  const { drafts, storage } = await openDrafts();
  const text = (await storage.get(KEY)) ?? '';
  const changed = tamperedTexts(text);
  expect(changed.length).toBeGreaterThan(10);
  for (const [path, other] of changed) {
    await storage.set(KEY, other);
    expect(await drafts.find(ADMIN), path).toBeUndefined();
  }
  await storage.set(KEY.replace(String(ADMIN), '7'), text);
  expect(await drafts.find(7)).toBeUndefined();
});
