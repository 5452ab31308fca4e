import { expect, test } from 'vitest';
import {
  ACTIVATION,
  BANDWIDTH,
  type OperationsSetup,
  START,
  setUpOperations,
  USER,
} from './operations-setup.ts';

const DAY = 24 * 3600_000;

/** Makes purchases one second apart and returns their IDs, latest first. */
async function bought(
  { claimed, advance, clock }: OperationsSetup,
  count: number,
  more = {},
): Promise<string[]> {
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
  const setup = setUpOperations();
  const ids = await bought(setup, 12);
  const { history } = setup.operations;
  const first = await history.page(USER, { size: 5 });
  expect(idsOf(first)).toEqual(ids.slice(0, 5));
  const second = await history.page(USER, { size: 5, after: first.older });
  expect(idsOf(second)).toEqual(ids.slice(5, 10));
  const third = await history.page(USER, { size: 5, after: second.older });
  expect({ ids: idsOf(third), older: third.older }).toEqual({ ids: ids.slice(10), older: undefined });
});

test('new purchases do not move existing pages', async () => {
  const setup = setUpOperations();
  const ids = await bought(setup, 7);
  const first = await setup.operations.history.page(USER, { size: 5 });
  await bought(setup, 3);
  expect(idsOf(await setup.operations.history.page(USER, { size: 5, after: first.older }))).toEqual(
    ids.slice(5),
  );
});

test('a full last page has no next page', async () => {
  const setup = setUpOperations();
  await bought(setup, 5);
  expect(await setup.operations.history.page(USER, { size: 5 })).toMatchObject({ older: undefined });
});

test('returns operations of one kind among many others', async () => {
  const setup = setUpOperations();
  const old = await bought(setup, 2, { request: ACTIVATION });
  await bought(setup, 45);
  const late = await bought(setup, 1, { request: ACTIVATION });
  await bought(setup, 3, { request: BANDWIDTH });
  const { history } = setup.operations;
  const first = await history.page(USER, { size: 2, kind: 'activation' });
  expect(idsOf(first)).toEqual([...late, old[0]]);
  const second = await history.page(USER, { size: 2, kind: 'activation', after: first.older });
  expect({ ids: idsOf(second), older: second.older }).toEqual({ ids: [old[1]], older: undefined });
});

test('excludes unconfirmed operations and those of other users', async () => {
  const setup = setUpOperations();
  await setup.draft();
  await bought(setup, 1, { user: USER + 1 });
  expect(await setup.operations.history.page(USER, { size: 5 })).toMatchObject({
    operations: [],
    older: undefined,
  });
});

test('shows current outcomes, including unknown ones', async () => {
  const setup = setUpOperations();
  const operation = await setup.lost();
  const { operations } = await setup.operations.history.page(USER, { size: 5 });
  expect(operations).toEqual([expect.objectContaining({ id: operation.id, state: 'unknown' })]);
});

test('removes members without a record when others are added', async () => {
  const setup = setUpOperations();
  await bought(setup, 3);
  setup.clock.now = START + 91 * DAY;
  const late = await bought(setup, 2);
  expect(await setup.storage.index.last(`operations-of-user:{${USER}}`, 10)).toEqual(late);
});
