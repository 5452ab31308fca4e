import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { FILLED, failing, openRoom, type Room } from './operations-setup.ts';
import { CUT, ORDER } from './rental-stand-in.ts';

/** Deletes the operation and its due entry, as a failover that lost data does. */
async function forget({ storage }: Room, { user, id }: Operation): Promise<void> {
  await storage.delete(`operation:{${user}}:${id}`);
  await storage.index.remove('operations:dueIndex', `${user}/${id}`);
}

describe('when the storage loses an operation during its request', () => {
  function loseDuring(room: Room, operation: Operation, answer?: typeof CUT) {
    const { buyEnergy } = room.rental;
    const usual = buyEnergy.getMockImplementation();
    buyEnergy.mockImplementationOnce(async (...request) => {
      await forget(room, operation);
      if (answer) return answer;
      if (usual === undefined) throw new Error('buyEnergy has no default response');
      return usual(...request);
    });
  }

  test('writes the outcome again and notifies the user', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    loseDuring(room, operation);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.shown()).toContain('done');
  });

  test('shows an unknown outcome and searches for it', async () => {
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

  test('shows the outcome as unknown if the process dies too, based on its attempt', async () => {
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
    ['deleted record', async (room: Room, operation: Operation) => forget(room, operation)],
    [
      'record reset to a draft',
      async (room: Room, operation: Operation) =>
        void (await room.store.change(operation, (present) => ({ ...present, state: 'draft' }))),
    ],
  ])('%s: is refused without being sent', async (_, lose) => {
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
  test('prevents the request and refuses the operation if the sent mark may be lost', async () => {
    const storage = { ...createMemoryStorage(), secure: async () => false };
    const room = openRoom(storage);
    const operation = await room.claimed();
    await room.advance(operation);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'offline' } });
    expect(room.shown().at(-1)).toBe('refused');
  });

  test('prevents the request if securing the sent mark fails', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    const cutOff = failing(room.storage, ({ method }) => method === 'secure');
    await room.carryOut(operation, room.replica(cutOff));
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'offline' } });
    expect(room.shown().at(-1)).toBe('refused');
  });

  test('prevents the request on every replica if the sent mark is lost', async () => {
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
