import { expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { eventually } from '../support/eventually.ts';
import { buyEnergy, linkAccount, makeInvoice } from '../support/steps.ts';
import { HOLDER, inWorld } from '../support/world.ts';

const INVOICES = 'GET /invoices';
const PURCHASES = 12;
/** Runs of polls between two purchases, and virtual seconds between runs: six purchases a minute. */
const RUNS = 3;
const RUN_SECONDS = 3;

test('buys each time although two replicas poll three invoices and all endpoints share one limit', async () => {
  let now = Date.now;
  const storage = createMemoryStorage({ now: () => now() });
  await inWorld({ replicas: 2, appOptions: { storage } }, async (world) => {
    now = world.sandbox.clock.now;
    await world.control('POST', '/rental/rate-limits', { shared: true });
    const person = await linkAccount(world.person(HOLDER));
    for (const _ of [1, 2, 3]) await makeInvoice(person);
    // Reads of invoices, and those that were held back.
    const polls = () => world.log.filter((line) => line.includes('"endpoint":"invoice"')).length;

    for (let bought = 0; bought < PURCHASES; bought += 1) {
      await buyEnergy(person, 'Balance left');
      await person.sayAndRead('/start', 'Balance');
      for (let run = 0; run < RUNS; run += 1) {
        const before = polls();
        await world.advance(RUN_SECONDS);
        await eventually(() => expect(polls()).toBeGreaterThan(before + 1));
      }
    }

    expect((await world.rental()).ledger.filter(({ kind }) => kind === 'energy')).toHaveLength(PURCHASES);
    expect(world.log.join()).toContain('rental call held back');
    const perInvoice = [1, 2, 3].map(
      (id) => world.requestLog.filter((one) => one === `${INVOICES}/${id}`).length,
    );
    expect(Math.min(...perInvoice)).toBeGreaterThan(Math.max(...perInvoice) / 2);
    expect(world.log.filter((line) => line.includes('"status":429'))).toEqual([]);
  });
}, 120_000);
