import { expect, test } from 'vitest';
import { START, setUpOperations, USER, WITHDRAWAL } from './operations-setup.ts';

const keysOf = async ({ storage }: ReturnType<typeof setUpOperations>) => storage.tagged(String(USER));

test('deletes unconfirmed operations and keeps confirmed ones', async () => {
  const setup = setUpOperations();
  const { operations, storage } = setup;
  const draft = await setup.draft();
  const done = await setup.claimed();
  await setup.advance(done);
  const lost = await setup.lost();
  const going = await setup.claimed();
  await operations.eraseUnconfirmed(USER, await keysOf(setup), START);
  const kept = (await storage.keys('operation:')).toSorted();
  expect(kept).toEqual([done, lost, going].map(({ id }) => `operation:{${USER}}:${id}`).toSorted());
  expect(await operations.drafts.find(draft)).toBeUndefined();
  await setup.advance(going);
  expect(await setup.read(going)).toMatchObject({ state: 'done' });
});

test('keeps newer cards and those of other users', async () => {
  const setup = setUpOperations();
  setup.clock.now += 1;
  const since = await setup.draft();
  const others = await setup.draft({ user: USER + 1 });
  await setup.operations.eraseUnconfirmed(USER, [...(await keysOf(setup)), 'operation:{503}:X'], START);
  expect(await setup.read(since)).toMatchObject({ state: 'draft' });
  expect(await setup.read(others)).toMatchObject({ state: 'draft' });
});

test('does not delete an operation that is confirmed during the deletion', async () => {
  const setup = setUpOperations();
  const draft = await setup.draft();
  const keys = await keysOf(setup);
  const { get } = setup.storage;
  let isConfirmed = false;
  setup.storage.get = async (key) => {
    const found = await get(key);
    if (!isConfirmed && key.startsWith('operation:')) {
      isConfirmed = true;
      expect(await setup.confirm(draft)).toBe('committed');
    }
    return found;
  };
  await setup.operations.eraseUnconfirmed(USER, keys, START);
  expect(isConfirmed).toBe(true);
  expect(await setup.read(draft)).toMatchObject({ state: 'claimed' });
});

test('deletes an operation that awaits a code after its card was shown as expired', async () => {
  const setup = setUpOperations();
  const awaiting = await setup.draft({ request: WITHDRAWAL });
  await setup.store.change(awaiting, (present) => ({ ...present, state: 'awaiting', card: 40 }));
  const forget = async () => setup.operations.eraseUnconfirmed(USER, await keysOf(setup), START);
  await forget();
  expect(await setup.read(awaiting)).toMatchObject({ state: 'awaiting' });
  setup.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1 });
  setup.clock.now += 10 * 60_000;
  await setup.advance(awaiting);
  await forget();
  expect(await setup.read(awaiting)).toMatchObject({ state: 'expired', notified: 0 });
  await setup.advance(awaiting);
  await forget();
  expect(await setup.operations.drafts.find(awaiting)).toBeUndefined();
});

test('leaves a record with an invalid signature alone', async () => {
  const setup = setUpOperations();
  await setup.storage.set(`operation:{${USER}}:ODD`, 'of nobody here');
  await setup.operations.eraseUnconfirmed(USER, await keysOf(setup), START);
  expect(await setup.storage.get(`operation:{${USER}}:ODD`)).toBe('of nobody here');
});
