import { describe, expect, it } from 'vitest';
import { roundToCents, sunFromTrx, trxFromSun } from '../../../src/sandbox/rental/sun.ts';

describe('an amount in sun', () => {
  it.each([
    ['0', 0n],
    ['2.32', 2_320_000n],
    ['0.000001', 1n],
    ['123456789012345.6', 123_456_789_012_345_600_000n],
  ])('is parsed from %s TRX', (text, sun) => expect(sunFromTrx(text)).toBe(sun));

  it.each(['', '.5', '1.', '1,5', '-1', '1e3', '0.0000001', ' 1', '1\n'])('is not parsed from %j', (text) =>
    expect(sunFromTrx(text)).toBeUndefined(),
  );

  it.each([
    [0n, '0.00'],
    [9_800_000n, '9.80'],
    [2_319_200n, '2.3192'],
    [100_000_000n, '100.00'],
    [1n, '0.000001'],
    [-2_320_000n, '-2.32'],
  ])('%s is formatted as %s TRX', (sun, text) => expect(trxFromSun(sun)).toBe(text));

  it.each([
    [2_319_200n, 1n, 2_320_000n],
    [2_315_000n, 1n, 2_320_000n],
    [2_314_999n, 1n, 2_310_000n],
    [231_499_999n, 100n, 2_310_000n],
    [231_500_000n, 100n, 2_320_000n],
  ])('%s/%s is rounded to %s', (numerator, denominator, sun) =>
    expect(roundToCents(numerator, denominator)).toBe(sun),
  );
});
