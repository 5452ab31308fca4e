import { expect, inject, test } from 'vitest';
import { killAmidEvents } from './kill-amid-events.ts';

test('notifies of every event, rarely twice, although it is killed three times', async () => {
  const killed = await killAmidEvents({
    kills: 3,
    seed: 20_261_122,
    file: inject('bundles')['event-kills'],
    people: 4,
    // Withdrawals made elsewhere are left out, because their notification takes at least 45 seconds.
    weights: { deposit: 6, unknown: 3, order: 1, smartMode: 1 },
    perSecond: 5,
    patienceMs: 60_000,
    afterwardsMs: 2_000,
  });
  expect(killed).toMatchObject({ unnotified: 0, repeated: 0, fell: undefined });
  expect(killed.events).toBeGreaterThan(6);
  expect(killed.twice + killed.more).toBeLessThanOrEqual(killed.kills);
});
