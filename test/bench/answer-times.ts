import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chat } from '../chaos/chat.ts';

export interface Times {
  median: number;
  p95: number;
  worst: number;
  /** Number of users without a response in time. They count with the full timeout. */
  unanswered: number;
}

/**
 * Measures how long each user waits for the response to `/start`, in milliseconds. One user starts every `everyMs`.
 */
export async function startTimes(
  chats: Chat[],
  { everyMs, patienceMs }: { everyMs: number; patienceMs: number },
): Promise<Times> {
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const waits = chats.map(async (chat, at) => {
    await delay(at * everyMs);
    const asked = performance.now();
    const said = await chat.say('/start');
    const isAnswer = () => chat.messages().some((m) => m.from === 'bot' && m.message_id > said) || undefined;
    const answered = await chat.until(isAnswer, patienceMs, never);
    return answered ? performance.now() - asked : patienceMs;
  });
  const times = (await Promise.all(waits)).sort((a, b) => a - b);
  const quantile = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return {
    median: quantile(0.5),
    p95: quantile(0.95),
    worst: times.at(-1) ?? 0,
    unanswered: times.filter((ms) => ms >= patienceMs).length,
  };
}
