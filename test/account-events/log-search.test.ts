import { expect, test, vi } from 'vitest';
import { createLogSearch } from '../../src/account-events/log-search.ts';
import { POLL_STATE } from '../../src/account-events/poll-state.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { START } from '../operations/operations-setup.ts';
import { signedRecords } from '../support/records.ts';
import { SECOND } from './pollers-setup.ts';

test('makes a log due unless a poll has begun since the request', async () => {
  const clock = { now: START };
  const now = () => clock.now;
  const records = signedRecords(createMemoryStorage({ now }));
  const scheduleAll = vi.fn(async () => {});
  const pages = [Array.from({ length: 100 }, (_, n) => 100 + n)];
  const links = { linkedAccounts: async () => pages.shift() ?? [] };
  const search = createLogSearch({ links, records, idle: { scheduleAll }, now });
  // A poll lasts up to 20 seconds. The fifth one is from before the clock was set back.
  for (const [at, polledS] of [-1, 19, 20, undefined, 3_600].entries()) {
    const state = { since: 0, knownItems: [], unchangedPolls: 0, expectationPolls: 0, failedPolls: 0 };
    const polledAt = START + (polledS ?? 0) * SECOND;
    if (polledS !== undefined)
      await records.store(POLL_STATE).set({ account: at + 1, kind: 'log' }, { ...state, polledAt });
  }
  search.request();
  await search.begin();
  await search.addDueLogs();
  scheduleAll.mockClear();
  clock.now += 30 * SECOND;
  pages.push([1, 2, 3, 4, 5]);
  await search.addDueLogs();
  const due = [1, 2, 4, 5].map((account) => [{ account, kind: 'log' }, 0]);
  expect(scheduleAll.mock.calls).toContainEqual(['no-later-than', due]);
  expect(await search.addDueLogs()).toBe(false);
});

test('loses neither a request nor a page of logs while the storage fails', async () => {
  const now = () => START;
  const storage = createMemoryStorage({ now });
  const scheduleAll = vi.fn(async () => {});
  const linkedAccounts = vi.fn(async ({ above }: { above: number }) => (above === 0 ? [1] : []));
  const records = signedRecords(storage);
  const search = createLogSearch({ links: { linkedAccounts }, records, idle: { scheduleAll }, now });
  search.request();
  vi.spyOn(storage, 'add').mockRejectedValueOnce(new Error('the storage is away'));
  await expect(search.begin()).rejects.toThrow('the storage is away');
  await search.begin();
  scheduleAll.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(search.addDueLogs()).rejects.toThrow('the storage is away');
  expect(await search.addDueLogs()).toBe(true);
  expect(scheduleAll.mock.calls).toContainEqual(['no-later-than', [[{ account: 1, kind: 'log' }, 0]]]);
});

test('notices a search of another replica after ten seconds, even if the clock was set back', async () => {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now: () => START });
  const records = signedRecords(storage);
  const [here, there] = [0, 1].map(() =>
    createLogSearch({
      links: { linkedAccounts: async () => [1] },
      records,
      idle: { scheduleAll: async () => undefined },
      now,
    }),
  );
  for (const passed of [11 * SECOND, -3_600 * SECOND]) {
    while (await here?.addDueLogs()) clock.now += SECOND;
    there?.request();
    await there?.begin();
    expect(await here?.addDueLogs()).toBe(false);
    clock.now += passed;
    expect(await here?.addDueLogs()).toBe(true);
  }
});
