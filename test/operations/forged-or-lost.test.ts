import { describe, expect } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { tamperedTexts } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';
import { CARD, FILLED, failing, type OperationsSetup, test } from './operations-setup.ts';
import { CUT, ORDER, orderOf, rejected } from './rental-stand-in.ts';

const keyOf = ({ user, id }: Operation) => `operation:{${user}}:${id}`;
const attemptOf = ({ user, id }: Operation) => `attempt:{${user}}:${id}`;

/** Returns the stored text of an operation. */
async function textOf({ storage }: OperationsSetup, operation: Operation): Promise<string> {
  return (await storage.get(keyOf(operation))) ?? '';
}

async function contentOf(storage: Storage, operation: Operation): Promise<string> {
  return (await signedRecords(storage).get(keyOf(operation)))?.content ?? '';
}

/** Adds the operation to the due index, as an intruder could, and runs the reconciler for a minute. */
async function watchFindsIt(setup: OperationsSetup, operation: Operation): Promise<void> {
  await setup.storage.index.put('operations:due', `${operation.user}/${operation.id}`, 0);
  await setup.pass(60_000);
}

test('buys nothing if any field of a card is changed before the tap', async ({ setup }) => {
  const drafted = await setup.draft();
  const fields = tamperedTexts(await textOf(setup, drafted));
  expect(fields.map(([path]) => path)).toEqual(
    expect.arrayContaining(['request.address', 'request.energy_amount', 'account', 'user', 'expiresAt']),
  );
  for (const [path, tampered] of fields) {
    await setup.storage.set(keyOf(drafted), tampered);
    expect(await setup.confirm(drafted), path).toBe('none');
  }
  await watchFindsIt(setup, drafted);
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
});

test('buys nothing if any field of a claimed operation is changed before the request', async ({ setup }) => {
  const claimed = await setup.claimed();
  for (const [path, tampered] of tamperedTexts(await textOf(setup, claimed))) {
    await setup.storage.set(keyOf(claimed), tampered);
    await setup.advance(claimed);
    expect(setup.rental.buyEnergy, path).not.toHaveBeenCalled();
  }
});

test('does not execute a forged claim in the due index, and removes it', async ({ setup }) => {
  const drafted = await setup.draft();
  const content = await contentOf(setup.storage, drafted);
  const forged = { ...JSON.parse(content), state: 'claimed', claimedAt: setup.clock.now };
  await setup.storage.set(keyOf(drafted), JSON.stringify(forged));
  await watchFindsIt(setup, drafted);
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  expect(await setup.storage.index.upTo('operations:due', Number.MAX_VALUE, 10)).toEqual([]);
});

test.for<['the same' | 'another', keptMark: boolean, ms: number]>([
  ['the same', true, 15_000],
  ['another', true, 15_000],
  ['the same', false, 15_000],
  ['another', false, 5 * 60_000 + 1],
])(
  'does not send a claim again that is restored after its purchase: %s process, attempt mark kept: %s, after %d ms',
  async ([process, isMarkKept, ms], { setup }) => {
    const operation = await setup.claimed();
    const confirmation = await textOf(setup, operation);
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'done' });
    await setup.storage.set(keyOf(operation), confirmation);
    if (!isMarkKept) await setup.storage.delete(attemptOf(operation));
    setup.clock.now += ms;
    const { reconciler } = process === 'another' ? setup.replica() : setup.operations;
    await reconciler.advance(operation);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    if (process === 'the same' || isMarkKept) expect(setup.shown().at(-1)).toBe('unknown');
  },
);

test('does not send a restored claim whose user was notified of a refusal', async ({ setup }) => {
  const operation = await setup.claimed();
  const confirmation = await textOf(setup, operation);
  setup.rental.profile.mockResolvedValueOnce(rejected(429, 'RATE_LIMITED'));
  await setup.advance(operation);
  expect(setup.shown().at(-1)).toBe('refused');
  for (const replica of [setup.operations, setup.replica()]) {
    await setup.storage.delete(attemptOf(operation));
    await setup.storage.set(keyOf(operation), confirmation);
    await setup.advanceLater(operation, replica);
  }
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
});

