import { expect, test } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import { eventually } from '../support/eventually.ts';
import { killedAfter } from '../support/killed.ts';
import { settled } from '../support/settled.ts';
import {
  type OperationsSetup,
  START,
  setUpOperations,
  WITHDRAW_CAP,
  WITHDRAWAL,
} from './operations-setup.ts';
import { ACCOUNT, accepted, logged, ORDER } from './rental-stand-in.ts';

const MINUTE = 60_000;
/** Time in which a living process finds an orphaned operation and completes it. */
const RECOVERY_MS = 21_000;
const DAY = 24 * 60 * MINUTE;
/** Withdrawal from an account without 2FA. It takes a lock and a part of the daily limit. */
const REQUEST = { ...WITHDRAWAL, cap: WITHDRAW_CAP };

/** Opens an account whose announced address can be withdrawn to. */
async function openAccount(): Promise<OperationsSetup> {
  const setup = setUpOperations();
  setup.rental.withdrawals.mockResolvedValue(accepted([]));
  setup.rental.withdraw.mockImplementation(async (_key, { to_address, amount_trx }) =>
    accepted({
      ...{ id: 31, to_address, amount_trx, fee_trx: '1', status: 'completed', tx_hash: null },
      created_at: new Date(setup.clock.now).toISOString(),
    }),
  );
  await setup.announced();
  return setup;
}

const claimWithdrawal = (setup: OperationsSetup) => setup.claimed({ request: REQUEST, balance: '1000.00' });

/** Lets a living process complete orphaned operations, and show their receipts once more a minute later. */
async function recover(setup: OperationsSetup): Promise<void> {
  await setup.pass(RECOVERY_MS);
  setup.clock.now += MINUTE;
  await setup.pass(RECOVERY_MS);
}

/** Expects that the user knows how an operation ended, and that it blocks neither its address nor its limit. */
async function expectEnded(setup: OperationsSetup, operation: OperationRef): Promise<string> {
  const { state } = await setup.read(operation);
  expect(setup.shown().at(-1)).toBe(state);
  expect(await setup.isNotified(operation)).toBe(true);
  const wasSent = setup.rental.withdraw.mock.calls.length > 0;
  expect(wasSent ? ['done', 'unknown'] : ['refused', 'unknown']).toContain(state);
  const left = await setup.operations.dailyCap.remaining(ACCOUNT);
  expect(left).toBe(state === 'refused' ? '100.00' : '86.50');
  const due = await setup.storage.index.upTo('operations:due', START + 2 * DAY, 10);
  expect(due).toHaveLength(state === 'unknown' ? 1 : 0);
  setup.clock.now += 2 * MINUTE;
  const next = await setup.outcome({ request: { ...REQUEST, trx: '2.00' }, balance: '1000.00' });
  expect(next).toMatchObject(
    state === 'unknown' ? { state: 'refused', refusal: { reason: 'locked' } } : { state: 'done' },
  );
  return state;
}

/** Runs `check` with a process that dies after each number of storage calls. Returns the states in which it ended. */
async function dieAfterEachCall(
  check: (die: (storage: OperationsSetup['storage']) => ReturnType<typeof killedAfter>) => Promise<string>,
): Promise<string[]> {
  const states: string[] = [];
  for (let calls = 0; ; calls += 1) {
    let wasKilled = () => false;
    const state = await check((storage) => {
      const dying = killedAfter(calls, storage);
      wasKilled = dying.wasKilled;
      return dying;
    });
    states.push(state);
    if (!wasKilled()) return states;
  }
}

test('a withdrawal ends with a notification whenever the process that executes it dies', async () => {
  const states = await dieAfterEachCall(async (die) => {
    const setup = await openAccount();
    const operation = await claimWithdrawal(setup);
    const { storage, wasKilled } = die(setup.storage);
    let hasEnded = false;
    void setup.executeClaim(operation, setup.replica(storage)).finally(() => {
      hasEnded = true;
    });
    await eventually(() => expect(hasEnded || wasKilled()).toBe(true));
    await recover(setup);
    expect(setup.rental.withdraw.mock.calls.length).toBeLessThanOrEqual(1);
    return expectEnded(setup, operation);
  });
  expect(new Set(states)).toEqual(new Set(['refused', 'unknown', 'done']));
});

test.each<[string, (setup: OperationsSetup) => Promise<OperationRef>]>([
  ['that was never executed', claimWithdrawal],
  [
    'whose process died behind its lock',
    async (setup) => {
      const operation = await claimWithdrawal(setup);
      setup.rental.withdrawals.mockRejectedValueOnce(new Error('the process ends'));
      await setup.executeClaim(operation);
      return operation;
    },
  ],
])('a claim %s is refused whenever a reconciler dies', async (_, prepare) => {
  const states = await dieAfterEachCall(async (die) => {
    const setup = await openAccount();
    const operation = await prepare(setup);
    setup.clock.now += 15_000;
    const { reconciler } = setup.replica(die(setup.storage).storage);
    await reconciler.run().catch(() => undefined);
    await settled();
    await recover(setup);
    return expectEnded(setup, operation);
  });
  expect(states.length).toBeGreaterThan(10);
  expect(new Set(states)).toEqual(new Set(['refused']));
});

test('an order is found and shown whenever a reconciler dies', async () => {
  const states = await dieAfterEachCall(async (die) => {
    const setup = setUpOperations();
    const operation = await setup.orphaned();
    setup.clock.now += 15_000;
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    const { reconciler } = setup.replica(die(setup.storage).storage);
    for (let times = 0; times < 3; times += 1) {
      await reconciler.run().catch(() => undefined);
      await settled();
      setup.clock.now += 3_000;
    }
    await recover(setup);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await setup.isNotified(operation)).toBe(true);
    expect(await setup.storage.index.upTo('operations:due', START + DAY, 10)).toEqual([]);
    expect(setup.shown()).toContain('unknown');
    const { state } = await setup.read(operation);
    expect(setup.shown().at(-1)).toBe(state);
    return state;
  });
  expect(states.length).toBeGreaterThan(20);
  expect(new Set(states)).toEqual(new Set(['done']));
});
