import { Api } from 'grammy';
import { BotApiError } from '../../src/sandbox/telegram/bot-api-error.ts';
import { createRateLimiter } from '../../src/sandbox/telegram/rate-limiter.ts';
import type { TelegramRequest } from '../../src/telegram/fetch.ts';
import { createChatHolds, createSender } from '../../src/telegram/sender.ts';
import { TOKEN } from '../support/telegram-stub.ts';

export interface CrowdOptions {
  chats: number;
  /** Messages per chat, sent one after another. */
  each: number;
  perSecond?: number;
  /** Concurrent sends. */
  atOnce?: number;
  /** Duration of a response, in milliseconds. */
  latencyMs?: number;
  /** Maximum random delay of a retry after its time, in milliseconds. */
  lateMs?: number;
  /** Initial period in which every call gets a 429, in milliseconds. */
  downMs?: number;
  /** Number of chats that always refuse, counted from the first. No messages are expected to reach them. */
  closed?: number;
  /** Minimum delay that a 429 requests, in seconds. */
  retryAfterS?: number;
  seed?: number;
}

/** Sends messages to many chats through a simulated Telegram with limits. Time jumps from one event to the next. */
export async function sendToCrowd(options: CrowdOptions) {
  const {
    chats,
    each,
    perSecond = 30,
    atOnce = 10,
    latencyMs = 50,
    lateMs = 0,
    downMs = 0,
    closed = 0,
    retryAfterS = 1,
    seed = 1,
  } = options;
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

  const fetch = async (_url: string | URL, { body }: TelegramRequest) => {
    const answer = answerTo(JSON.parse(String(body)).chat_id);
    await new Promise<void>((resolve) => after(latencyMs, resolve));
    return { ok: true, status: 200, json: async () => answer };
  };
  const sender = createSender({ api: new Api(TOKEN, { fetch }), holds: createChatHolds({ now }), now });

  let free = atOnce;
  const queue: { chat: number; left: number }[] = [];
  async function work(): Promise<void> {
    const next = free > 0 ? queue.shift() : undefined;
    if (next === undefined) return;
    free -= 1;
    const sent = await sender.send(next.chat, { html: 'x' });
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
  return found;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
