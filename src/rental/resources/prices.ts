import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { ENERGY_PER_TRANSFER } from '../limits.ts';
import { decimal, price } from './fields.ts';

/** Decimal strings by the hours of the rental: `{ '1': '35.68', '24': '…' }`. */
type ByHours = Record<string, string>;

/** Response of `GET /prices`. The specification doesn't show it, so everything may be missing. */
export interface Prices {
  /** Sun for a unit of energy. */
  energySunPerUnit?: ByHours;
  /** TRX burnt by a token transfer without energy. */
  burnTrx?: string;
}

const byHours = z
  .union([
    price.transform((ofOneHour): ByHours => (ofOneHour === undefined ? {} : { '1': ofOneHour })),
    z.record(z.string(), z.unknown()).transform(readHours),
  ])
  .optional()
  .catch(undefined);

/** Shapes in the live service's documents, newest first. Unknown values are ignored. */
export const Prices = z
  .looseObject({
    energy_sun: byHours,
    energy_trx: byHours,
    energy_volume: decimal.optional().catch(undefined),
    energy_price_sun: byHours,
    energy_price_trx_per_65k: byHours,
    burn_cost_trx: price.catch(undefined),
  })
  .transform((told): Prices => {
    const energySunPerUnit = {
      ...sunPerUnit(told.energy_price_trx_per_65k, ENERGY_PER_TRANSFER),
      ...told.energy_price_sun,
      ...sunPerUnit(told.energy_trx, told.energy_volume ?? ENERGY_PER_TRANSFER),
      ...told.energy_sun,
    };
    return {
      ...(Object.keys(energySunPerUnit).length > 0 && { energySunPerUnit }),
      ...(told.burn_cost_trx !== undefined && { burnTrx: told.burn_cost_trx }),
    };
  });

/** `{ '1h': 35.68, '1d': '60' }` → `{ '1': '35.68', '24': '60' }`. */
function readHours(prices: Record<string, unknown>): ByHours {
  const read: ByHours = {};
  for (const [duration, told] of Object.entries(prices)) {
    const [, count, unit] = /^(\d{1,4})\s*(h|d)?$/i.exec(duration) ?? [];
    const { data } = price.safeParse(told);
    if (count !== undefined && data !== undefined)
      read[Number(count) * (/d/i.test(unit ?? '') ? 24 : 1)] = data;
  }
  return read;
}

function sunPerUnit(trx: ByHours | undefined, volume: BigNumber.Value): ByHours {
  if (trx === undefined || !new BigNumber(volume).gt(0)) return {};
  const sun = (price: string) => new BigNumber(price).shiftedBy(6).div(volume).decimalPlaces(6).toFixed();
  return Object.fromEntries(Object.entries(trx).map(([hours, price]) => [hours, sun(price)]));
}
