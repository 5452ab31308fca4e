import { expect, inject, test } from 'vitest';
import { assault } from './assault.ts';
import { faultsOf } from './verdict.ts';

test('twenty thousand forged, replayed and broken deliveries change nothing, and tell nobody what was wrong with them', async () => {
  const assaulted = await assault({
    file: inject('bundles').forge,
    seed: 20_261_122,
    count: 20_000,
    overConnections: 1_000,
    // They are held for some seconds: test/web/http-server.test.ts has less patience.
    halfSent: 0,
    accounts: 4,
  });
  expect(faultsOf(assaulted)).toEqual([]);
  const statuses = assaulted.answers.flatMap(({ kinds }) => Object.values(kinds).map(({ status }) => status));
  expect([...new Set(statuses)].toSorted()).toEqual([200, 404, 413, 429]);
}, 120_000);
