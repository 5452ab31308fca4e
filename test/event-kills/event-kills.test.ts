import { expect, inject, test } from 'vitest';
import { killAmidEvents } from './kill-amid-events.ts';

test('killed ten times while events come in, each is told, and seldom twice', async () => {
  const killed = await killAmidEvents({
    kills: 10,
    seed: 20_261_122,
    file: inject('bundles')['event-kills'],
    people: 4,
    // A withdrawal made elsewhere is told no sooner than 45 seconds after it: that takes too long here.
    weights: { deposit: 6, unknown: 3, order: 1, smartMode: 1 },
    perSecond: 5,
    patienceMs: 60_000,
    afterwardsMs: 2_000,
  });
  expect(killed).toMatchObject({ untold: 0, repeated: 0, fell: undefined });
  expect(killed.events).toBeGreaterThan(20);
  expect(killed.twice + killed.more).toBeLessThanOrEqual(killed.kills);
}, 120_000);
