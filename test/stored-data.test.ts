import { expect, test, vi } from 'vitest';
import { DAY_MS } from '../src/platform/clock.ts';
import { createMemoryStorage } from '../src/platform/memory-storage.ts';
import { createUnreadableRecords } from '../src/platform/unreadable-records.ts';
import { createUserKeys } from '../src/platform/user-keys.ts';
import { createStoredDataChecks } from '../src/stored-data.ts';
import { silentLog } from './support/log-lines.ts';
import { signedRecords } from './support/records.ts';

const NEWER = 'operation:{502}:AB12';
const FORGED = 'link:{503}';

/** Processes of one release on the same storage, with two records that they can't read. */
async function openRelease() {
  const clock = { now: 1_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const notifyUsers = vi.fn(async (_keys: readonly string[]) => {});
  const repairIndexes = vi.fn(async (_keys: readonly string[]) => {});
  const canary = { is: 'open' as 'open' | 'foreign' };
  await storage.set(NEWER, 's2.of a newer release.{}');
  await storage.set(FORGED, 's1.of nobody.{}');

  function startProcess() {
    const records = signedRecords(storage);
    const unreadable = createUnreadableRecords({ storage, records, readers: {} });
    records.onUnreadable(unreadable.add);
    const read = async () => ({ ...canary, keyId: '' });
    const userKeys = createUserKeys({ storage, records, data: [], log: silentLog() });
    const checks = createStoredDataChecks({
      ...{ storage, canary: { read }, userKeys, unreadable },
      ...{ repairIndexes, notifyUsers },
    });
    async function review(): Promise<void> {
      await checks.checkKeys();
      await checks.reviewUnreadable();
    }
    return { ...unreadable, records, review };
  }
  return { clock, storage, canary, notifyUsers, repairIndexes, startProcess };
}

test('lists records that a release cannot read, also after a restart, until they are readable or gone', async () => {
  const { storage, startProcess } = await openRelease();
  await startProcess().review();
  const { review, records, summary } = startProcess();
  expect(await summary()).toEqual({ count: 2, kinds: 'link ×1, operation ×1', isNewer: true });
  await storage.delete(NEWER);
  await records.set(FORGED, '{}');
  expect(await summary()).toEqual({ count: 0, kinds: '', isNewer: false });
  await review();
  expect(await storage.index.size('unreadable-records')).toBe(0);
});

test('lists a record that was found while the storage was away', async () => {
  const { storage, startProcess } = await openRelease();
  const put = vi.spyOn(storage.index, 'put').mockRejectedValue(new Error('away'));
  const { records, review, summary } = startProcess();
  await records.get(FORGED);
  put.mockRestore();
  await review();
  expect((await summary()).kinds).toBe('link ×1, operation ×1');
});

test('forgets a record that stays unreadable for a day', async () => {
  const { clock, startProcess } = await openRelease();
  const { review, summary } = startProcess();
  await review();
  clock.now += 23 * 3_600_000;
  await review();
  expect((await summary()).count).toBe(2);
  clock.now += 3_600_000;
  await review();
  expect((await summary()).count).toBe(0);
});

test('notifies users once of their unreadable records, and again if that failed', async () => {
  const { notifyUsers, startProcess } = await openRelease();
  notifyUsers.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(startProcess().review()).rejects.toThrow('the storage is away');
  const { review } = startProcess();
  await review();
  await review();
  expect(notifyUsers.mock.calls.map(([keys]) => keys.toSorted())).toEqual([
    [FORGED, NEWER],
    [FORGED, NEWER],
  ]);
});

test('notifies no user while SECRET_KEY is not the one of the stored data', async () => {
  const { storage, canary, notifyUsers, startProcess } = await openRelease();
  canary.is = 'foreign';
  const { review, records } = startProcess();
  await records.get(FORGED);
  await review();
  expect(notifyUsers).not.toHaveBeenCalled();
  // A record that the right key opens again isn't reported later.
  await signedRecords(storage).set(FORGED, '{}');
  canary.is = 'open';
  await startProcess().review();
  expect(notifyUsers.mock.calls).toEqual([[[NEWER]]]);
});

test('repairs the indexes of all records each day, but not while SECRET_KEY is wrong', async () => {
  const { clock, canary, repairIndexes, startProcess } = await openRelease();
  const { review } = startProcess();
  await review();
  await review();
  expect(repairIndexes.mock.calls).toEqual([[expect.arrayContaining([NEWER, FORGED])]]);
  clock.now += DAY_MS;
  canary.is = 'foreign';
  await review();
  expect(repairIndexes).toHaveBeenCalledTimes(1);
  canary.is = 'open';
  await review();
  expect(repairIndexes).toHaveBeenCalledTimes(2);
});
