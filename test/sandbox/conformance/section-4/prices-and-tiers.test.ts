import { describe, expect } from 'vitest';
import { z } from 'zod';
import { ADDRESS } from '../addresses.ts';
import { units } from '../amounts.ts';
import { PackageTiers } from '../resources.ts';
import { createTarget } from '../target.ts';

const { reads, controls } = createTarget();

describe('4.10 GET /api/v1/transfer-packages/tiers', () => {
  reads('"Returns the Transfer package tiers object": available sizes', async (service) => {
    const { tiers, min_custom_size, max_custom_size } = await service.get(
      '/transfer-packages/tiers',
      PackageTiers,
    );
    for (const { size } of tiers) {
      expect(size).toBeGreaterThanOrEqual(min_custom_size);
      expect(size).toBeLessThanOrEqual(max_custom_size);
    }
  });

  reads('"BW Guarantee fee per transfer": 0.3 TRX, as in section 8', async (service) => {
    const { bw_fee_per_transfer } = await service.get('/transfer-packages/tiers', PackageTiers);
    expect(units(bw_fee_per_transfer)).toBe(300_000n);
  });
});

describe('4. Gaps: "An endpoint GET /prices exists"', () => {
  reads('responds with an object', async (service) => {
    const prices = await service.get('/prices', z.record(z.string(), z.unknown()));
    expect(Object.keys(prices)).not.toEqual([]);
  });

  controls('lists the energy prices that orders cost', async (target) => {
    const { energy_trx } = await target.get(
      '/prices',
      z.looseObject({ energy_trx: z.record(z.string(), z.string()) }),
    );
    for (const hours of [1, 24]) {
      const body = {
        address: ADDRESS,
        energy_amount: 65_000,
        duration_hours: hours,
      };
      const { price_trx } = await target.post('/energy/buy', z.looseObject({ price_trx: z.string() }), body);
      expect(price_trx).toBe(energy_trx[`${hours}h`]);
    }
  });
});
