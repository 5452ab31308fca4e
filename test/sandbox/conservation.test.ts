import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ENDPOINTS } from '../../src/rental-api/endpoints.ts';
import { createRandom } from '../support/random.ts';
import { BareResponse, openMarket } from './conservation/market.ts';
import { type Operation, operations } from './conservation/operations.ts';

/** Operations per sandbox. Many sandboxes with their own seeds make a failure quick to find again. */
const OPERATIONS = 900;
const MARKETS = Math.ceil(Number(process.env.CONSERVATION_OPERATIONS ?? 9_000) / OPERATIONS);
const ALL = MARKETS * OPERATIONS;
const BATCH = 150;
const SEED = Number(process.env.CONSERVATION_SEED ?? 20_250_601);
/** Number of sandboxes that use complete requests. The others use minimal ones. */
const WHOLE = Math.ceil(MARKETS / 30);
const PATIENCE_MS = 60_000 + 4 * ALL;
/** Number of operations in which each kind must occur at least once. */
const RARE = 2_100;

const draw = Object.entries(operations).flatMap(([name, [weight, operation]]) =>
  Array.from({ length: weight }, (): [string, Operation] => [name, operation]),
);

beforeEach(() => {
  vi.setSystemTime(Date.parse('2025-06-01T12:00:00.000Z'));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/**
 * Runs the operations of a market and checks the money after each batch. Returns the faults and the last operation,
 * or `undefined`.
 */
async function deal(
  seed: number,
  { batch, whole }: { batch: number; whole: boolean },
  taken: Map<string, number>,
) {
  const market = await openMarket(seed, { whole });
  try {
    for (let done = 1; done <= OPERATIONS; done++) {
      const [name, operation] = market.random.pick(draw) ?? ['nothing', async () => false];
      if (await operation(market)) taken.set(name, (taken.get(name) ?? 0) + 1);
      if (done % batch > 0 && done < OPERATIONS) continue;
      const faults = await market.faults();
      if (faults.length > 0) return { seed, done, name, faults };
    }
    return undefined;
  } finally {
    market.stop();
  }
}

/** Finds the first operation that causes the fault. */
async function shrink(seed: number): Promise<string> {
  vi.stubGlobal('Response', BareResponse);
  const found = await deal(seed, { batch: 1, whole: false }, new Map());
  if (!found) return 'no fault occurs if the money is checked after each operation';
  const { done, name, faults } = found;
  const again = `npm run conservation -- --operations ${OPERATIONS} --seed ${seed}`;
  return `${again} breaks at operation ${done}, "${name}":\n${faults.join('\n')}`;
}

test('covers every endpoint that charges', () => {
  const charging = Object.values(ENDPOINTS).filter(({ kind }) => kind === 'money');
  const missing = charging.map(({ path }) => `POST ${path}`).filter((name) => !(name in operations));
  expect(missing, 'add an operation with this name to conservation/operations.ts').toEqual([]);
});

test(`conserves money to the last sun over ${ALL} random operations`, { timeout: PATIENCE_MS }, async () => {
  const seeds = createRandom(SEED);
  const taken = new Map<string, number>();
  for (let market = 0; market < MARKETS; market++) {
    const seed = market === 0 ? SEED : seeds.below(2 ** 31);
    const whole = market < WHOLE;
    if (!whole) vi.stubGlobal('Response', BareResponse);
    if (await deal(seed, { batch: BATCH, whole }, taken)) expect.fail(await shrink(seed));
  }
  const least = Math.floor(ALL / RARE);
  for (const name of Object.keys(operations))
    expect(taken.get(name) ?? 0, name).toBeGreaterThanOrEqual(least);
  const all = [...taken.values()].reduce((sum, count) => sum + count, 0);
  expect(all).toBeGreaterThan(ALL / 2);
});
