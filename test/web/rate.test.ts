import { expect, test } from 'vitest';
import { createRate } from '../../src/web/rate.ts';

test('names that are made up by the million take no more room than ten thousand', () => {
  const hasRoom = createRate({ perSecond: 1, now: () => 0 });
  expect([hasRoom('mine'), hasRoom('mine')]).toEqual([true, false]);
  // The count begins anew where there are too many: a name that was full has room again.
  for (let number = 0; number < 10_000; number += 1) hasRoom(`made up ${number}`);
  expect(hasRoom('mine')).toBe(true);
});
