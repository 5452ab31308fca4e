import { z } from 'zod';
import { amount, decimal } from './fields.ts';

const byDuration = z.strictObject({ '1h': decimal, '24h': decimal });

export const prices = z
  .strictObject({
    energy_sun: byDuration.describe('Sun for a unit of energy.'),
    energy_trx: byDuration.describe('TRX for `energy_volume`.'),
    energy_usd: byDuration,
    energy_volume: amount,
    bandwidth_trx: byDuration.describe('TRX for `bandwidth_volume`.'),
    bandwidth_usd: byDuration,
    bandwidth_volume: amount,
    trx_usd_rate: decimal,
    burn_cost_trx: decimal.describe('What the same energy costs when TRX is burnt for it.'),
    savings_percent: z.int(),
  })
  .describe('Not shown in the specification (section 4, gaps).');
