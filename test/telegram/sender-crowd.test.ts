import { describe, expect, test } from 'vitest';
import { type CrowdOptions, sendToCrowd } from './crowd.ts';

/** 1,500 messages: 50 seconds at 30 a second. */
const CROWD = { chats: 500, each: 3 };

describe('with Telegram’s limits, sends everything in time with few refusals', () => {
  test.each<[string, Partial<CrowdOptions>, { seconds: number; refused: number }]>([
    ['with few concurrent sends', {}, { seconds: 55, refused: 25 }],
    [
      'with one send at a time and immediate responses',
      { atOnce: 1, latencyMs: 0 },
      { seconds: 55, refused: 15 },
    ],
    ['with responses that take half a second', { latencyMs: 500, atOnce: 30 }, { seconds: 58, refused: 60 }],
    ['with all sends at once', { atOnce: 500 }, { seconds: 56, refused: 500 }],
    ['with delayed retries', { lateMs: 1_000, seed: 7 }, { seconds: 60, refused: 35 }],
    ['with very delayed retries', { lateMs: 5_000, seed: 8 }, { seconds: 75, refused: 40 }],
    ['at ten messages a second', { perSecond: 10 }, { seconds: 170, refused: 45 }],
    ['to three thousand chats', { chats: 3_000, each: 1 }, { seconds: 110, refused: 35 }],
  ])('%s', async (_, how, most) => {
    const crowd = { ...CROWD, ...how };
    const found = await sendToCrowd(crowd);
    expect(found).toMatchObject({ sent: crowd.chats * crowd.each, tooSoon: 0 });
    expect(found.seconds).toBeLessThan(most.seconds);
    expect(found.refused).toBeLessThan(most.refused);
  });
});

test('sends everything after a minute of 429s, none too early', async () => {
  const found = await sendToCrowd({ ...CROWD, downMs: 60_000 });
  expect(found).toMatchObject({ sent: 1_500, tooSoon: 0 });
  expect(found.seconds).toBeLessThan(150);
  // Two requests a second during that minute.
  expect(found.refused).toBeLessThan(180);
});

describe('chats that always refuse do not delay others:', () => {
  const WELL = { atOnce: 10, latencyMs: 50 };

  test.each([
    [2, 20, 1],
    [5, 20, 1],
    [2, 400, 1],
    [5, 400, 1],
    [5, 400, 30],
  ])('%i such chats, among %i others, with a 429 of %i seconds', async (closed, others, retryAfterS) => {
    const found = await sendToCrowd({
      ...WELL,
      chats: closed + others,
      closed,
      each: 1,
      perSecond: 1_000_000,
      retryAfterS,
    });
    expect(found).toMatchObject({ sent: others, tooSoon: 0 });
    // Ten concurrent sends, each as long as its response.
    expect(found.seconds).toBeLessThan(((closed + others) / WELL.atOnce) * 0.05 + 0.2);
    expect(found.refused).toBeLessThanOrEqual(closed * (1 + found.seconds / retryAfterS));
  });

  test.each([0, 60_000])('with a global limit, after %i ms without an accepted message', async (downMs) => {
    const found = await sendToCrowd({ chats: 405, closed: 5, each: 5, downMs });
    expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
    expect(found.seconds - downMs / 1_000).toBeLessThan(92);
    expect(found.refused).toBeLessThan(downMs === 0 ? 80 : 350);
  });

  test('for long, even if there are many', async () => {
    const found = await sendToCrowd({ chats: 420, closed: 20, each: 5 });
    expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
    expect(found.seconds).toBeLessThan(110);
  });
});

test.each([1, 30])('causes few refusals with a limit whose 429 requests %i seconds', async (retryAfterS) => {
  const found = await sendToCrowd({ chats: 400, each: 5, retryAfterS });
  expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
  expect(found.seconds).toBeLessThan(72 + retryAfterS);
  expect(found.refused).toBeLessThan(30);
});

test('delays nothing if there are no limits', async () => {
  const found = await sendToCrowd({ ...CROWD, each: 1, perSecond: 1_000_000, latencyMs: 10, atOnce: 50 });
  expect(found).toEqual({ sent: 500, asked: 500, refused: 0, tooSoon: 0, seconds: 0.1 });
});

test('does not delay other chats if chats reach their own limits', async () => {
  const found = await sendToCrowd({ chats: 100, each: 20, perSecond: 1_000, atOnce: 100 });
  expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
  // Three at once, then one a second.
  expect(found.seconds).toBeLessThan(22);
});
