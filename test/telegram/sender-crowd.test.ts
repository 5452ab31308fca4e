import { Api } from 'grammy';
import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { BotApiError } from '../../src/sandbox/telegram/bot-api-error.ts';
import { createRateLimiter } from '../../src/sandbox/telegram/rate-limiter.ts';
import { MAX_PER_SECOND } from '../../src/telegram/bulk-limit.ts';
import { createChatHolds, createSender } from '../../src/telegram/sender.ts';
import { openBulkLimit } from '../support/bulk-limit.ts';
import { TOKEN } from '../support/telegram-stub.ts';

const DEFAULTS = {
  perSecond: 30,
  /** Concurrent sends. */
  atOnce: 10,
  /** Duration of a response, in milliseconds. */
  latencyMs: 50,
  /** Maximum random delay of a retry after its time, in milliseconds. */
  lateMs: 0,
  /** Initial period in which every call gets a 429, in milliseconds. */
  downMs: 0,
  /** Number of chats that always refuse, counted from the first. No messages are expected to reach them. */
  closed: 0,
  /** Minimum delay that a 429 requests, in seconds. */
  retryAfterS: 1,
  seed: 1,
};

/** `each`: messages per chat, sent one after another. */
type CrowdOptions = Partial<typeof DEFAULTS> & { chats: number; each: number };

