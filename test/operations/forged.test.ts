import { describe, expect } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';
import { CARD, type OperationsSetup, test } from './operations-setup.ts';
import { ORDER, rejected } from './rental-stand-in.ts';

const keyOf = ({ user, id }: Operation) => `operation:{${user}}:${id}`;
const attemptOf = ({ user, id }: Operation) => `attempt:{${user}}:${id}`;

/** Returns the stored text of an operation. */
async function textOf({ storage }: OperationsSetup, operation: Operation): Promise<string> {
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
async function watchFindsIt(setup: OperationsSetup, operation: Operation): Promise<void> {
  await setup.storage.index.put('operations:due', `${operation.user}/${operation.id}`, 0);
  await setup.pass(60_000);
}

test('buys nothing if any field of a card is changed before the tap', async ({ setup }) => {
  const drafted = await setup.draft();
  const text = await textOf(setup, drafted);
  const fields = changedFields(await contentOf(setup.storage, drafted));
  expect(fields.map(([path]) => path)).toEqual(
    expect.arrayContaining(['request.address', 'request.energy_amount', 'account', 'user', 'expiresAt']),
  );
  for (const [path, content] of fields) {
    await setup.storage.set(keyOf(drafted), withContent(text, content));
    expect(await setup.confirm(drafted), path).toBe('none');
  }
  await watchFindsIt(setup, drafted);
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
});

test('buys nothing if any field of a claimed operation is changed before the request', async ({ setup }) => {
  const claimed = await setup.claimed();
  const text = await textOf(setup, claimed);
  for (const [path, content] of changedFields(await contentOf(setup.storage, claimed))) {
    await setup.storage.set(keyOf(claimed), withContent(text, content));
    await setup.advance(claimed);
    expect(setup.rental.buyEnergy, path).not.toHaveBeenCalled();
  }
});

test('neither repeats nor shows a settled operation if any field is changed', async ({ setup }) => {
  const done = await setup.executed();
  setup.show.mockClear();
  const text = await textOf(setup, done);
  await setup.storage.delete(attemptOf(done));
  for (const [path, content] of changedFields(await contentOf(setup.storage, done))) {
    await setup.storage.set(keyOf(done), withContent(text, content));
    await watchFindsIt(setup, done);
    expect(setup.rental.buyEnergy, path).toHaveBeenCalledOnce();
    expect(setup.show, path).not.toHaveBeenCalled();
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

describe('a claim that is restored after its purchase', () => {
  async function bought(setup: OperationsSetup) {
    const operation = await setup.claimed();
    const confirmation = await textOf(setup, operation);
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'done' });
    await setup.storage.set(keyOf(operation), confirmation);
    return operation;
  }

  test('is not sent again, and its user is notified that it is unknown', async ({ setup }) => {
    const operation = await bought(setup);
    await setup.advanceLater(operation);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(setup.shown().at(-1)).toBe('unknown');
  });

  test('is not sent again by another process', async ({ setup }) => {
    const operation = await bought(setup);
    await setup.advanceLater(operation, setup.replica());
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('is not sent again if the attempt mark was deleted', async ({ setup }) => {
    const operation = await bought(setup);
    await setup.storage.delete(attemptOf(operation));
    await setup.advanceLater(operation);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(setup.shown().at(-1)).toBe('unknown');
  });

  test('is not sent again by another process after five minutes without its mark', async ({ setup }) => {
    const operation = await bought(setup);
    await setup.storage.delete(attemptOf(operation));
    setup.clock.now += 5 * 60_000 + 1;
    await setup.replica().reconciler.advance(operation);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

test('does not send a restored claim that was refused, without its attempt mark', async ({ setup }) => {
  const operation = await setup.claimed();
  const confirmation = await textOf(setup, operation);
  setup.apiKey.mockResolvedValueOnce(undefined);
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ state: 'refused' });
  await setup.storage.delete(attemptOf(operation));
  await setup.storage.set(keyOf(operation), confirmation);
  await setup.advanceLater(operation);
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
    await setup.carryOut(drafted, process);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(setup.shown().at(-1)).toBe('unknown');
  },
);

test('notifies of the outcome although the record is damaged during the purchase', async ({ setup }) => {
  const operation = await setup.claimed();
  const { buyEnergy } = setup.rental;
  const answers = buyEnergy.getMockImplementation();
  buyEnergy.mockImplementationOnce(async (...request) => {
    await setup.storage.set(keyOf(operation), 'damaged');
    if (answers === undefined) throw new Error('buyEnergy has no default response');
    return answers(...request);
  });
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', card: CARD, result: { order: ORDER } });
  expect(setup.shown()).toContain('done');
});

test('does not send a restored claim whose user was notified of a refusal', async ({ setup }) => {
  const operation = await setup.claimed();
  const confirmation = await textOf(setup, operation);
  setup.rental.profile.mockResolvedValueOnce(rejected(429, 'RATE_LIMITED'));
  await setup.advance(operation);
  expect(setup.shown().at(-1)).toBe('refused');
  for (const replica of [setup.operations, setup.replica()]) {
    await setup.storage.set(keyOf(operation), confirmation);
    await setup.advanceLater(operation, replica);
  }
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
});

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
