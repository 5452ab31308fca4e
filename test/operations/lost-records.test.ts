import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { CUT, ORDER } from './rental-stand-in.ts';
import { FILLED, failing, openRoom, type Room } from './room.ts';

/** As a failover that lost data does: nothing of the operation is left but what `kept` says. */
async function forget({ storage }: Room, { user, id }: Operation): Promise<void> {
  await storage.delete(`operation:{${user}}:${id}`);
  await storage.index.remove('operations:dueIndex', `${user}/${id}`);
}

describe('the storage loses an operation while its request is under way', () => {
  function loseDuring(room: Room, operation: Operation, answer?: typeof CUT) {
    const { buyEnergy } = room.rental;
    const usual = buyEnergy.getMockImplementation();
    buyEnergy.mockImplementationOnce(async (...request) => {
      await forget(room, operation);
      if (answer) return answer;
      if (usual === undefined) throw new Error('the service has no answer');
      return usual(...request);
    });
  }

  test('its outcome is written again, and told', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    loseDuring(room, operation);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.shown()).toContain('done');
  });

  test('an outcome that is not known is told, and searched for like any other', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    loseDuring(room, operation, CUT);
    await room.advance(operation);
    expect(room.shown().at(-1)).toBe('unknown');
    await room.pass(60_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    await room.operations.settlement.report(operation.account, FILLED);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('and its process ends: it is known by its attempt, and its user hears not to repeat it', async () => {
    const room = openRoom();
    const operation = await room.orphaned();
    await room.storage.delete(`operation:{${operation.user}}:${operation.id}`);
    await room.pass(30_000);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(room.shown().at(-1)).toBe('unknown');
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });
});

describe('a claim whose record is lost before its request', () => {
  test.each([
    ['is gone', async (room: Room, operation: Operation) => forget(room, operation)],
    [
      'is a draft again',
      async (room: Room, operation: Operation) =>
        void (await room.store.change(operation, (present) => ({ ...present, state: 'draft' }))),
    ],
  ])('%s: is not sent, and is refused', async (_, lose) => {
    const room = openRoom();
    const operation = await room.claimed();
    room.rental.profile.mockImplementationOnce(async () => {
      await lose(room, operation);
      return room.rental.profile('');
    });
    await room.advance(operation);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'interrupted' },
    });
    expect(room.shown().at(-1)).toBe('refused');
  });
});

describe('a failover', () => {
  test('that may lose the step to the request keeps the request from leaving, and its user hears that nothing was bought', async () => {
    const storage = { ...createMemoryStorage(), secure: async () => false };
    const room = openRoom(storage);
    const operation = await room.claimed();
    await room.advance(operation);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'offline' } });
    expect(room.shown().at(-1)).toBe('refused');
  });

  test('that leaves unanswered whether the step is secure keeps the request from leaving too', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    const cutOff = failing(room.storage, ({ method }) => method === 'secure');
    await room.carryOut(operation, room.replica(cutOff));
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'offline' } });
    expect(room.shown().at(-1)).toBe('refused');
  });

  test('that lost the step to the request keeps the request from leaving, also elsewhere', async () => {
    const room = openRoom();
    const { storage } = room;
    const operation = await room.claimed();
    const key = `operation:{${operation.user}}:${operation.id}`;
    const before = (await storage.get(key)) ?? '';
    const first = room.replica({
      ...storage,
      async secure() {
        await storage.set(key, before);
        await storage.delete(`attempt:{${operation.user}}:${operation.id}`);
        room.clock.now += 60_000;
        await room.operations.reconciler.advance(operation);
        return false;
      },
    });
    await room.carryOut(operation, first);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused' });
    expect(room.shown().at(-1)).toBe('refused');
  });
});
