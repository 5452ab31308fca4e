import { describe, expect, test } from 'vitest';
import { SETTLED } from '../../src/operations/queries.ts';
import { BANDWIDTH, FILLED, type OperationsSetup, START, setUpOperations, USER } from './operations-setup.ts';
import { ACCOUNT, OFFLINE, rejected } from './rental-stand-in.ts';

const DAY_MS = 24 * 3600_000;

/** Returns the counts of a kind by outcome: today, within 7 days and within 30 days. */
async function counted(
  { operations, clock }: Pick<OperationsSetup, 'operations' | 'clock'>,
  kind = 'energy',
) {
  const spans = await operations.settledCounts.upTo(clock.now, [1, 7, 30]);
  const all = SETTLED.map((outcome) => [outcome, spans.map((of) => of(kind, outcome))] as const);
  return Object.fromEntries(all.filter(([, counts]) => counts.some((count) => count !== 0)));
}

describe('settled operations', () => {
  test('are counted once by kind and outcome, however they settle', async () => {
    const setup = setUpOperations();
    await setup.advance(await setup.claimed());
    setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'NO'));
    await setup.advance(await setup.claimed({ user: USER + 1 }));
    setup.rental.buyBandwidth.mockResolvedValueOnce(OFFLINE);
    await setup.advance(await setup.claimed({ request: BANDWIDTH, user: USER + 2 }));
    const closed = await setup.lost({ user: USER + 3 });
    expect(await counted(setup)).toEqual({ done: [1, 1, 1], refused: [1, 1, 1] });
    expect(await counted(setup, 'bandwidth')).toEqual({ refused: [1, 1, 1] });
    await setup.operations.settlement.close(closed);
    await setup.operations.settlement.close(closed);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await counted(setup)).toEqual({ done: [1, 1, 1], refused: [1, 1, 1], closed: [1, 1, 1] });
  });

  test('are counted on the day of their settlement', async () => {
    const setup = setUpOperations();
    for (const [days, says] of [
      [0, { done: [1, 1, 1] }],
      [1, { done: [0, 1, 1] }],
      [6, { done: [0, 1, 1] }],
      [7, { done: [0, 0, 1] }],
      [29, { done: [0, 0, 1] }],
      [30, {}],
    ] as const) {
      setup.clock.now = START + days * DAY_MS;
      if (days === 0) await setup.advance(await setup.claimed());
      expect(await counted(setup), String(days)).toEqual(says);
    }
  });

  test('are moved to another outcome when their order fails later, also after a day', async () => {
    const setup = setUpOperations();
    await setup.advance(await setup.claimed());
    await counted(setup);
    setup.clock.now += DAY_MS;
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    expect(await counted(setup)).toEqual({ failed: [0, 1, 1] });
  });

  test('are counted by concurrent replicas together', async () => {
    const setup = setUpOperations();
    const others = [setup.replica(), setup.replica(), setup.replica()];
    await Promise.all(
      others.map(async (process, at) => setup.carryOut(await setup.claimed({ user: USER + at }), process)),
    );
    await Promise.all(others.map(({ settledCounts }) => settledCounts.close()));
    expect(await counted(setup)).toEqual({ done: [3, 3, 3] });
  });

  test('are written after an outage of the storage', async () => {
    const setup = setUpOperations();
    let isAway = false;
    const { storage } = setup;
    const replace: typeof storage.replace = (key, ...rest) =>
      isAway && key.startsWith('operations-of-day')
        ? Promise.reject(new Error('away'))
        : storage.replace(key, ...rest);
    const add: typeof storage.add = (key, ...rest) =>
      isAway && key.startsWith('operations-of-day')
        ? Promise.reject(new Error('away'))
        : storage.add(key, ...rest);
    const operations = setup.replica({ ...storage, replace, add });
    isAway = true;
    await setup.carryOut(await setup.claimed(), operations);
    await expect(operations.settledCounts.upTo(START, [1])).rejects.toThrow('away');
    isAway = false;
    expect(await counted({ operations, clock: setup.clock })).toEqual({ done: [1, 1, 1] });
  });
});
