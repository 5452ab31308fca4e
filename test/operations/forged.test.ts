import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';
import { CARD, openRoom, type Room } from './operations-setup.ts';
import { ORDER, rejected } from './rental-stand-in.ts';

const keyOf = ({ user, id }: Operation) => `operation:{${user}}:${id}`;
const attemptOf = ({ user, id }: Operation) => `attempt:{${user}}:${id}`;

/** Returns the stored text of an operation. */
async function textOf({ storage }: Room, operation: Operation): Promise<string> {
  return (await storage.get(keyOf(operation))) ?? '';
}

/** Replaces the content and keeps the old signature. */
function withContent(text: string, content: string): string {
  return [...text.split('.', 2), content].join('.');
}

async function contentOf(storage: Storage, operation: Operation): Promise<string> {
  return (await signedRecords(storage).get(keyOf(operation)))?.content ?? '';
}

/** Adds the operation to the due index, as an intruder could, and runs the reconciler for a minute. */
async function watchFindsIt(room: Room, operation: Operation): Promise<void> {
  await room.storage.index.put('operations:dueIndex', `${operation.user}/${operation.id}`, 0);
  await room.pass(60_000);
}

test('buys nothing if any field of a card is changed before the tap', async () => {
  const room = openRoom();
  const drafted = await room.draft();
  const text = await textOf(room, drafted);
  const fields = changedFields(await contentOf(room.storage, drafted));
  expect(fields.map(([path]) => path)).toEqual(
    expect.arrayContaining(['request.address', 'request.energy_amount', 'account', 'user', 'expiresAt']),
  );
  for (const [path, content] of fields) {
    await room.storage.set(keyOf(drafted), withContent(text, content));
    expect(await room.confirm(drafted), path).toBe('none');
  }
  await watchFindsIt(room, drafted);
  expect(room.rental.buyEnergy).not.toHaveBeenCalled();
});

test('buys nothing if any field of a claimed operation is changed before the request', async () => {
  const room = openRoom();
  const claimed = await room.claimed();
  const text = await textOf(room, claimed);
  for (const [path, content] of changedFields(await contentOf(room.storage, claimed))) {
    await room.storage.set(keyOf(claimed), withContent(text, content));
    await room.advance(claimed);
    expect(room.rental.buyEnergy, path).not.toHaveBeenCalled();
  }
});

test('neither repeats nor shows a settled operation if any field is changed', async () => {
  const room = openRoom();
  const done = await room.claimed();
  await room.advance(done);
  room.show.mockClear();
  const text = await textOf(room, done);
  await room.storage.delete(attemptOf(done));
  for (const [path, content] of changedFields(await contentOf(room.storage, done))) {
    await room.storage.set(keyOf(done), withContent(text, content));
    await watchFindsIt(room, done);
    expect(room.rental.buyEnergy, path).toHaveBeenCalledOnce();
    expect(room.show, path).not.toHaveBeenCalled();
  }
});

test('does not execute a forged claim in the due index, and removes it', async () => {
  const room = openRoom();
  const drafted = await room.draft();
  const content = await contentOf(room.storage, drafted);
  const forged = { ...JSON.parse(content), state: 'claimed', claimedAt: room.clock.now };
  await room.storage.set(keyOf(drafted), JSON.stringify(forged));
  await watchFindsIt(room, drafted);
  expect(room.rental.buyEnergy).not.toHaveBeenCalled();
  expect(await room.storage.index.upTo('operations:dueIndex', Number.MAX_VALUE, 10)).toEqual([]);
});

describe('a claim that is restored after its purchase', () => {
  async function bought(room: Room) {
    const operation = await room.claimed();
    const confirmation = await textOf(room, operation);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'done' });
    await room.storage.set(keyOf(operation), confirmation);
    return operation;
  }

  test('is not sent again, and its user is notified that it is unknown', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.lookLater(operation);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(room.shown().at(-1)).toBe('unknown');
  });

  test('is not sent again by another process', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.lookLater(operation, room.replica());
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('is not sent again if the attempt mark was deleted', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.storage.delete(attemptOf(operation));
    await room.lookLater(operation);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(room.shown().at(-1)).toBe('unknown');
  });

  test('is not sent again after five minutes without the attempt mark, by another process', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.storage.delete(attemptOf(operation));
    room.clock.now += 5 * 60_000 + 1;
    await room.replica().reconciler.advance(operation);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

test('does not send a restored claim that was refused, without its attempt mark', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const confirmation = await textOf(room, operation);
  room.apiKey.mockResolvedValueOnce(undefined);
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'refused' });
  await room.storage.delete(attemptOf(operation));
  await room.storage.set(keyOf(operation), confirmation);
  await room.lookLater(operation);
  expect(room.rental.buyEnergy).not.toHaveBeenCalled();
});

test('does not buy twice if a card is restored after the purchase and confirmed again', async () => {
  const room = openRoom();
  const drafted = await room.draft();
  const card = await textOf(room, drafted);
  await room.confirm(drafted);
  await room.advance(drafted);
  await room.storage.set(keyOf(drafted), card);
  expect(await room.confirm(drafted)).toBe('committed');
  await room.advance(drafted);
  expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  expect(room.shown().at(-1)).toBe('unknown');
});

test('notifies of the outcome although the record is damaged during the purchase', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const { buyEnergy } = room.rental;
  const answers = buyEnergy.getMockImplementation();
  buyEnergy.mockImplementationOnce(async (...request) => {
    await room.storage.set(keyOf(operation), 'damaged');
    if (answers === undefined) throw new Error('buyEnergy has no default response');
    return answers(...request);
  });
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done', card: CARD, result: { order: ORDER } });
  expect(room.shown()).toContain('done');
});

test('does not send a restored claim whose user was notified of a refusal', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const confirmation = await textOf(room, operation);
  room.rental.profile.mockResolvedValueOnce(rejected(429, 'RATE_LIMITED'));
  await room.advance(operation);
  expect(room.shown().at(-1)).toBe('refused');
  for (const replica of [room.operations, room.replica()]) {
    await room.storage.set(keyOf(operation), confirmation);
    await room.lookLater(operation, replica);
  }
  expect(room.rental.buyEnergy).not.toHaveBeenCalled();
});

test('removes forged members of the due index and continues with the others', async () => {
  const room = openRoom();
  const unknown = await room.orphaned();
  for (let n = 0; n < 150; n++) {
    await room.storage.index.put('operations:dueIndex', `${unknown.user}/A${n}/x`, 1);
  }
  await room.pass(30_000);
  expect(room.shown().at(-1)).toBe('unknown');
  const left = await room.storage.index.upTo('operations:dueIndex', Number.MAX_VALUE, 1_000);
  expect(left.filter((name) => name.endsWith('/x'))).toEqual([]);
});

test.each([' {"user":501,"id":"AAAAAAAA"}', 'garbage', '{}'])(
  'settles a purchase and notifies its user despite a forged owner of the order (%s)',
  async (text) => {
    const room = openRoom();
    const operation = await room.claimed();
    await room.storage.set(`order:${operation.account}:energy:${ORDER}`, text);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  },
);
