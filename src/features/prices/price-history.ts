import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { DAY_MS, HOUR_MS, isRecent } from '../../platform/clock.ts';
import { defineRecord, type SignedRecords } from '../../platform/records.ts';
import type { Prices } from '../../rental-api/schemas.ts';
import { ENERGY_DURATIONS, ENERGY_PER_TRANSFER, estimateEnergy } from '../../rental-api/tron.ts';

const SPAN_MS = 30 * DAY_MS;
const MIN_SAMPLES = 2;

const sampleSchema = z.object({
  at: z.int(),
  /** Price of {@link ENERGY_PER_TRANSFER} energy in TRX, decimal, by hours. */
  trx: z.record(z.string(), z.string()),
  /** TRX burnt for as much energy, decimal. Missing if the service doesn't report it. */
  burnTrx: z.string().optional(),
});
export type PriceSample = z.infer<typeof sampleSchema>;

export const PRICE_HISTORY = defineRecord({
  keys: 'price-history',
  content: 'Energy prices of the last 30 days, one for each hour',
  schema: z.array(sampleSchema),
  ttlMs: SPAN_MS + DAY_MS,
  signed: false,
  anonymous: true,
});

/** Creates the history of energy prices. Its methods reject with `StorageUnavailable` if the storage can't be reached. */
export function createPriceHistory({ records, now }: { records: SignedRecords; now: () => number }) {
  const store = records.store(PRICE_HISTORY);
  const wasJustRecorded = (samples: readonly PriceSample[] | undefined, at: number) =>
    isRecent(samples?.at(-1)?.at ?? 0, HOUR_MS, at);

  return {
    /** Returns the prices of the last 30 days, earliest first; none if there are too few for a chart. */
    async samples(): Promise<PriceSample[]> {
      const samples = ((await store.get({})) ?? []).filter(({ at }) => at > now() - SPAN_MS);
      return samples.length < MIN_SAMPLES ? [] : samples;
    },
    isDue: async (): Promise<boolean> => !wasJustRecorded(await store.get({}), now()),
    /** Records these prices, unless some were recorded in the last hour. */
    async add(prices: Prices): Promise<void> {
      const at = now();
      const trx = Object.fromEntries(
        ENERGY_DURATIONS.flatMap((hours) => {
          const price = estimateEnergy({ amount: ENERGY_PER_TRANSFER, hours }, prices);
          return price === undefined ? [] : [[hours, price]];
        }),
      );
      if (Object.keys(trx).length === 0) return;
      await store.update({}, (before = []) =>
        wasJustRecorded(before, at)
          ? undefined
          : [...before.filter((one) => one.at > at - SPAN_MS), { at, trx, burnTrx: prices.burnTrx }],
      );
    },
  };
}

/** Returns the lowest, highest and latest price of each duration, in TRX. `highest` is `same` if it equals the lowest. */
export function priceRanges(samples: readonly PriceSample[]) {
  return ENERGY_DURATIONS.flatMap((hours) => {
    const prices = samples.flatMap(({ trx }) => trx[hours] ?? []);
    const latest = prices.at(-1);
    if (latest === undefined) return [];
    const rounded = (price: BigNumber.Value) => new BigNumber(price).toFixed(2);
    const [lowest, highest] = [rounded(BigNumber.min(...prices)), rounded(BigNumber.max(...prices))];
    return { hours, lowest, highest: highest === lowest ? 'same' : highest, latest: rounded(latest) };
  });
}
