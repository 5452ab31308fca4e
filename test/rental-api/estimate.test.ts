import { expect, test } from 'vitest';
import { estimateBandwidth, estimateEnergy } from '../../src/rental-api/amounts.ts';

test('multiplies amount and price in sun exactly', () => {
  const prices = { energySunPerUnit: { '1': '35.68', '24': '60.1' } };
  expect(estimateEnergy({ amount: 65_000, hours: 1 }, prices)).toBe('2.3192');
  expect(estimateEnergy({ amount: 131_000, hours: 1 }, prices)).toBe('4.67408');
  expect(estimateEnergy({ amount: 5_000_000, hours: 24 }, prices)).toBe('300.50');
});

test('rounds an estimate to whole sun', () => {
  expect(estimateEnergy({ amount: 65_000, hours: 1 }, { energySunPerUnit: { '1': '35.692308' } })).toBe(
    '2.32',
  );
});

test('has no estimate for a duration without a price', () => {
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
])('estimates %d bandwidth for %d hours at %s TRX', (amount, hours, trx) => {
  expect(estimateBandwidth({ amount, hours })).toBe(trx);
});
