import { expect, test } from 'vitest';
import { setUpOperations } from './operations-setup.ts';

test('counts operations under way and with an uncertain outcome', async () => {
  const setup = setUpOperations();
  const { pendingSummary } = setup.operations;
  expect(await pendingSummary()).toEqual({ inProgress: 0, uncertain: 0, isMore: false });
  await setup.draft();
  await setup.lost();
  await setup.lost({ user: 777 });
  await setup.claimed();
  expect(await pendingSummary()).toEqual({ inProgress: 1, uncertain: 2, isMore: false });
});

test('does not count settled operations', async () => {
  const setup = setUpOperations();
  const done = await setup.claimed();
  await setup.advance(done);
  const lost = await setup.lost();
  await setup.operations.settlement.close(lost);
  expect(await setup.operations.pendingSummary()).toMatchObject({ inProgress: 0, uncertain: 0 });
});

test('reports that there are more than it counts', async () => {
  const setup = setUpOperations();
  for (let count = 0; count < 201; count += 1) {
    await setup.storage.index.scheduleIn('operations:due', `9/${count}`, 1_000);
  }
  expect(await setup.operations.pendingSummary()).toMatchObject({ isMore: true });
});

test("returns the age of the longest overdue operation by the storage's clock", async () => {
  const { operations, claimed, clock } = setUpOperations();
  expect(await operations.overdueMs()).toBeUndefined();
  await claimed();
  clock.now += 13_000;
  expect(await operations.overdueMs()).toBe(10_000);
});
