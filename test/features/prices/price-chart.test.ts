import { describe, expect, test } from 'vitest';
import { priceChart } from '../../../src/features/prices/price-chart.ts';
import type { PriceSample } from '../../../src/features/prices/price-history.ts';
import type { Language } from '../../../src/i18n/texts.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { TEXTS } from '../../support/texts.ts';

const END = Date.parse('2026-11-27T06:30:00Z');
const FULL = { left: 150, right: 956, top: 128, bottom: 544 };

const sample = (at: number, hour: string, day: string, burnTrx?: string): PriceSample => ({
  at,
  trx: { '1': hour, '24': day },
  burnTrx,
});

/** Returns samples in equal intervals up to {@link END}. */
function samplesOf(prices: readonly string[], { everyMs = HOUR_MS, burn = '6.50' as string | null } = {}) {
  return prices.map((price, at) =>
    sample(END - (prices.length - 1 - at) * everyMs, price, '4.23', burn ?? undefined),
  );
}

interface Shown {
  text: string;
  x: number;
  y: number;
  sizePx: number;
}

/** Returns the texts of the chart with their places, and the attribute `d` of its paths. */
function draw(samples: readonly PriceSample[], language: Language = 'en') {
  const svg = priceChart(TEXTS.in(language), samples);
  const number = (attributes: string, name: string) =>
    Number(new RegExp(`${name}="([^"]+)"`).exec(attributes)?.[1]);
  const shown = [...svg.matchAll(/<text ([^>]+)>([^<]*)<\/text>/g)].map(
    ([, attributes = '', text = '']): Shown => ({
      text: text.replaceAll('\u00a0', ' '),
      x: number(attributes, 'x'),
      y: number(attributes, 'y'),
      sizePx: number(attributes, 'font-size'),
    }),
  );
  return {
    svg,
    shown,
    texts: shown.map(({ text }) => text),
    paths: [...svg.matchAll(/ d="([^"]+)"([^>]*)>/g)].map(([, d = '', style = '']) => ({ d, style })),
  };
}

const dashedOf = ({ paths }: ReturnType<typeof draw>) =>
  paths.filter(({ style }) => style.includes('dasharray'));

describe('the axes', () => {
  test.each([
    ['en', ['3 Nov', '9 Nov', '15 Nov', '21 Nov', '27 Nov'], '65,000 energy, TRX'],
    ['ru', ['3 нояб.', '9 нояб.', '15 нояб.', '21 нояб.', '27 нояб.'], '65 000 энергии, TRX'],
  ] as const)('have dates in %s and equal intervals', (language, dates, title) => {
    const { texts, shown } = draw(samplesOf(Array(720).fill('2.32')), language);
    expect(texts).toEqual(expect.arrayContaining([...dates, title]));
    const places = dates
      .map((date) => shown.find(({ text }) => text === date)?.x ?? 0)
      .toSorted((a, b) => a - b);
    const distances = places.slice(1).map((x, at) => x - (places[at] ?? 0));
    expect(Math.max(...distances) - Math.min(...distances)).toBeLessThan(0.5);
  });

  test.each([
    ['en', ['26 Nov, 09:30 UTC', '27 Nov, 06:30 UTC']],
    ['ru', ['26 нояб., 09:30 UTC', '27 нояб., 06:30 UTC']],
  ] as const)('have times in %s if the prices are of one day', (language, ends) => {
    const { texts } = draw(samplesOf(Array(8).fill('2.32'), { everyMs: 3 * HOUR_MS }), language);
    expect(texts).toEqual(expect.arrayContaining([...ends]));
  });

  test.each([
    ['2.40', '6.50', ['2.00', '3.00', '4.00', '5.00', '6.00', '7.00']],
    ['2.40', null, ['2.00', '2.50', '3.00', '3.50', '4.00', '4.50']],
    ['0.50', '6.50', ['0.00', '2.00', '4.00', '6.00', '8.00']],
    ['0.50', '4000000', ['0.00', '1M', '2M', '3M', '4M', '5M']],
  ])('have round prices around %s, 4.23 and %s', (price, burn, labels) => {
    const { shown } = draw(samplesOf([price, price], { burn }));
    const ticks = shown.filter(({ x }) => x < FULL.left && x > 100).map(({ text }) => text);
    expect(ticks).toEqual(labels);
  });

  test('do not exaggerate small changes', () => {
    const near = samplesOf(['4.20', '4.25', '4.21'], { burn: null });
    const { shown } = draw(near);
    const ticks = shown.filter(({ x }) => x < FULL.left && x > 100).map(({ text }) => Number(text));
    expect(Math.max(...ticks) - Math.min(...ticks)).toBeGreaterThan(1.2);
  });
});

