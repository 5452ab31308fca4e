import { createLearnedPace } from '../../src/telegram/learned-pace.ts';

/** So many chats may object, and nobody is slowed down. */
export const HANDFUL = 5;
export const WITHOUT_END = 5_000;

/** A pace, by a clock that the test moves. A chat that isn't named is a new one, which has had no message before. */
export function openPace() {
  const clock = { now: 1_000_000 };
  const pace = createLearnedPace({ now: () => clock.now });
  let chats = 0;
  const newChat = () => {
    chats += 1;
    return chats;
  };
  const send = (to = newChat()) => {
    const ms = pace.take(to);
    if (ms === 0) pace.sent(to);
    return ms;
  };
  const refuse = (to = newChat()) => {
    const ms = pace.take(to);
    if (ms === 0) pace.refused(to, clock.now);
    return ms;
  };
  /** Has Telegram take so many messages within a second, and object to more. */
  const learn = (taken: number) => {
    for (let count = 0; count < taken; count += 1) send();
    for (let count = 0; count <= HANDFUL; count += 1) refuse();
  };
  /** How many of those who come for the first time are let through within the next second. */
  const perSecond = () => {
    let count = 0;
    while (count < WITHOUT_END && send() < 1_000) count += 1;
    return count;
  };
  const due: { at: number; chat: number }[] = [];
  /** How many are let through within so many milliseconds, of new chats, one every 20 ms, that come when they are told to. */
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