/** Sends messages to many chats through a simulated Telegram with limits. Time jumps from one event to the next. */
async function sendToCrowd(options: CrowdOptions) {
  const { chats, each, perSecond, atOnce, latencyMs, ...more } = { ...DEFAULTS, ...options };
  const { lateMs, downMs, closed, retryAfterS, seed } = more;
  const clock = { now: 1_000_000 };
  const start = clock.now;
  const now = () => clock.now;
  const random = randomFrom(seed);
  const limits = createRateLimiter({ limits: { perSecond, perChatPerSecond: 1 }, now });
  const events: { at: number; run: () => void }[] = [];
  const after = (ms: number, run: () => void) => events.push({ at: clock.now + ms, run });
  const held = new Map<number, number>();
  const expected = (chats - closed) * each;
  const found = { sent: 0, refused: 0, asked: 0, tooSoon: 0, seconds: 0 };

  function answerTo(chat: number) {
    found.asked += 1;
    if ((held.get(chat) ?? 0) > clock.now) found.tooSoon += 1;
    const seconds = refusalOf(chat);
    if (seconds === undefined) return { ok: true, result: { message_id: 1 } };
    found.refused += 1;
    held.set(chat, clock.now + latencyMs + seconds * 1_000);
    const parameters = { retry_after: seconds };
    return { ok: false, error_code: 429, description: 'Too Many Requests', parameters };
  }

  function refusalOf(chat: number): number | undefined {
    const downLeft = start + downMs - clock.now;
    if (downLeft > 0) return Math.min(5, Math.ceil(downLeft / 1_000));
    if (chat <= closed) return retryAfterS;
    try {
      limits.countMessage(chat);
      return undefined;
    } catch (error) {
      if (error instanceof BotApiError) return Math.max(retryAfterS, error.retryAfter ?? 0);
      throw error;
    }
  }

  const fetch = async (_url: string | URL, { body }: { body: string }) => {
    const answer = answerTo(JSON.parse(body).chat_id);
    await new Promise<void>((resolve) => after(latencyMs, resolve));
    return { ok: true, status: 200, json: async () => answer };
  };
  const wait = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));
  const bulkLimit = openBulkLimit({ storage: createMemoryStorage({ now }), now, wait });
  const api = new Api(TOKEN, { fetch });
  const sender = createSender({ api, holds: createChatHolds({ now }), bulkLimit });

  let free = atOnce;
  let isOver = false;
  const queue: { chat: number; left: number }[] = [];
  async function work(): Promise<void> {
    const next = free > 0 && !isOver ? queue.shift() : undefined;
    if (next === undefined) return;
    free -= 1;
    const sent = await sender.sendInBulk(next.chat, { html: 'x' });
    free += 1;
    if (sent.kind === 'later') after(sent.afterMs + Math.floor(random() * lateMs), () => enqueue(next));
    else if (sent.kind === 'sent') {
      found.sent += 1;
      found.seconds = (clock.now - start) / 1_000;
      if (next.left > 1) enqueue({ ...next, left: next.left - 1 });
    } else throw new Error(`unexpected result: ${sent.kind}`);
    return work();
  }
  function enqueue(one: { chat: number; left: number }): void {
    queue.push(one);
    void work();
  }

  for (let chat = 1; chat <= chats; chat += 1) after(0, () => enqueue({ chat, left: each }));
  while (events.length > 0 && found.sent < expected) {
    clock.now = Math.max(clock.now, Math.min(...events.map(({ at }) => at)));
    const due = events.filter(({ at }) => at <= clock.now);
    for (const one of due) events.splice(events.indexOf(one), 1);
    for (const { run } of due) run();
    // Lets all promises settle that these events have resolved.
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Ends the sends to closed chats. Otherwise grammY would cut them off minutes later, during another test.
  isOver = true;
  for (const { run } of events.splice(0)) run();
  return found;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** 1,500 messages: 54 seconds at 28 a second. */
const CROWD = { chats: 500, each: 3 };

describe('with Telegram’s limits, sends everything in time with few refusals', () => {
  test.each<[string, Partial<CrowdOptions>, { seconds: number; refused: number }]>([
    ['with few concurrent sends', {}, { seconds: 54, refused: 1 }],
    [
      'with one send at a time and immediate responses',
      { atOnce: 1, latencyMs: 0 },
      { seconds: 54, refused: 1 },
    ],
    ['with responses that take half a second', { latencyMs: 500, atOnce: 30 }, { seconds: 56, refused: 60 }],
    ['with all sends at once', { atOnce: 500 }, { seconds: 56, refused: 1 }],
    ['to three thousand chats', { chats: 3_000, each: 1 }, { seconds: 108, refused: 1 }],
  ])('%s', async (_, how, most) => {
    const crowd = { ...CROWD, ...how };
    const found = await sendToCrowd(crowd);
    expect(found).toMatchObject({ sent: crowd.chats * crowd.each, tooSoon: 0 });
    expect(found.seconds).toBeLessThan(most.seconds);
    expect(found.refused).toBeLessThan(most.refused);
  });
});

test('sends everything if Telegram accepts fewer messages than usual', async () => {
  const found = await sendToCrowd({ ...CROWD, perSecond: 10 });
  expect(found).toMatchObject({ sent: 1_500, tooSoon: 0 });
  expect(found.seconds).toBeLessThan(250);
  expect(found.refused).toBeLessThan(1_000);
});

test('sends everything after a minute of 429s, none too early', async () => {
  const found = await sendToCrowd({ ...CROWD, downMs: 60_000 });
  expect(found).toMatchObject({ sent: 1_500, tooSoon: 0 });
  expect(found.seconds).toBeLessThan(150);
  // Two requests a second during that minute.
  expect(found.refused).toBeLessThan(180);
});

describe('chats that always refuse do not delay others:', () => {
  test.each([
    [2, 20, 1],
    [5, 20, 1],
    [2, 400, 1],
    [5, 400, 1],
    [5, 400, 30],
  ])('%i such chats, among %i others, with a 429 of %i seconds', async (closed, others, retryAfterS) => {
    const found = await sendToCrowd({
      chats: closed + others,
      closed,
      each: 1,
      perSecond: 1_000_000,
      retryAfterS,
    });
    expect(found).toMatchObject({ sent: others, tooSoon: 0 });
    const messages = others + found.refused;
    expect(found.seconds).toBeLessThan(messages / MAX_PER_SECOND + 0.2);
    expect(found.refused).toBeLessThanOrEqual(closed * (1 + found.seconds / retryAfterS));
  });

  test.each([0, 60_000])('with a global limit, after %i ms without an accepted message', async (downMs) => {
    const found = await sendToCrowd({ chats: 405, closed: 5, each: 5, downMs });
    expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
    expect(found.seconds - downMs / 1_000).toBeLessThan(92);
    expect(found.refused).toBeLessThan(downMs === 0 ? 80 : 350);
  });
});

test.each([1, 30])('causes few refusals with a limit whose 429 requests %i seconds', async (retryAfterS) => {
  const found = await sendToCrowd({ chats: 400, each: 5, retryAfterS });
  expect(found).toMatchObject({ sent: 2_000, tooSoon: 0 });
  expect(found.seconds).toBeLessThan(72 + retryAfterS);
  expect(found.refused).toBeLessThan(30);
});
