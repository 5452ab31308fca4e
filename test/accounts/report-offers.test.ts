import { expect, test } from 'vitest';
import { createReportOffers } from '../../src/accounts/report-offers.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { createRedisStorage } from '../../src/storage/redis.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';

const [USER, ACCOUNT] = [502, 1001];

test.each([
  ['in memory', async () => createMemoryStorage()],
  ['in Redis', async () => createRedisStorage({ url: await redisUrl(), log: silentLog() })],
])('reports are offered once to each user of each account, kept %s', async (_, open) => {
  const storage = await open();
  const { take } = createReportOffers({ storage });
  expect([await take(USER, ACCOUNT), await take(USER, ACCOUNT)]).toEqual([true, false]);
  expect(await take(USER + 1, ACCOUNT)).toBe(true);
  expect(await take(USER, ACCOUNT + 1)).toBe(true);
  expect(await createReportOffers({ storage }).take(USER, ACCOUNT)).toBe(false);
  await storage.close();
});

test('of many replicas that would offer them at once one does', async () => {
  const { take } = createReportOffers({ storage: createMemoryStorage() });
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(USER, ACCOUNT)));
  expect(taken.filter(Boolean)).toHaveLength(1);
});

test('who could not be asked is asked the next time', async () => {
  const { take, giveBack } = createReportOffers({ storage: createMemoryStorage() });
  await take(USER, ACCOUNT);
  await giveBack(USER, ACCOUNT);
  expect(await take(USER, ACCOUNT)).toBe(true);
});
