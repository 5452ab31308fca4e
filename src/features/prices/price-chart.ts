import { BigNumber } from 'bignumber.js';
import { formatAxisDay, formatCount, formatMoment, formatShortAmount, type Words } from '../../i18n/texts.ts';
import { type ChartAxis, chartSvg, type Point } from '../../pictures/chart.ts';
import { DAY_MS, HOUR_MS } from '../../platform/clock.ts';
import { ENERGY_DURATIONS, ENERGY_PER_TRANSFER } from '../../rental-api/tron.ts';
import type { PriceSample } from './price-history.ts';

/** Colors of the lines, by hours. */
const COLORS: Record<(typeof ENERGY_DURATIONS)[number], string> = { 1: '#2563C9', 24: '#0E8074' };
const BURN_COLOR = '#C4591B';
/** Longest time between two prices of an unbroken line. */
const MAX_GAP_MS = 6 * HOUR_MS;

/**
 * Draws the prices as an SVG: a line for each duration, and a dashed one for the cost of burning.
 * `samples`: at least one, earliest first.
 */
export function priceChart(words: Words, samples: readonly PriceSample[]): string {
  const { language } = words;
  const durations = ENERGY_DURATIONS.map((hours) => ({
    name: words.plain('prices-hours', { hours }),
    color: COLORS[hours],
    prices: samples.map(({ trx }) => trx[hours]),
  }));
  const burn = {
    name: words.plain('prices-burn'),
    color: BURN_COLOR,
    isDashed: true,
    prices: samples.map((sample) => sample.burnTrx),
  };
  const lines = [...durations, burn].flatMap(({ prices, ...line }) => {
    const latest = prices.findLast((price) => price !== undefined);
    if (latest === undefined) return [];
    const points = samples.flatMap(({ at }, number): Point[] =>
      prices[number] === undefined ? [] : [[at, Number(prices[number])]],
    );
    return { ...line, points, latest: formatShortAmount(new BigNumber(latest).toFixed(2), language) };
  });
  const allPrices = lines.flatMap(({ points }) => points.map(([, price]) => price));
  return chartSvg({
    title: words.plain('prices-chart-axis', { amount: formatCount(ENERGY_PER_TRANSFER, language) }),
    lines,
    x: timeAxis(samples.at(0)?.at ?? 0, samples.at(-1)?.at ?? 0, language),
    y: priceAxis(Math.min(...allPrices), Math.max(...allPrices), language),
    maxGap: MAX_GAP_MS,
  });
}

/** Shortest price axis, as a share of the highest price. On a shorter one, small changes would look large. */
const MIN_AXIS_SHARE = 0.3;
/** Space above and below the lines, as a share of the axis. */
const AXIS_SPACE = 0.05;
/** Steps of a price axis before its ends are rounded. */
const MAX_PRICE_STEPS = 5;
const STEP_FACTORS = [1, 2, 2.5, 5, 10];

/** Returns an axis that contains both prices, with round values. It starts at 0 only if that is near. */
function priceAxis(lowest: number, highest: number, language: string): ChartAxis {
  const length = Math.max(highest - lowest, MIN_AXIS_SHARE * highest) || 1;
  const [middle, half] = [(lowest + highest) / 2, (0.5 + AXIS_SPACE) * length];
  const [from, to] = [Math.max(0, middle - half), middle + half];
  const leastStep = (to - from) / MAX_PRICE_STEPS;
  const magnitude = 10 ** Math.floor(Math.log10(leastStep));
  const step = magnitude * (STEP_FACTORS.find((factor) => factor * magnitude >= leastStep) ?? 10);
  const [first, last] = [Math.floor(from / step), Math.ceil(to / step)];
  const decimals = Math.max(2, Math.ceil(-Math.log10(step)) + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, number) => {
    const at = (first + number) * step;
    return { at, label: formatShortAmount(at.toFixed(decimals), language) };
  });
  return { range: [first * step, last * step], ticks };
}

/** Shorter times are labelled with the time of day. */
const MIN_DAYS_MS = 3 * DAY_MS;
const MAX_DAYS = 5;

/** Returns a time axis with labels at midnight (UTC) and equal intervals, or at both ends if it is short. */
function timeAxis(first: number, last: number, language: string): ChartAxis {
  const range: Point = [first, last];
  if (last - first < MIN_DAYS_MS) {
    const ends = first === last ? [first] : range;
    return { range, ticks: ends.map((at) => ({ at, label: formatMoment(at, language) })) };
  }
  const [firstDay, lastDay] = [Math.ceil(first / DAY_MS), Math.floor(last / DAY_MS)];
  const stepDays = Math.ceil((lastDay - firstDay + 1) / MAX_DAYS);
  const days = Array.from({ length: MAX_DAYS }, (_, number) => lastDay - number * stepDays);
  const ticks = days
    .filter((day) => day >= firstDay)
    .map((day) => ({ at: day * DAY_MS, label: formatAxisDay(day * DAY_MS, language) }));
  return { range, ticks };
}
