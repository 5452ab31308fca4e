import { expect, test } from 'vitest';
import { estimateBandwidth, estimateEnergy } from '../../src/rental/estimate.ts';

test('an estimate is amount times sun, exactly', () => {
  const prices = { energySunPerUnit: { '1': '35.68', '24': '60.1' } };
  expect(estimateEnergy({ amount: 65_000, hours: 1 }, prices)).toBe('2.3192');
  expect(estimateEnergy({ amount: 131_000, hours: 1 }, prices)).toBe('4.67408');
  expect(estimateEnergy({ amount: 5_000_000, hours: 24 }, prices)).toBe('300.50');
});

test('an estimate is rounded to the sun', () => {
  expect(estimateEnergy({ amount: 65_000, hours: 1 }, { energySunPerUnit: { '1': '35.692308' } })).toBe(
    '2.32',
  );
});

test('a duration without a price has no estimate', () => {
  expect(
    estimateEnergy({ amount: 65_000, hours: 24 }, { energySunPerUnit: { '1': '35.68' } }),
  ).toBeUndefined();
  expect(estimateEnergy({ amount: 65_000, hours: 1 }, {})).toBeUndefined();
});

test.each([
  [1_000, 24, '9.80'],
  [350, 24, '3.56'],
  [350, 1, '0.34'],
  [1_000, 1, '0.60'],
  [1_000, 72, '29.00'],
  [100_000, 720, '28800.20'],
  [351, 1, '0.3404'],
  [1_001, 7, '3.0028'],
])('%d bandwidth for %d hours is estimated at %s TRX', (amount, hours, trx) => {
  expect(estimateBandwidth({ amount, hours })).toBe(trx);
});
