import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import type { Words } from '../../i18n/texts.ts';
import { lineChart } from '../../pictures/line-chart.ts';
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
});
type Sample = z.infer<typeof sampleSchema>;

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
  const wasJustRecorded = (samples: readonly Sample[] | undefined, at: number) =>
    isRecent(samples?.at(-1)?.at ?? 0, HOUR_MS, at);

  return {
    /** Returns the prices of the last 30 days, earliest first; none if there are too few for a chart. */
    async samples(): Promise<Sample[]> {
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
          : [...before.filter((one) => one.at > at - SPAN_MS), { at, trx }],
      );
    },
  };
}

/** Returns the lowest, highest and latest price of each duration, in TRX. */
export function priceRanges(samples: readonly Sample[]) {
  return ENERGY_DURATIONS.flatMap((hours) => {
    const prices = samples.flatMap(({ trx }) => trx[hours] ?? []);
    const latest = prices.at(-1);
    if (latest === undefined) return [];
    const rounded = (price: BigNumber.Value) => new BigNumber(price).toFixed(2);
    const [lowest, highest] = [BigNumber.min(...prices), BigNumber.max(...prices)];
    return { hours, lowest: rounded(lowest), highest: rounded(highest), latest: rounded(latest) };
  });
}

export function priceChart(words: Words, samples: readonly Sample[]): Buffer {
  const [first, last] = [samples.at(0)?.at ?? 0, samples.at(-1)?.at ?? 0];
  const series = priceRanges(samples).map(({ hours }) => ({
    label: words.plain('prices-hours', { hours }),
    points: samples.flatMap(({ at, trx }): [number, number][] =>
      trx[hours] === undefined ? [] : [[at, Number(trx[hours])]],
    ),
  }));
  const highest = Math.max(...series.flatMap(({ points }) => points.map(([, price]) => price)));
  const prices = ticksUpTo(highest);
  return lineChart({
    series,
    x: { range: [first, last], ticks: dayTicks(first, last, words.language) },
    y: { range: [0, prices.at(-1)?.at ?? highest], ticks: prices },
  });
}

/** Returns round values from 0 to at least `highest`, at most six. */
function ticksUpTo(highest: number) {
  const rough = highest / 5;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
  const count = Math.ceil(highest / step);
  return Array.from({ length: count + 1 }, (_, at) => ({ at: at * step, label: (at * step).toFixed(2) }));
}

const MAX_DAY_TICKS = 4;

/** Returns up to four days, each labelled once. */
function dayTicks(first: number, last: number, language: string) {
  const format = new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    day: 'numeric',
    month: language === 'en' ? 'short' : '2-digit',
  });
  const ticks = Array.from({ length: MAX_DAY_TICKS }, (_, part) => {
    const at = first + (part * (last - first)) / (MAX_DAY_TICKS - 1);
    return { at, label: format.format(at) };
  });
  return ticks.filter(({ label }, at) => label !== ticks[at - 1]?.label);
}
