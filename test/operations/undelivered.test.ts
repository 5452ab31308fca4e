import { expect, test } from 'vitest';
import type { Operations } from '../../src/operations/operations.ts';
import type { Shown } from '../../src/operations/receipt.ts';
import { CARD, FILLED, SHOWN, setUpOperations, USER } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

const BLOCKED: Shown = { kind: 'impossible' };

/** Opens a purchase whose outcome was not delivered because its user had blocked the bot. */
async function openMissed() {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  setup.show.mockResolvedValue(BLOCKED);
  await setup.advance(operation);
  setup.show.mockReset();
  setup.show.mockResolvedValue(SHOWN);
  return { ...setup, operation };
}

/** Delivers missed notifications, as when a user returns after blocking the bot. */
const comesBack = async ({ undelivered, notifyUndelivered }: Operations, user: number) =>
  notifyUndelivered(await undelivered.of(user));

test('delivers a missed outcome once, as a follow-up, when the user returns', async () => {
  const { operations, show, operation, pass } = await openMissed();
  await comesBack(operations, USER);
  expect(show.mock.calls).toEqual([[expect.objectContaining({ state: 'done', late: true })]]);
  await comesBack(operations, USER);
  await comesBack(operations, USER + 1);
  await pass(60_000);
  expect(show.mock.calls.filter(([{ id }]) => id === operation.id)).toHaveLength(1);
});

test('delivers it at the next return if the user has blocked the bot again', async () => {
  const { operations, show } = await openMissed();
  show.mockResolvedValueOnce(BLOCKED);
  await comesBack(operations, USER);
  show.mockClear();
  await comesBack(operations, USER);
  expect(show).toHaveBeenCalledOnce();
});

test('leaves the delivery to the reconciler if Telegram delays it', async () => {
  const { operations, show, pass } = await openMissed();
  show.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
  await comesBack(operations, USER);
  show.mockClear();
  await pass(15_000);
  expect(show.mock.calls).toEqual([[expect.objectContaining({ state: 'done', late: true })]]);
});

test('leaves the delivery to the reconciler if the process dies', async () => {
  const { operations, show, pass } = await openMissed();
  await pass(15_000);
  show.mockRejectedValueOnce(new Error('the process ends'));
  await expect(comesBack(operations, USER)).rejects.toThrow('the process ends');
  show.mockClear();
  await pass(15_000);
  expect(show.mock.calls).toEqual([[expect.objectContaining({ state: 'done', late: true })]]);
});

test('sends a new reply instead of editing one that precedes the missed outcome', async () => {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  await setup.advance(operation);
  setup.show.mockResolvedValueOnce({ kind: 'shown', card: CARD, followUp: 90 });
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  setup.show.mockResolvedValueOnce(BLOCKED);
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  await comesBack(setup.operations, USER);
  const [last] = setup.show.mock.calls.at(-1) ?? [];
  expect(last).toMatchObject({ late: true, result: { status: 'failed' } });
  expect(last).not.toHaveProperty('followUp');
});

test('delivers the outcomes of only the latest five operations', async () => {
  const setup = setUpOperations();
  setup.show.mockResolvedValue(BLOCKED);
  for (let bought = 1; bought <= 7; bought++) await setup.advance(await setup.claimed());
  setup.show.mockReset();
  setup.show.mockResolvedValue(SHOWN);
  await comesBack(setup.operations, USER);
  expect(setup.shown()).toEqual(Array(5).fill('done'));
});

test('delivers nothing at the return if the outcome was shown before', async () => {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  setup.show.mockResolvedValueOnce(BLOCKED);
  await setup.advance(operation);
  expect(setup.shown()).toContain('done');
  setup.show.mockClear();
  await comesBack(setup.operations, USER);
  expect(setup.show).not.toHaveBeenCalled();
});

test('delivers the outcome as a follow-up although a newer revision was stored', async () => {
  const { operations, show, operation, store } = await openMissed();
  await store.change(operation, (present) => ({ ...present, revision: present.revision + 1 }));
  await comesBack(operations, USER);
  expect(show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
});

test('ignores an unreadable list of missed operations', async () => {
  const setup = setUpOperations();
  await setup.storage.set(`undelivered:{${USER}}`, 'garbage');
  await comesBack(setup.operations, USER);
  expect(setup.show).not.toHaveBeenCalled();
});
