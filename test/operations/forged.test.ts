import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';
import { ORDER, rejected } from './rental-stand-in.ts';
import { CARD, openRoom, type Room } from './room.ts';

const keyOf = ({ user, id }: Operation) => `operation:{${user}}:${id}`;
const attemptOf = ({ user, id }: Operation) => `attempt:{${user}}:${id}`;

/** The stored text of an operation. */
async function textOf({ storage }: Room, operation: Operation): Promise<string> {
  return (await storage.get(keyOf(operation))) ?? '';
}

/** Under the signature that was there. */
function withContent(text: string, content: string): string {
  return [...text.split('.', 2), content].join('.');
}

async function contentOf(storage: Storage, operation: Operation): Promise<string> {
  return (await signedRecords(storage).get(keyOf(operation)))?.content ?? '';
}

/** Enters it as due, as an intruder could, and lets the watch do with it what it does. */
async function watchFindsIt(room: Room, operation: Operation): Promise<void> {
  await room.storage.index.put('operations:dueIndex', `${operation.user}/${operation.id}`, 0);
  await room.pass(60_000);
}

test('whatever field of a card is changed between its showing and the tap, nothing is bought', async () => {
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

test('whatever field of a confirmed operation is changed before it is sent, nothing is bought', async () => {
  const room = openRoom();
  const claimed = await room.claimed();
  const text = await textOf(room, claimed);
  for (const [path, content] of changedFields(await contentOf(room.storage, claimed))) {
    await room.storage.set(keyOf(claimed), withContent(text, content));
    await room.advance(claimed);
    expect(room.rental.buyEnergy, path).not.toHaveBeenCalled();
  }
});

test('whatever field of a settled operation is changed, it is neither bought again nor told anew', async () => {
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

test('a made-up confirmation with an entry in the due index is not carried out, and is looked at once', async () => {
  const room = openRoom();
  const drafted = await room.draft();
  const content = await contentOf(room.storage, drafted);
  const forged = { ...JSON.parse(content), state: 'claimed', claimedAt: room.clock.now };
  await room.storage.set(keyOf(drafted), JSON.stringify(forged));
  await watchFindsIt(room, drafted);
  expect(room.rental.buyEnergy).not.toHaveBeenCalled();
  expect(await room.storage.index.upTo('operations:dueIndex', Number.MAX_VALUE, 10)).toEqual([]);
});

describe('a confirmation that is put back after its purchase', () => {
  async function bought(room: Room) {
    const operation = await room.claimed();
    const confirmation = await textOf(room, operation);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'done' });
    await room.storage.set(keyOf(operation), confirmation);
    return operation;
  }

  test('is not bought again, and its user hears not to repeat it', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.lookLater(operation);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(room.shown().at(-1)).toBe('unknown');
  });

  test('is not bought again by another process', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.lookLater(operation, room.replica());
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('is not bought again where the mark of the attempt was removed', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.storage.delete(attemptOf(operation));
    await room.lookLater(operation);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(room.shown().at(-1)).toBe('unknown');
  });

  test('is not bought again after five minutes, whatever else was removed and whoever finds it', async () => {
    const room = openRoom();
    const operation = await bought(room);
    await room.storage.delete(attemptOf(operation));
    room.clock.now += 5 * 60_000 + 1;
    await room.replica().reconciler.advance(operation);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

test('a confirmation whose user heard that nothing was bought is not bought when it is put back, its mark removed', async () => {
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

test('a card that is put back after its purchase can be confirmed again, and still nothing is bought twice', async () => {
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

test('one whose record is damaged amid its purchase is told its outcome all the same', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const { buyEnergy } = room.rental;
  const answers = buyEnergy.getMockImplementation();
  buyEnergy.mockImplementationOnce(async (...request) => {
    await room.storage.set(keyOf(operation), 'damaged');
    if (answers === undefined) throw new Error('the service has no answer');
    return answers(...request);
  });
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done', card: CARD, result: { order: ORDER } });
  expect(room.shown()).toContain('done');
});

test('a confirmation that is put back after its user heard that nothing was bought stays unbought', async () => {
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

test('names that somebody wrote into the due index keep nobody waiting', async () => {
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
  'whatever is written as the owner of an order (%s), its purchase is settled and told',
  async (text) => {
    const room = openRoom();
    const operation = await room.claimed();
    await room.storage.set(`order:${operation.account}:energy:${ORDER}`, text);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  },
);
