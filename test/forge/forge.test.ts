import { expect, inject, test } from 'vitest';
import { assault, faultsOf } from './assault.ts';

test('ignores seven thousand forged, replayed and broken deliveries and reveals no reason', async () => {
  const assaulted = await assault({
    file: inject('bundles').forge,
    seed: 20_261_122,
    count: 7_000,
    overConnections: 350,
    // Incomplete bodies take some seconds. test/web/http-server.test.ts covers them with shorter limits.
    halfSent: 0,
    accounts: 4,
  });
  expect(faultsOf(assaulted)).toEqual([]);
  const statuses = assaulted.answers.flatMap(({ kinds }) => Object.values(kinds).map(({ status }) => status));
  expect([...new Set(statuses)].toSorted()).toEqual([200, 404, 413, 429]);
});
