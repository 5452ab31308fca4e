import { describe, expect } from 'vitest';
import { ADDRESS, addressOf } from '../addresses.ts';
import { units } from '../amounts.ts';
import { PackageTiers } from '../resources.ts';
import { buyBandwidth, buyEnergy, createInvoice, withdraw } from '../samples.ts';
import { createTarget, type SandboxTarget } from '../target.ts';

const { reads, controls } = createTarget();

/** A limit of the table: values at its edges, and the values just beyond. */
const values: [
  item: string,
  path: string,
  field: string,
  body: object,
  taken: unknown[],
  refused: unknown[],
][] = [
  [
    'energy_amount (buy)',
    '/energy/buy',
    'energy_amount',
    { duration_hours: 1 },
    [32_000, 5_000_000],
    [31_999, 5_000_001],
  ],
  [
    'energy_amount (invoice)',
    '/invoices',
    'energy_amount',
    { duration_hours: 1 },
    [32_000, 5_000_000],
    [31_999, 5_000_001],
  ],
  [
    'energy duration_hours',
    '/energy/buy',
    'duration_hours',
    { energy_amount: 32_000 },
    [1, 24],
    [0, 2, 23, 25],
  ],
  [
    'invoice duration_hours',
    '/invoices',
    'duration_hours',
    { energy_amount: 32_000 },
    [1, 24],
    [0, 2, 23, 25],
  ],
  [
    'bandwidth_amount',
    '/bandwidth/buy',
    'bandwidth_amount',
    { duration_hours: 1 },
    [350, 100_000],
    [349, 100_001],
  ],
  ['invoice transfer_count', '/invoices', 'transfer_count', { duration_hours: 1 }, [1, 100], [0, 101]],
];

describe('8. Value limits and constants', () => {
  for (const [item, path, field, body, taken, refused] of values) {
    for (const value of taken)
      controls(`${item}: accepts ${value}`, async (target) => {
        const answer = await target.ask('POST', path, {
          body: { address: ADDRESS, ...body, [field]: value },
        });
        expect(answer).toMatchObject({ status: 200 });
      });
    for (const value of refused)
      controls(`${item}: rejects ${value}`, async (target) => {
        const answer = await target.ask('POST', path, {
          body: { address: ADDRESS, ...body, [field]: value },
        });
        expect(answer).toMatchObject({ status: 422 });
      });
  }

  controls('"energy per transfer for invoices: 65,000"', async (target) => {
    const fields = { energy_amount: undefined, transfer_count: 1 };
    expect(await createInvoice(target, fields)).toMatchObject({ energy_amount: 65_000 });
  });

  controls('"energy for a first-time USDT recipient: 131,000": it can be bought', async (target) => {
    expect(await buyEnergy(target, { energy_amount: 131_000 })).toMatchObject({ energy_amount: 131_000 });
  });

  controls('"invoice lifetime: 30 minutes"', async (target) => {
    const { expires_at } = await createInvoice(target);
    expect(Date.parse(expires_at) - target.now()).toBe(30 * 60_000);
  });

  reads('"custom transfer package size: 1 to 10,000"', async (service) => {
    const { min_custom_size, max_custom_size } = await service.get('/transfer-packages/tiers', PackageTiers);
    expect([min_custom_size, max_custom_size]).toEqual([1, 10_000]);
  });

  const charged = async (target: SandboxTarget, kind: string, body: object, path: string) => {
    const { status, text } = await target.ask('POST', path, { body });
    expect([status, text]).toEqual([200, expect.anything()]);
    const { ledger } = await target.state();
    return ledger.filter((entry) => entry.kind === kind);
  };

  controls('"withdrawal fee: 1 TRX"', async (target) => {
    const { fee_trx } = await withdraw(target);
    expect(units(fee_trx)).toBe(1_000_000n);
  });

  controls('"address activation cost: 1.1 TRX"', async (target) => {
    const [entry] = await charged(target, 'activation', { address: addressOf('new') }, '/energy/activate');
    expect(units(entry?.amount_trx ?? '0')).toBe(-1_100_000n);
  });

  controls(
    '"bandwidth fixed fee: 0.2 TRX": twice the bandwidth costs twice the price less one fee',
    async (target) => {
      const [one, two] = [
        await buyBandwidth(target),
        await buyBandwidth(target, { bandwidth_amount: 2_000 }),
      ];
      expect(2n * units(one.price_trx) - units(two.price_trx)).toBe(200_000n);
    },
  );

  reads('"BW Guarantee fee: 0.3 TRX per transfer"', async (service) => {
    const { bw_fee_per_transfer } = await service.get('/transfer-packages/tiers', PackageTiers);
    expect(Number(bw_fee_per_transfer)).toBe(0.3);
  });

  controls('"Minimum or maximum withdrawal amount: not shown": a sun can be withdrawn', async (target) => {
    expect(units((await withdraw(target, { amount_trx: '0.000001' })).amount_trx)).toBe(1n);
  });
});
