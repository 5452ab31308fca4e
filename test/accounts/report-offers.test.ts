import { expect, test } from 'vitest';
import { createReportOffers } from '../../src/accounts/webhook-subscriptions.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';

const [USER, ACCOUNT] = [502, 1001];
const link = { account: ACCOUNT, tail: '-key', linkedAt: 0, language: 'en' as const };
const links = { find: async () => link };

test.each([
  ['in memory', async () => createMemoryStorage()],
  ['in Redis', async () => createRedisStorage({ url: await redisUrl(), log: silentLog() })],
])('offers reports once per user and account, stored %s', async (_, open) => {
  const storage = await open();
  const { reserve: take } = createReportOffers({ storage, links });
  expect([await take(USER, ACCOUNT), await take(USER, ACCOUNT)]).toEqual([true, false]);
  expect(await take(USER + 1, ACCOUNT)).toBe(true);
  link.account = ACCOUNT + 1;
  expect(await take(USER, ACCOUNT + 1)).toBe(true);
  link.account = ACCOUNT;
  expect(await createReportOffers({ storage, links }).reserve(USER, ACCOUNT)).toBe(false);
  await storage.close();
});

test('lets only one of many concurrent callers make the offer', async () => {
  const { reserve: take } = createReportOffers({ storage: createMemoryStorage(), links });
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(USER, ACCOUNT)));
  expect(taken.filter(Boolean)).toHaveLength(1);
});

test('allows the offer again after it was given back', async () => {
  const { reserve: take, release: giveBack } = createReportOffers({ storage: createMemoryStorage(), links });
  await take(USER, ACCOUNT);
  await giveBack(USER, ACCOUNT);
  expect(await take(USER, ACCOUNT)).toBe(true);
});

test('makes no offer and stores nothing after the account was unlinked', async () => {
  const storage = createMemoryStorage();
  let linked: typeof link | undefined;
  const { reserve: take } = createReportOffers({ storage, links: { find: async () => linked } });
  expect(await take(USER, ACCOUNT)).toBe(false);
  expect(await storage.keys('')).toEqual([]);
  linked = link;
  expect(await take(USER, ACCOUNT)).toBe(true);
});

test('allows the offer again for an erased user only', async () => {
  const storage = createMemoryStorage();
  const { reserve: take, erase: forget } = createReportOffers({ storage, links });
  for (const user of [USER, USER * 10]) await take(user, ACCOUNT);
  await forget(USER, await storage.tagged(String(USER)));
  expect(await storage.keys('report-offer:')).toEqual([`report-offer:{${USER * 10}}:${ACCOUNT}`]);
  expect(await take(USER, ACCOUNT)).toBe(true);
});
