import { expect, test } from 'vitest';
import { openRoom, START, USER, WITHDRAWAL } from './operations-setup.ts';

const keysOf = async ({ storage }: ReturnType<typeof openRoom>) => storage.tagged(String(USER));

test('deletes unconfirmed operations and keeps confirmed ones', async () => {
  const room = openRoom();
  const { operations, storage } = room;
  const draft = await room.draft();
  const done = await room.claimed();
  await room.advance(done);
  const lost = await room.lost();
  const going = await room.claimed();
  await operations.forgetUnconfirmed(USER, await keysOf(room), START);
  const kept = (await storage.keys('operation:')).toSorted();
  expect(kept).toEqual([done, lost, going].map(({ id }) => `operation:{${USER}}:${id}`).toSorted());
  expect(await operations.drafts.find(draft)).toBeUndefined();
  await room.advance(going);
  expect(await room.read(going)).toMatchObject({ state: 'done' });
});

test('keeps newer cards and those of other users', async () => {
  const room = openRoom();
  room.clock.now += 1;
  const since = await room.draft();
  const others = await room.draft({ user: USER + 1 });
  await room.operations.forgetUnconfirmed(USER, [...(await keysOf(room)), 'operation:{503}:X'], START);
  expect(await room.read(since)).toMatchObject({ state: 'draft' });
  expect(await room.read(others)).toMatchObject({ state: 'draft' });
});

test('does not delete an operation that is confirmed during the deletion', async () => {
  const room = openRoom();
  const draft = await room.draft();
  const keys = await keysOf(room);
  const { get } = room.storage;
  let isConfirmed = false;
  room.storage.get = async (key) => {
    const found = await get(key);
    if (!isConfirmed && key.startsWith('operation:')) {
      isConfirmed = true;
      expect(await room.confirm(draft)).toBe('committed');
    }
    return found;
  };
  await room.operations.forgetUnconfirmed(USER, keys, START);
  expect(isConfirmed).toBe(true);
  expect(await room.read(draft)).toMatchObject({ state: 'claimed' });
});

test('deletes an operation that awaits a code after its card was shown as expired', async () => {
  const room = openRoom();
  const awaiting = await room.draft({ request: WITHDRAWAL });
  await room.store.change(awaiting, (present) => ({ ...present, state: 'awaiting', card: 40 }));
  const forget = async () => room.operations.forgetUnconfirmed(USER, await keysOf(room), START);
  await forget();
  expect(await room.read(awaiting)).toMatchObject({ state: 'awaiting' });
  room.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1 });
  room.clock.now += 10 * 60_000;
  await room.advance(awaiting);
  await forget();
  expect(await room.read(awaiting)).toMatchObject({ state: 'expired', notified: 0 });
  await room.advance(awaiting);
  await forget();
  expect(await room.operations.drafts.find(awaiting)).toBeUndefined();
});

test('leaves a record with an invalid signature alone', async () => {
  const room = openRoom();
  await room.storage.set(`operation:{${USER}}:ODD`, 'of nobody here');
  await room.operations.forgetUnconfirmed(USER, await keysOf(room), START);
  expect(await room.storage.get(`operation:{${USER}}:ODD`)).toBe('of nobody here');
});
