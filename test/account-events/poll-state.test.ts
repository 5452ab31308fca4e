import { expect, test } from 'vitest';
import { POLL_STATE } from '../../src/account-events/poll-schedule.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { START } from '../operations/operations-setup.ts';
import { signedRecords } from '../support/records.ts';
import { DAY } from './pollers-setup.ts';

const TARGET = { account: 1001, kind: 'deposits' } as const;
const STATE = {
  since: 1,
  polledAt: 2,
  knownItems: ['7:confirmed'],
  unchangedPolls: 3,
  expectationPolls: 4,
  failedPolls: 5,
};

function openStates() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  return { clock, storage, states: signedRecords(storage).store(POLL_STATE) };
}

test('reads what it stored for the same account and kind only', async () => {
  const { states } = openStates();
  await states.set(TARGET, STATE);
  expect(await states.get(TARGET)).toEqual(STATE);
  expect(await states.get({ ...TARGET, account: 1002 })).toBeUndefined();
  expect(await states.get({ ...TARGET, kind: 'withdrawals' })).toBeUndefined();
});

test('distinguishes a failed first poll from an empty list', async () => {
  const { states } = openStates();
  const { knownItems: _, ...unpolled } = STATE;
  await states.set(TARGET, unpolled);
  expect(await states.get(TARGET)).toEqual(unpolled);
  await states.set(TARGET, { ...STATE, knownItems: [] });
  expect((await states.get(TARGET))?.knownItems).toEqual([]);
});

test('removes a state on request, and after forty days without a poll', async () => {
  const { states, clock, storage } = openStates();
  await states.set(TARGET, STATE);
  await states.delete(TARGET);
  expect(await storage.keys('')).toEqual([]);
  await states.set(TARGET, STATE);
  clock.now += 40 * DAY;
  expect(await states.get(TARGET)).toBeUndefined();
});

test.each(['', 'null', '{}', '{"since":"x"}', 'not JSON'])(
  'treats an unreadable state as missing: %s',
  async (text) => {
    const { states, storage } = openStates();
    await storage.set('poll-state:1001:deposits', text);
    expect(await states.get(TARGET)).toBeUndefined();
  },
);
