import { describe, expect, test } from 'vitest';
import { type CrowdOptions, sendToCrowd } from './crowd.ts';

/** 1,500 messages, at 30 a second 50 seconds. */
const CROWD = { chats: 500, each: 3 };

describe('with Telegram’s limits, everything is sent, no chat is asked before its time, and few are refused', () => {
  test.each<[string, Partial<CrowdOptions>, { seconds: number; refused: number }]>([
    ['as a few are sent at once', {}, { seconds: 55, refused: 25 }],
    ['one after another, answered at once', { atOnce: 1, latencyMs: 0 }, { seconds: 55, refused: 15 }],
    ['as answers take half a second', { latencyMs: 500, atOnce: 30 }, { seconds: 58, refused: 60 }],
    ['as all are sent at once', { atOnce: 500 }, { seconds: 56, refused: 500 }],
    ['as who has to wait comes late', { lateMs: 1_000, seed: 7 }, { seconds: 60, refused: 35 }],
    ['as who has to wait comes very late', { lateMs: 5_000, seed: 8 }, { seconds: 75, refused: 40 }],
    ['at ten a second', { perSecond: 10 }, { seconds: 170, refused: 45 }],
    ['to three thousand', { chats: 3_000, each: 1 }, { seconds: 110, refused: 35 }],
  ])('%s', async (_, how, most) => {
    const crowd = { ...CROWD, ...how };
    const found = await sendToCrowd(crowd);
    expect(found).toMatchObject({ sent: crowd.chats * crowd.each, tooSoon: 0 });
    expect(found.seconds).toBeLessThan(most.seconds);
    expect(found.refused).toBeLessThan(most.refused);
  });
});

test('after a minute of nothing but 429 everything is sent, within a minute and a half, and nothing before its time', async () => {
  const found = await sendToCrowd({ ...CROWD, downMs: 60_000 });
  expect(found).toMatchObject({ sent: 1_500, tooSoon: 0 });
  expect(found.seconds).toBeLessThan(150);
  // Two a second while it lasts.
  expect(found.refused).toBeLessThan(180);
});

describe('chats that never take anything slow nobody down', () => {
  const WELL = { atOnce: 10, latencyMs: 50 };

  test.each([
    [2, 20, 1],
    [5, 20, 1],
    [2, 400, 1],
    [5, 400, 1],
    [5, 400, 30],
  ])('%i of them, among %i others, as a 429 asks for %i seconds', async (closed, others, retryAfterS) => {
    const found = await sendToCrowd({
      ...WELL,
      chats: closed + others,
      closed,
      each: 1,
      perSecond: 1_000_000,
      retryAfterS,
    });
    expect(found).toMatchObject({ sent: others, tooSoon: 0 });
    // Ten at once, of which each takes as long as its answer.
    expect(found.seconds).toBeLessThan(((closed + others) / WELL.atOnce) * 0.05 + 0.2);
    expect(found.refused).toBeLessThanOrEqual(closed * (1 + found.seconds / retryAfterS));
  });

  test.each([0, 60_000])(
    'nor where there is a limit over all, and nothing was taken for %i ms',
    async (downMs) => {
      const found = await sendToCrowd({ chats: 405, closed: 5, each: 5, downMs });
      expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
      expect(found.seconds - downMs / 1_000).toBeLessThan(92);
      expect(found.refused).toBeLessThan(downMs === 0 ? 80 : 350);
    },
  );

  test('nor, for long, where they are many', async () => {
    const found = await sendToCrowd({ chats: 420, closed: 20, each: 5 });
    expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
    expect(found.seconds).toBeLessThan(110);
  });
});

test.each([1, 30])('with a limit whose 429 asks for %i seconds few are refused', async (retryAfterS) => {
  const found = await sendToCrowd({ chats: 400, each: 5, retryAfterS });
  expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
  expect(found.seconds).toBeLessThan(72 + retryAfterS);
  expect(found.refused).toBeLessThan(30);
});

test('without limits a crowd waits for nothing', async () => {
  const found = await sendToCrowd({ ...CROWD, each: 1, perSecond: 1_000_000, latencyMs: 10, atOnce: 50 });
  expect(found).toEqual({ sent: 500, asked: 500, refused: 0, tooSoon: 0, seconds: 0.1 });
});

test('chats that meet their own limits slow nobody down', async () => {
  const found = await sendToCrowd({ chats: 100, each: 20, perSecond: 1_000, atOnce: 100 });
  expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
  // Three at once, then one a second.
  expect(found.seconds).toBeLessThan(22);
});
