import { expect, test } from 'vitest';
import { powerLossRisk } from '../../src/platform/redis-connection.ts';

test.each([
  [
    'everysec',
    /appendfsync is everysec, so a power loss loses the last second: .*expected appendfsync always/,
  ],
  ['no', /appendfsync is no, so a power loss loses the last half minute/],
  ['unknown', /could not be checked, as CONFIG GET gave no answer/],
] as const)('warns how much data a power loss costs with appendfsync %s', (policy, warning) => {
  expect(powerLossRisk(policy)).toMatch(warning);
  expect(powerLossRisk('always')).toBeUndefined();
});
