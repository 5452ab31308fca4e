import { expect, test } from 'vitest';
import { estimateEnergy } from '../../src/rental/estimate.ts';

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
