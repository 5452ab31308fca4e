import { describe, expect, test } from 'vitest';
import { createAdminLog } from '../../src/accounts/admin-log.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

const DAY = 24 * 3600_000;

function openLog() {
  const clock = { now: Date.UTC(2026, 10, 1) };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const records = signedRecords(storage);
  const { log: operatorLog, lines } = recordingLog();
  const log = createAdminLog({ storage, records, now, log: operatorLog });
  return { clock, storage, records, log, lines };
}

test('returns entries with admin, subject and time, the latest first, and logs them without the subject', async () => {
  const { log, clock, lines } = openLog();
  await log.add(504, 'person-banned', '501');
  clock.now += 1_000;
  await log.add(505, 'maintenance-on');
  expect(await log.latest(10)).toEqual([
    { at: clock.now, admin: 505, action: 'maintenance-on', id: expect.any(String) },
    { at: clock.now - 1_000, admin: 504, action: 'person-banned', about: '501', id: expect.any(String) },
  ]);
  expect(await log.latest(1)).toHaveLength(1);
  expect(lines()).toMatchObject([
    { level: 'info', user: 504, event: 'person-banned' },
    { level: 'info', user: 505, event: 'maintenance-on' },
  ]);
  expect(JSON.stringify(lines())).not.toContain('501');
});

test('keeps acts of the same millisecond separate and in order', async () => {
  const { log } = openLog();
  const ids = Array.from({ length: 20 }, (_, count) => `AB12CD${10 + count}`);
  for (const id of ids) await log.add(504, 'operation-asked', id);
  await log.add(504, 'operation-asked', ids.at(-1));
  const noted = (await log.latest(30)).map(({ about }) => about);
  expect(noted).toEqual([...ids, ids.at(-1)].toReversed());
});

test('stores an entry with the same ID and time only once', async () => {
  const { log, clock } = openLog();
  const same = { id: '503_AB12CD34', at: clock.now };
  await log.add(504, 'operation-done', 'AB12CD34: seen', same);
  clock.now += 1_000;
  await log.add(504, 'operation-done', 'AB12CD34: seen', same);
  expect(await log.latest(10)).toEqual([
    { ...same, admin: 504, action: 'operation-done', about: 'AB12CD34: seen' },
  ]);
});

test('stores an entry of the same update only once, with its first time', async () => {
  const { log, clock } = openLog();
  const at = clock.now;
  await log.add(504, 'person-banned', '501', { update: 7 });
  clock.now += 1_000;
  await log.add(504, 'person-unbanned', '501', { update: 8 });
  await log.add(504, 'person-banned', '501', { update: 7 });
  expect(await log.latest(10)).toMatchObject([
    { action: 'person-unbanned', at: at + 1_000 },
    { action: 'person-banned', at },
  ]);
});

test('removes an entry after ninety days, also if newer entries followed', async () => {
  const { log, clock, storage } = openLog();
  await log.add(504, 'person-banned', '501');
  clock.now += 50 * DAY;
  await log.add(504, 'person-unbanned', '501');
  clock.now += 41 * DAY;
  await log.add(504, 'maintenance-on');
  expect((await log.latest(10)).map(({ action }) => action)).toEqual(['maintenance-on', 'person-unbanned']);
  clock.now += 91 * DAY;
  expect(await storedKeys(storage)).toEqual([]);
});

test('truncates long text and skips unreadable acts', async () => {
  const { log, storage, records, clock } = openLog();
  await log.add(504, 'operation-not-done', '🙈'.repeat(300));
  await records.set('admin-action:later', '{"action":"of a later version"}');
  await storage.index.put('admin-log', 'later', clock.now + 1);
  const [only, ...others] = await log.latest(10);
  expect([only?.about, others]).toEqual(['🙈'.repeat(200), []]);
});

describe('an entry that was tampered with', () => {
  const FORGED = { at: Date.UTC(2026, 10, 1), admin: 505, action: 'maintenance-on', id: 'forged' };

  test.each<[string, (key: string, storage: Storage) => Promise<string>]>([
    ['is unsigned', async () => JSON.stringify(FORGED)],
    [
      'is edited',
      async (key, storage) => ((await storage.get(key)) ?? '').replace('"admin":504', '"admin":505'),
    ],
    ['was signed as another entry', async (_, storage) => (await storage.get('admin-action:another')) ?? ''],
  ])('is skipped if it %s', async (_, forge) => {
    const { log, storage, clock } = openLog();
    for (const id of ['one', 'another']) await log.add(504, 'person-banned', '501', { id, at: clock.now });
    await storage.set('admin-action:one', await forge('admin-action:one', storage));
    await storage.index.put('admin-log', 'forged', clock.now);
    await storage.set('admin-action:forged', JSON.stringify(FORGED));
    expect(await log.latest(10)).toEqual([
      { at: clock.now, admin: 504, action: 'person-banned', about: '501', id: 'another' },
    ]);
  });

  test('is replaced when the same action is logged', async () => {
    const { log, storage, clock } = openLog();
    await storage.set('admin-action:one', JSON.stringify(FORGED));
    await log.add(504, 'maintenance-off', undefined, { id: 'one', at: clock.now });
    expect(await log.latest(10)).toEqual([
      { at: clock.now, admin: 504, action: 'maintenance-off', id: 'one' },
    ]);
  });
});

test('pages through the log and returns the first page after an unknown entry', async () => {
  const { log, clock } = openLog();
  for (let count = 0; count < 5; count += 1) {
    clock.now += 1_000;
    await log.add(504, 'operation-asked', String(count));
  }
  const pages = [await log.page(2)];
  for (let last = pages[0]; last?.older; last = pages.at(-1)) pages.push(await log.page(2, last.older));
  expect(pages.map(({ entries: acts, isFirst }) => [acts.map(({ about }) => about), isFirst])).toEqual([
    [['4', '3'], true],
    [['2', '1'], false],
    [['0'], false],
  ]);
  expect(await log.page(2, 'gone')).toEqual(pages[0]);
});
