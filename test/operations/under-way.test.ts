import { expect, test } from 'vitest';
import { openRoom } from './room.ts';

test('what was confirmed and has no outcome is counted: what is at it, and what nobody knows of', async () => {
  const room = openRoom();
  const { underWay } = room.operations;
  expect(await underWay()).toEqual({ going: 0, uncertain: 0, isMore: false });
  await room.draft();
  await room.lost();
  await room.lost({ user: 777 });
  await room.claimed();
  expect(await underWay()).toEqual({ going: 1, uncertain: 2, isMore: false });
});

test('what has its outcome is counted no more', async () => {
  const room = openRoom();
  const done = await room.claimed();
  await room.advance(done);
  const lost = await room.lost();
  await room.operations.settlement.close(lost);
  expect(await room.operations.underWay()).toMatchObject({ going: 0, uncertain: 0 });
});

test('of more than are counted is said that there are more', async () => {
  const room = openRoom();
  for (let count = 0; count < 201; count += 1) {
    await room.storage.index.putIn('operations:dueIndex', `9/${count}`, 1_000);
  }
  expect(await room.operations.underWay()).toMatchObject({ isMore: true });
});

test('for how long something should have been looked at is known by the clock of the storage', async () => {
  const { operations, claimed, clock } = openRoom();
  expect(await operations.overdueMs()).toBeUndefined();
  await claimed();
  clock.now += 13_000;
  expect(await operations.overdueMs()).toBe(10_000);
});
