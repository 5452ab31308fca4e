import { expect, test } from 'vitest';
import { Prices } from '../../../src/rental-api/schemas.ts';

test.each([
  ['prices by hours', { energy_sun: { '1h': 35.68, '24h': '60' } }, { '1': '35.68', '24': '60' }],
  ['a day called 1d', { energy_sun: { '1d': 60 } }, { '24': '60' }],
  ['TRX for a volume', { energy_trx: { '1h': '2.3192' }, energy_volume: 65_000 }, { '1': '35.68' }],
  [
    'sun in preference to the less exact TRX',
    { energy_trx: { '1h': 2.32, '24h': 6.5 }, energy_volume: 65_000, energy_sun: { '1h': 35.68 } },
    { '1': '35.68', '24': '100' },
  ],
  ['the older shape', { energy_price_sun: 35.68, energy_price_trx_per_65k: 2.32 }, { '1': '35.68' }],
  ['the older shape without sun', { energy_price_trx_per_65k: '2.3192' }, { '1': '35.68' }],
  [
    'valid prices beside invalid ones',
    { energy_sun: { '1h': '35.68', week: 1, '24h': null } },
    { '1': '35.68' },
  ],
])('reads prices from %s', (_what, told, energySunPerUnit) => {
  expect(Prices.parse(told)).toEqual({ energySunPerUnit });
});

test.each([
  ['nothing', {}],
  ['other things', { bandwidth_trx: { '1h': 0.6 }, trx_usd_rate: 0.3 }],
  ['invalid values', { energy_sun: 'cheap', energy_trx: [], energy_volume: 0 }],
  [
    'prices of zero or less',
    { energy_sun: { '1h': 0, '24h': '-60' }, energy_price_sun: 0, burn_cost_trx: -6 },
  ],
  ['a volume of zero', { energy_trx: { '1h': 2 }, energy_volume: 0 }],
])('returns no prices and no error for %s', (_what, told) => {
  expect(Prices.parse(told)).toEqual({});
});

test('rejects a response that is not an object', () => {
  expect(Prices.safeParse('2.32').success).toBe(false);
});