describe('the latest values', () => {
  test.each([
    ['en', ['2.32', '1 h', '4.23', '24 h', '6.50', 'Burn']],
    ['ru', ['2,32', '1 ч', '4,23', '24 ч', '6,50', 'Сгорит']],
  ] as const)('are labelled in %s', (language, labels) => {
    expect(draw(samplesOf(['2.50', '2.3199']), language).texts.slice(-6)).toEqual(labels);
  });

  test.each([
    ['equal values', '4.23', '4.23'],
    ['values close to each other', '4.20', '4.25'],
    ['values at the upper edge', '9.99', '10.00'],
    ['values at the lower edge', '4.24', '900.00'],
  ])('do not overlap with %s', (_, price, burn) => {
    const { shown } = draw(samplesOf([price, price], { burn }));
    const labels = shown.filter(({ x }) => x > FULL.right && x < 1_100).slice(-6);
    expect(labels).toHaveLength(6);
    const baselines = labels.map(({ y }) => y).toSorted((a, b) => a - b);
    for (const [at, y] of baselines.slice(1).entries())
      expect(y - (baselines[at] ?? 0)).toBeGreaterThanOrEqual(40);
    expect(Math.max(...baselines)).toBeLessThan(FULL.bottom + 10);
  });

  test('stay readable if they are large', () => {
    const { shown } = draw(samplesOf(['123456789.12', '123456789.12'], { burn: '1128.62' }));
    expect(shown.map(({ text }) => text)).toEqual(expect.arrayContaining(['123M', '1,128.62']));
    for (const { sizePx, text } of shown) expect(sizePx, text).toBeGreaterThanOrEqual(34);
  });
});

describe('the lines', () => {
  test('are solid for the durations, with an area, and dashed for the cost of burning', () => {
    const chart = draw(samplesOf(['2.00', '2.10', '2.00']));
    expect(dashedOf(chart)).toHaveLength(1);
    expect(chart.paths.filter(({ style }) => style.includes('url(#area'))).toHaveLength(2);
  });

  test('lack the cost of burning if it is not known', () => {
    const chart = draw(samplesOf(['2.00', '2.10'], { burn: null }));
    expect(dashedOf(chart)).toEqual([]);
    expect(chart.texts).not.toContain('Burn');
  });

  test('are curves that do not leave the range of the prices', () => {
    const { paths } = draw(samplesOf(['2.00', '2.00', '3.00', '3.00', '2.00'], { burn: null }));
    const { d = '' } = paths.find(({ style }) => style.includes('stroke="#2563C9"')) ?? {};
    expect(d).toContain('C');
    const [, ...points] = d.split(/[MC ]/).map(Number);
    const heights = points.filter((_, at) => at % 2 === 1);
    const ends = [heights.at(0) ?? 0, heights.at(-1) ?? 0];
    expect(Math.max(...heights)).toBe(Math.max(...ends));
    expect(heights.every((y) => y >= FULL.top && y <= FULL.bottom)).toBe(true);
  });

  test('are faint across a gap', () => {
    const samples = samplesOf(Array(200).fill('2.32')).filter((_, at) => at < 50 || at > 120);
    const blue = draw(samples).paths.filter(({ style }) => style.includes('stroke="#2563C9"'));
    const [faint, solid] = blue;
    expect(faint?.style).toContain('stroke-opacity');
    expect(faint?.d.match(/M/g)).toHaveLength(1);
    expect(solid?.style).not.toContain('stroke-opacity');
    expect(solid?.d.match(/M/g)).toHaveLength(2);
  });
});

test.each<[string, PriceSample[]]>([
  ['a single price', [sample(END, '2.32', '4.23')]],
  [
    'a single known duration',
    [
      { at: END - DAY_MS, trx: { '1': '2.32' } },
      { at: END, trx: {} },
    ],
  ],
  ['equal prices', samplesOf(['2.32', '2.32'])],
  ['free energy', samplesOf(['0', '0'], { burn: '0' })],
  ['tiny prices', samplesOf(['0.000001', '0.000002'], { burn: null })],
  ['huge prices', samplesOf(['99999999999999', '1'], { burn: '0.000001' })],
  ['prices far from each other', samplesOf(['2.00', '3.00'], { everyMs: 29 * DAY_MS })],
])('draws a chart within the picture from %s', (_, samples) => {
  const { svg, shown } = draw(samples);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  for (const { x, y, sizePx } of shown) {
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(1_200);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(640);
    expect(sizePx).toBeGreaterThan(15);
  }
});
