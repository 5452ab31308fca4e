import { expect, test } from 'vitest';
import { createAdminLog } from '../../src/accounts/admin-log.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';

const DAY = 24 * 3600_000;

function openLog() {
  const clock = { now: Date.UTC(2026, 10, 1) };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  return { clock, storage, log: createAdminLog({ storage, now }) };
}

test('what admins did is read latest first, by whom, to whom and when', async () => {
  const { log, clock } = openLog();
  await log.note(504, 'person-barred', '501');
  clock.now += 1_000;
  await log.note(505, 'maintenance-on');
  expect(await log.latest(10)).toEqual([
    { at: clock.now, admin: 505, act: 'maintenance-on', id: expect.any(String) },
    { at: clock.now - 1_000, admin: 504, act: 'person-barred', about: '501', id: expect.any(String) },
  ]);
  expect(await log.latest(1)).toHaveLength(1);
});

test('the same done twice at one moment is kept twice', async () => {
  const { log } = openLog();
  await Promise.all([
    log.note(504, 'operation-asked', 'AB12CD34'),
    log.note(504, 'operation-asked', 'AB12CD34'),
  ]);
  expect(await log.latest(10)).toHaveLength(2);
});

test('what says which act it is, and when, is kept once, however often it is noted', async () => {
  const { log, clock } = openLog();
  const same = { id: '503_AB12CD34', at: clock.now };
  await log.note(504, 'operation-done', 'AB12CD34: seen', same);
  clock.now += 1_000;
  await log.note(504, 'operation-done', 'AB12CD34: seen', same);
  expect(await log.latest(10)).toEqual([
    { ...same, admin: 504, act: 'operation-done', about: 'AB12CD34: seen' },
  ]);
});

test('after ninety days it is gone, also where others came since', async () => {
  const { log, clock, storage } = openLog();
  await log.note(504, 'person-barred', '501');
  clock.now += 50 * DAY;
  await log.note(504, 'person-let-in', '501');
  clock.now += 41 * DAY;
  await log.note(504, 'maintenance-on');
  expect((await log.latest(10)).map(({ act }) => act)).toEqual(['maintenance-on', 'person-let-in']);
  clock.now += 91 * DAY;
  expect(await storage.keys('')).toEqual([]);
});

test('what is long is cut, and what cannot be read is left out', async () => {
  const { log, storage, clock } = openLog();
  await log.note(504, 'operation-not-done', '🙈'.repeat(300));
  await storage.index.put('admin-log', '{"act":"of a later version"}', clock.now + 1);
  const [only, ...others] = await log.latest(10);
  expect([only?.about, others]).toEqual(['🙈'.repeat(200), []]);
});
