import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { PRICE_HISTORY } from '../../../src/features/prices/price-history.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import { ADDRESS, accepted, OFFLINE } from '../../operations/rental-stand-in.ts';
import { openChat } from '../chat.ts';

/** Colors of the lines. */
const HOUR = [0x25, 0x63, 0xc9];
const DAY = [0x0e, 0x80, 0x74];
const BURN = [0xc4, 0x59, 0x1b];

async function openPrices(options: Parameters<typeof openChat>[1] = {}, language: Language = 'en') {
  const chat = await openChat(language, { operatorKey: 'operator-key', ...options });
  const watcher = chat.features.find(({ name }) => name === 'prices')?.watchers?.[0];
  return {
    ...chat,
    /** Runs the watcher when these prices for 65,000 energy apply. */
    async seen(hour: string, day: string): Promise<void> {
      const sun = (trx: string) => String(Number(trx) / 0.065);
      const prices = { energySunPerUnit: { '1': sun(hour), '24': sun(day) }, burnTrx: '6.50' };
      chat.setup.rental.prices.mockResolvedValue(accepted(prices));
      await watcher?.run();
    },
    /** Returns the picture of the latest view. */
    picture: () => PNG.sync.read(chat.last().photo ?? Buffer.alloc(0)),
  };
}

/** Returns the rows of a column that have this color. */
function rowsOf({ width, height, data }: PNG, column: number, color: readonly number[]): number[] {
  return Array.from({ length: height }, (_, row) => row).filter((row) => {
    const at = 4 * (row * width + column);
    return color.every((value, part) => Math.abs((data[at + part] ?? 0) - value) < 8);
  });
}

test.each(LANGUAGES)(
  'shows the prices of 30 days as a chart of 1,200 × 640 pixels (%s)',
  async (language) => {
    const chat = await openPrices({}, language);
    // The first price is older than 30 days.
    await chat.seen('9.00', '9.90');
    chat.setup.clock.now += 10 * DAY_MS;
    for (let hour = 0; hour < 29 * 24; hour += 5) {
      await chat.seen(hour < 300 ? '2.00' : '3.00', '4.00');
      chat.setup.clock.now += 5 * HOUR_MS;
    }
    await chat.seen('2.3992', '3.20');
    await chat.input('/prices', 'prices:chart');
    expect(chat.html()).toMatch(
      /: 2[.,]00–3[.,]00, .*<b>2[.,]40<\/b>\n.*: 3[.,]20–4[.,]00, .*<b>3[.,]20<\/b>\n.*: <b>6[.,]50<\/b>/,
    );
    const picture = chat.picture();
    expect([picture.width, picture.height]).toEqual([1_200, 640]);
    const [[early = 0], [late = 0]] = [rowsOf(picture, 300, HOUR), rowsOf(picture, 700, HOUR)];
    expect(early).toBeGreaterThan(late);
    expect(rowsOf(picture, 700, DAY)[0]).toBeLessThan(late);
    // The cost of burning is a dashed line above both.
    const columns = Array.from({ length: 600 }, (_, at) => rowsOf(picture, 200 + at, BURN));
    const dashed = columns.filter((rows) => rows.length > 0);
    expect(dashed.length).toBeGreaterThan(150);
    expect(dashed.length).toBeLessThan(500);
    expect(Math.max(...dashed.flat())).toBeLessThan(rowsOf(picture, 700, DAY)[0] ?? 0);
    chat.setup.clock.now += 30 * DAY_MS;
    await chat.expectReply('prices:chart', '<b>');
    expect(chat.last().photo).toBeUndefined();
  },
);

test('shows the prices as text if the picture can not be rendered', async () => {
  const chat = await openPrices({ renderPicture: async () => undefined });
  await chat.seen('2.00', '4.00');
  chat.setup.clock.now += HOUR_MS;
  await chat.seen('3.00', '4.00');
  const since = 'since 1 Jun, 12:00 UTC';
  await chat.expectReply('prices:chart', since, '1 h: 2.00–3.00, now <b>3.00</b>\n24 h: <b>4.00</b>\n');
  chat.shows('<b>6.50</b>');
  expect(chat.last().photo).toBeUndefined();
  expect(chat.data()).toEqual(['prices:open', 'menu:open']);
});

test.each([
  ['card', ADDRESS, 'Review and confirm'],
  ['question', '/buy', 'Which address'],
])('returns from the chart to an open %s, which stays the last message', async (_, opening, shown) => {
  const chat = await openPrices({ renderPicture: async () => undefined });
  await chat.seen('2.00', '4.00');
  chat.setup.clock.now += HOUR_MS;
  await chat.seen('3.00', '4.00');
  const sent = () => String(chat.payloads('sendMessage').at(-1)?.text);
  for (const input of [opening, '/prices', 'prices:chart', 'prices:open']) {
    await chat.input(input);
    expect(sent(), input).toContain(shown);
  }
});

test('keeps the list of prices above the chart, and an open question below it', async () => {
  const chat = await openPrices();
  await chat.seen('2.00', '4.00');
  chat.setup.clock.now += HOUR_MS;
  await chat.seen('3.00', '4.00');
  await chat.input('/buy', '/prices');
  const edits = chat.payloads('editMessageText').length;
  await chat.tap('prices:chart', { message: chat.lastMessage() - 1, carried: true });
  expect(chat.payloads('editMessageText')).toHaveLength(edits);
  const [chart, question] = chat.views().slice(-2);
  expect([chart?.photo !== undefined, question?.html]).toEqual([
    true,
    expect.stringContaining('Which address'),
  ]);
});

test.each([
  ['en', 'chart'],
  ['en', 'price history'],
  ['ru', 'график'],
  ['ru', 'история цен'],
] as const)('in %s, %j shows the chart, also above an open question', async (language, text) => {
  for (const before of [[], ['/buy']]) {
    const chat = await openPrices({ renderPicture: async () => undefined }, language);
    await chat.seen('2.00', '4.00');
    chat.setup.clock.now += HOUR_MS;
    await chat.seen('3.00', '4.00');
    await chat.input(...before, text);
    const shown = chat.views().slice(before.length === 0 ? -1 : -2);
    expect(shown[0]?.keyboard.flat()[0]).toMatchObject({ callback_data: 'prices:open' });
  }
});

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
