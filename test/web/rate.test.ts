import { expect, test } from 'vitest';
import { createCallLimiter } from '../../src/web/http-server.ts';

test('counts at most ten thousand names at once', () => {
  const hasRoom = createCallLimiter({ perSecond: 1, now: () => 0 });
  expect([hasRoom('mine'), hasRoom('mine')]).toEqual([true, false]);
  // The count restarts at the limit, so that an exhausted name is allowed again.
  for (let number = 0; number < 10_000; number += 1) hasRoom(`made up ${number}`);
  expect(hasRoom('mine')).toBe(true);
});
