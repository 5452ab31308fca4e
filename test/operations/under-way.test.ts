import { expect, test } from 'vitest';
import { openRoom } from './operations-setup.ts';

test('counts operations under way and with an uncertain outcome', async () => {
  const room = openRoom();
  const { underWay } = room.operations;
  expect(await underWay()).toEqual({ going: 0, uncertain: 0, isMore: false });
  await room.draft();
  await room.lost();
  await room.lost({ user: 777 });
  await room.claimed();
  expect(await underWay()).toEqual({ going: 1, uncertain: 2, isMore: false });
});

test('does not count settled operations', async () => {
  const room = openRoom();
  const done = await room.claimed();
  await room.advance(done);
  const lost = await room.lost();
  await room.operations.settlement.close(lost);
  expect(await room.operations.underWay()).toMatchObject({ going: 0, uncertain: 0 });
});

test('reports that there are more than it counts', async () => {
  const room = openRoom();
  for (let count = 0; count < 201; count += 1) {
    await room.storage.index.putIn('operations:dueIndex', `9/${count}`, 1_000);
  }
  expect(await room.operations.underWay()).toMatchObject({ isMore: true });
});

test("returns the age of the longest overdue operation by the storage's clock", async () => {
  const { operations, claimed, clock } = openRoom();
  expect(await operations.overdueMs()).toBeUndefined();
  await claimed();
  clock.now += 13_000;
  expect(await operations.overdueMs()).toBe(10_000);
});
