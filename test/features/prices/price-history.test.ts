import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { PRICE_HISTORY } from '../../../src/features/prices/price-history.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import { accepted, OFFLINE } from '../../operations/rental-stand-in.ts';
import { openChat } from '../chat.ts';

const RED = [214, 69, 65];
const BLUE = [38, 110, 203];
/** Red part of the color of text. */
const INK = 71;

async function openPrices(options: Parameters<typeof openChat>[1] = {}, language: Language = 'en') {
  const chat = await openChat(language, { operatorKey: 'operator-key', ...options });
  const watcher = chat.features.find(({ name }) => name === 'prices')?.watchers?.[0];
  return {
    ...chat,
    /** Runs the watcher when these prices for 65,000 energy apply. */
    async seen(hour: string, day: string): Promise<void> {
      const sun = (trx: string) => String(Number(trx) / 0.065);
      const prices = { energySunPerUnit: { '1': sun(hour), '24': sun(day) } };
      chat.setup.rental.prices.mockResolvedValue(accepted(prices));
      await watcher?.run();
    },
    /** Returns the picture of the latest view. */
    picture: () => PNG.sync.read(chat.last().photo ?? Buffer.alloc(0)),
  };
}

/** Returns the average height of a line above the lower edge in a column, in pixels; `undefined` without the line. */
function heightOf(
  { width, height, data }: PNG,
  column: number,
  color: readonly number[],
): number | undefined {
  const rows = Array.from({ length: height - 60 }, (_, at) => at + 40).filter((row) => {
    const at = 4 * (row * width + column);
    return color.every((value, part) => Math.abs((data[at + part] ?? 0) - value) < 30);
  });
  return rows.length === 0 ? undefined : height - rows.reduce((sum, row) => sum + row, 0) / rows.length;
}

/** Returns whether an area (left, top, right, bottom) contains the color of text. */
function hasInk(
  { width, height, data }: PNG,
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
): boolean {
  return Array.from({ length: width * height }, (_, at) => [at % width, Math.floor(at / width), at]).some(
    ([x = 0, y = 0, at = 0]) => x >= left && x < right && y >= top && y < bottom && data[4 * at] === INK,
  );
}

test.each(LANGUAGES)(
  'shows the prices of 30 days as a chart with a line for each duration (%s)',
  async (language) => {
    const chat = await openPrices({}, language);
    for (const [hour, day] of [
      ['9.00', '9.90'],
      ['2.00', '4.00'],
      ['3.00', '4.00'],
      ['2.50', '3.00'],
    ] as const) {
      await chat.seen(hour, day);
      chat.setup.clock.now += 14 * DAY_MS;
    }
    chat.setup.clock.now -= 5 * DAY_MS;
    await chat.seen('2.3992', '3.20');
    await chat.input('/prices', 'prices:chart');
    // The first price is older than 30 days.
    expect(chat.html()).toMatch(
      /: 2[.,]40–3[.,]00, .*<b>2[.,]40<\/b>\n.*: 3[.,]00–4[.,]00, .*<b>3[.,]20<\/b>/,
    );
    const picture = chat.picture();
    expect([picture.width, picture.height]).toEqual([800, 400]);
    const heights = [82, 428, 773].map((x) => [heightOf(picture, x, RED), heightOf(picture, x, BLUE)]);
    const [[firstHour = 0, firstDay = 0] = [], , [lastHour = 0, lastDay = 0] = []] = heights;
    expect(heights.flat()).not.toContain(undefined);
    expect(firstHour).toBeGreaterThan(lastHour);
    expect(firstDay).toBeGreaterThan(lastDay);
    expect(lastDay).toBeGreaterThan(lastHour);
    // Both axes are labelled, and the lines are named above.
    const areas = [
      [0, 0, 76, 360],
      [0, 364, 800, 400],
      [80, 0, 800, 40],
    ];
    for (const area of areas) expect(hasInk(picture, area)).toBe(true);
    expect(await chat.deps.records.store(PRICE_HISTORY).get({})).toHaveLength(3);
    chat.setup.clock.now += 30 * DAY_MS;
    await chat.expectReply('prices:chart', '<b>');
    expect(chat.last().photo).toBeUndefined();
  },
);

test('offers the chart once two prices are known', async () => {
  const chat = await openPrices({ linked: false });
  await chat.write('/prices');
  expect(chat.data()).not.toContain('prices:chart');
  await chat.expectReply('prices:chart', 'USDT transfer');
  // Prices of the same hour count once.
  expect(chat.data()).not.toContain('prices:chart');
  chat.setup.clock.now += HOUR_MS;
  await chat.write('/prices');
  expect(chat.data()).toContain('prices:chart');
});

test('reads the prices of the operator account once an hour', async () => {
  const chat = await openPrices();
  for (let times = 0; times < 12; times++) {
    await chat.seen('2.00', '4.00');
    chat.setup.clock.now += HOUR_MS / 6;
  }
  expect(chat.setup.rental.prices.mock.calls).toEqual([['operator-key'], ['operator-key']]);
});

test('records nothing if the service returns no prices', async () => {
  const chat = await openPrices();
  await chat.seen('2.00', '4.00');
  for (const outcome of [OFFLINE, accepted({})]) {
    chat.setup.clock.now += HOUR_MS;
    chat.setup.rental.prices.mockResolvedValue(outcome as never);
    await chat.features.find(({ name }) => name === 'prices')?.watchers?.[0]?.run();
  }
  await chat.write('/prices');
  expect(chat.data()).not.toContain('prices:chart');
});

test('shows the prices although their history can not be written', async () => {
  const storage = createMemoryStorage();
  await storage.set(PRICE_HISTORY.keys, '["of another release"]');
  const chat = await openPrices({ storage });
  await chat.expectReply('/prices', 'USDT transfer');
});
