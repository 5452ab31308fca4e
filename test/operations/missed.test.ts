import { expect, test } from 'vitest';
import type { Operations } from '../../src/operations/operations.ts';
import type { Shown } from '../../src/operations/receipt.ts';
import { CARD, FILLED, openRoom, SHOWN, USER } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

const BLOCKED: Shown = { kind: 'impossible' };

/** Opens a purchase whose outcome was not delivered because its user had blocked the bot. */
async function openMissed() {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue(BLOCKED);
  await room.advance(operation);
  room.show.mockReset();
  room.show.mockResolvedValue(SHOWN);
  return { ...room, operation };
}

/** Delivers missed notifications, as when a user returns after blocking the bot. */
const comesBack = async ({ missed, tellMissed }: Operations, user: number) =>
  tellMissed(await missed.of(user));

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
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  room.show.mockResolvedValueOnce({ kind: 'shown', card: CARD, news: 90 });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  room.show.mockResolvedValueOnce(BLOCKED);
  await room.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  await comesBack(room.operations, USER);
  const [last] = room.show.mock.calls.at(-1) ?? [];
  expect(last).toMatchObject({ late: true, result: { status: 'failed' } });
  expect(last).not.toHaveProperty('news');
});

test('delivers the outcomes of only the latest five operations', async () => {
  const room = openRoom();
  room.show.mockResolvedValue(BLOCKED);
  for (let bought = 1; bought <= 7; bought++) await room.advance(await room.claimed());
  room.show.mockReset();
  room.show.mockResolvedValue(SHOWN);
  await comesBack(room.operations, USER);
  expect(room.shown()).toEqual(Array(5).fill('done'));
});

test('delivers nothing at the return if the outcome was shown before', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValueOnce(BLOCKED);
  await room.advance(operation);
  expect(room.shown()).toContain('done');
  room.show.mockClear();
  await comesBack(room.operations, USER);
  expect(room.show).not.toHaveBeenCalled();
});

test('delivers the outcome as a follow-up although a newer revision was stored', async () => {
  const { operations, show, operation, store } = await openMissed();
  await store.change(operation, (present) => ({ ...present, revision: present.revision + 1 }));
  await comesBack(operations, USER);
  expect(show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
});

test('ignores an unreadable list of missed operations', async () => {
  const room = openRoom();
  await room.storage.set(`missed:{${USER}}`, 'garbage');
  await comesBack(room.operations, USER);
  expect(room.show).not.toHaveBeenCalled();
});
