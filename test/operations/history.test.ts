import { expect, test } from 'vitest';
import { ACTIVATION, BANDWIDTH, openRoom, type Room, START, USER } from './operations-setup.ts';

const DAY = 24 * 3600_000;

/** Makes purchases one second apart and returns their IDs, latest first. */
async function bought({ claimed, advance, clock }: Room, count: number, more = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    clock.now += 1_000;
    const operation = await claimed(more);
    await advance(operation);
    ids.unshift(operation.id);
  }
  return ids;
}

const idsOf = ({ operations }: { operations: { id: string }[] }) => operations.map(({ id }) => id);

test('returns pages latest first, each starting after the last item of the previous one', async () => {
  const room = openRoom();
  const ids = await bought(room, 12);
  const { history } = room.operations;
  const first = await history.page(USER, { size: 5 });
  expect(idsOf(first)).toEqual(ids.slice(0, 5));
  const second = await history.page(USER, { size: 5, after: first.older });
  expect(idsOf(second)).toEqual(ids.slice(5, 10));
  const third = await history.page(USER, { size: 5, after: second.older });
  expect({ ids: idsOf(third), older: third.older }).toEqual({ ids: ids.slice(10), older: undefined });
});

test('new purchases do not move existing pages', async () => {
  const room = openRoom();
  const ids = await bought(room, 7);
  const first = await room.operations.history.page(USER, { size: 5 });
  await bought(room, 3);
  expect(idsOf(await room.operations.history.page(USER, { size: 5, after: first.older }))).toEqual(
    ids.slice(5),
  );
});

test('a full last page has no next page', async () => {
  const room = openRoom();
  await bought(room, 5);
  expect(await room.operations.history.page(USER, { size: 5 })).toMatchObject({ older: undefined });
});

test('returns operations of one kind among many others', async () => {
  const room = openRoom();
  const old = await bought(room, 2, { request: ACTIVATION });
  await bought(room, 45);
  const late = await bought(room, 1, { request: ACTIVATION });
  await bought(room, 3, { request: BANDWIDTH });
  const { history } = room.operations;
  const first = await history.page(USER, { size: 2, kind: 'activation' });
  expect(idsOf(first)).toEqual([...late, old[0]]);
  const second = await history.page(USER, { size: 2, kind: 'activation', after: first.older });
  expect({ ids: idsOf(second), older: second.older }).toEqual({ ids: [old[1]], older: undefined });
});

test('excludes unconfirmed operations and those of other users', async () => {
  const room = openRoom();
  await room.draft();
  await bought(room, 1, { user: USER + 1 });
  expect(await room.operations.history.page(USER, { size: 5 })).toMatchObject({
    operations: [],
    older: undefined,
  });
});

test('shows current outcomes, including unknown ones', async () => {
  const room = openRoom();
  const operation = await room.lost();
  const { operations } = await room.operations.history.page(USER, { size: 5 });
  expect(operations).toEqual([expect.objectContaining({ id: operation.id, state: 'unknown' })]);
});

test('removes members without a record when others are added', async () => {
  const room = openRoom();
  await bought(room, 3);
  room.clock.now = START + 91 * DAY;
  const late = await bought(room, 2);
  expect(await room.storage.index.last(`operations-of-user:{${USER}}`, 10)).toEqual(late);
});