test.for(['the same process', 'another process'])(
  'does not buy twice if a card is restored after the purchase and confirmed again in %s',
  async (where, { setup }) => {
    const drafted = await setup.draft();
    const card = await textOf(setup, drafted);
    await setup.confirm(drafted);
    await setup.advance(drafted);
    await setup.storage.set(keyOf(drafted), card);
    const process = where === 'another process' ? setup.replica() : setup.operations;
    expect(await setup.confirm(drafted, process.decisions)).toBe('committed');
    await setup.executeClaim(drafted, process);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(setup.shown().at(-1)).toBe('unknown');
  },
);

test('removes forged members of the due index and continues with the others', async ({ setup }) => {
  const unknown = await setup.orphaned();
  for (let n = 0; n < 150; n++) {
    await setup.storage.index.put('operations:due', `${unknown.user}/A${n}/x`, 1);
  }
  await setup.pass(30_000);
  expect(setup.shown().at(-1)).toBe('unknown');
  const left = await setup.storage.index.upTo('operations:due', Number.MAX_VALUE, 1_000);
  expect(left.filter((name) => name.endsWith('/x'))).toEqual([]);
});

test.for([' {"user":501,"id":"AAAAAAAA"}', 'garbage', '{}'])(
  'settles a purchase and notifies its user despite a forged owner of the order (%s)',
  async (text, { setup }) => {
    const operation = await setup.claimed();
    await setup.storage.set(`order:${operation.account}:energy:${ORDER}`, text);
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  },
);

/** Deletes the operation and its due entry, as a failover that lost data does. */
async function forget({ storage }: OperationsSetup, operation: Operation): Promise<void> {
  await storage.delete(keyOf(operation));
  await storage.index.remove('operations:due', `${operation.user}/${operation.id}`);
}

describe('when the storage loses an operation during its request', () => {
  test.for<[string, (setup: OperationsSetup, operation: Operation) => Promise<void>]>([
    ['deleted', forget],
    ['damaged', ({ storage }, operation) => storage.set(keyOf(operation), 'damaged')],
  ])('writes the outcome again and notifies the user (record %s)', async ([_, lose], { setup }) => {
    const operation = await setup.claimed();
    setup.rental.buyEnergy.mockImplementationOnce(async (_key, purchase) => {
      await lose(setup, operation);
      return orderOf(purchase);
    });
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      receipt: { card: CARD },
      result: { order: ORDER },
    });
    expect(setup.shown()).toContain('done');
  });

  test('shows an unknown outcome and searches for it', async ({ setup }) => {
    const operation = await setup.claimed();
    setup.rental.buyEnergy.mockImplementationOnce(async () => {
      await forget(setup, operation);
      return CUT;
    });
    await setup.advance(operation);
    expect(setup.shown().at(-1)).toBe('unknown');
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    await setup.operations.settlement.report(operation.account, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('shows the outcome as unknown if the process dies too, based on its attempt', async ({ setup }) => {
    const operation = await setup.orphaned();
    await setup.storage.delete(keyOf(operation));
    await setup.pass(30_000);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(setup.shown().at(-1)).toBe('unknown');
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });
});

test.for<[string, (setup: OperationsSetup, operation: Operation) => Promise<unknown>]>([
  ['deleted', forget],
  [
    'reset to a draft',
    ({ store }, operation) => store.change(operation, (is) => ({ ...is, state: 'draft' }) as Operation),
  ],
])('refuses a claim whose record is %s before its request', async ([_, lose], { setup }) => {
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

describe('a failover', () => {
  test.for<[string, (storage: Storage) => Storage]>([
    ['may be lost', (storage) => ({ ...storage, secure: async () => false })],
    ['cannot be secured', (storage) => failing(storage, ({ method }) => method === 'secure')],
  ])('prevents the request and refuses the operation if the sent mark %s', async ([_, view], { setup }) => {
    const operation = await setup.claimed();
    await setup.executeClaim(operation, setup.replica(view(setup.storage)));
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('offline');
    expect(setup.shown().at(-1)).toBe('refused');
  });

  test('prevents the request on every replica if the sent mark is lost', async ({ setup }) => {
    const { storage } = setup;
    const operation = await setup.claimed();
    const key = keyOf(operation);
    const before = (await storage.get(key)) ?? '';
    const first = setup.replica({
      ...storage,
      async secure() {
        await storage.set(key, before);
        await storage.delete(attemptOf(operation));
        setup.clock.now += 60_000;
        await setup.operations.reconciler.advance(operation);
        return false;
      },
    });
    await setup.executeClaim(operation, first);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(operation)).toMatchObject({ state: 'refused' });
    expect(setup.shown().at(-1)).toBe('refused');
  });
});
