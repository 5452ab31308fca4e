import type { FsyncPolicy } from './storage.ts';

/** Returns what a power loss of Redis costs with this policy, as a line for the operator, or `undefined` for `always`. */
export function powerLossRisk(policy: FsyncPolicy): string | undefined {
  if (policy === 'always') return undefined;
  const found =
    policy === 'unknown'
      ? 'appendfsync could not be checked, as CONFIG GET gave no answer; with any value but always'
      : `appendfsync is ${policy}, so`;
  const lost = policy === 'no' ? 'the last half minute' : 'the last second';
  return `REDIS_URL: ${found} a power loss loses ${lost}: users who were charged then aren't told; expected appendfsync always`;
}
