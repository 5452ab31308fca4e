import { createAdaptiveRateLimiter } from '../../src/telegram/rate-limiter.ts';

/** Number of chats that may refuse without slowing down others. */
export const HANDFUL = 5;
export const WITHOUT_END = 5_000;

/** Opens a pace with a clock that the test controls. A chat that isn't named is a new one. */
export function openPace() {
  const clock = { now: 1_000_000 };
  const pace = createAdaptiveRateLimiter({ now: () => clock.now });
  let chats = 0;
  const newChat = () => {
    chats += 1;
    return chats;
  };
  const send = (to = newChat()) => {
    const ms = pace.acquire(to);
    if (ms === 0) pace.onSent(to);
    return ms;
  };
  const refuse = (to = newChat()) => {
    const ms = pace.acquire(to);
    if (ms === 0) pace.onRateLimited(to, clock.now);
    return ms;
  };
  /** Makes Telegram accept `taken` messages within a second and refuse more. */
  const learn = (taken: number) => {
    for (let count = 0; count < taken; count += 1) send();
    for (let count = 0; count <= HANDFUL; count += 1) refuse();
  };
  /** Returns how many new chats may send within the next second. */
  const perSecond = () => {
    let count = 0;
    while (count < WITHOUT_END && send() < 1_000) count += 1;
    return count;
  };
  const due: { at: number; chat: number }[] = [];
  /**
   * Returns how many messages are sent within `ms` if a new chat is added every 20 ms and all return at their times.
   */
  const through = (ms: number, ask = send) => {
    let count = 0;
    for (const end = clock.now + ms; clock.now < end; clock.now += 20) {
      due.push({ at: clock.now, chat: newChat() });
      for (const one of due.filter(({ at }) => at <= clock.now)) {
        const wait = ask(one.chat);
        one.at = wait === 0 ? Number.POSITIVE_INFINITY : clock.now + wait;
        if (wait === 0) count += 1;
      }
    }
    return count;
  };
  return { clock, pace, send, refuse, learn, perSecond, through };
}
