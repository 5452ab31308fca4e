import { describe, expect } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { FILLED, failing, type OperationsSetup, setUpOperations, test } from './operations-setup.ts';
import { CUT, ORDER } from './rental-stand-in.ts';

/** Deletes the operation and its due entry, as a failover that lost data does. */
async function forget({ storage }: OperationsSetup, { user, id }: Operation): Promise<void> {
  await storage.delete(`operation:{${user}}:${id}`);
  await storage.index.remove('operations:due', `${user}/${id}`);
}

describe('when the storage loses an operation during its request', () => {
  function loseDuring(setup: OperationsSetup, operation: Operation, answer?: typeof CUT) {
    const { buyEnergy } = setup.rental;
    const usual = buyEnergy.getMockImplementation();
    buyEnergy.mockImplementationOnce(async (...request) => {
      await forget(setup, operation);
      if (answer) return answer;
      if (usual === undefined) throw new Error('buyEnergy has no default response');
      return usual(...request);
    });
  }

  test('writes the outcome again and notifies the user', async ({ setup }) => {
    const operation = await setup.claimed();
    loseDuring(setup, operation);
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.shown()).toContain('done');
  });

  test('shows an unknown outcome and searches for it', async ({ setup }) => {
    const operation = await setup.claimed();
    loseDuring(setup, operation, CUT);
    await setup.advance(operation);
    expect(setup.shown().at(-1)).toBe('unknown');
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    await setup.operations.settlement.report(operation.account, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('shows the outcome as unknown if the process dies too, based on its attempt', async ({ setup }) => {
    const operation = await setup.orphaned();
    await setup.storage.delete(`operation:{${operation.user}}:${operation.id}`);
    await setup.pass(30_000);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(setup.shown().at(-1)).toBe('unknown');
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });
});

describe('a claim whose record is lost before its request', () => {
  test.each([
    ['deleted record', async (setup: OperationsSetup, operation: Operation) => forget(setup, operation)],
    [
      'record reset to a draft',
      async (setup: OperationsSetup, operation: Operation) =>
        void (await setup.store.change(operation, (present) => ({ ...present, state: 'draft' }))),
    ],
  ])('%s: is refused without being sent', async (_, lose) => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    setup.rental.profile.mockImplementationOnce(async () => {
      await lose(setup, operation);
      return setup.rental.profile('');
    });
    await setup.advance(operation);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('interrupted');
    expect(setup.shown().at(-1)).toBe('refused');
  });
});

describe('a failover', () => {
  test('prevents the request and refuses the operation if the sent mark may be lost', async () => {
    const storage = { ...createMemoryStorage(), secure: async () => false };
    const setup = setUpOperations(storage);
    const operation = await setup.executed();
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('offline');
    expect(setup.shown().at(-1)).toBe('refused');
  });

  test('prevents the request if securing the sent mark fails', async ({ setup }) => {
    const operation = await setup.claimed();
    const cutOff = failing(setup.storage, ({ method }) => method === 'secure');
    await setup.carryOut(operation, setup.replica(cutOff));
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('offline');
    expect(setup.shown().at(-1)).toBe('refused');
  });

  test('prevents the request on every replica if the sent mark is lost', async ({ setup }) => {
    const { storage } = setup;
    const operation = await setup.claimed();
    const key = `operation:{${operation.user}}:${operation.id}`;
    const before = (await storage.get(key)) ?? '';
    const first = setup.replica({
      ...storage,
      async secure() {
        await storage.set(key, before);
        await storage.delete(`attempt:{${operation.user}}:${operation.id}`);
        setup.clock.now += 60_000;
        await setup.operations.reconciler.advance(operation);
        return false;
      },
    });
    await setup.carryOut(operation, first);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(operation)).toMatchObject({ state: 'refused' });
    expect(setup.shown().at(-1)).toBe('refused');
  });
});
