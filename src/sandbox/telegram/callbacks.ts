import { badRequest } from './refusal.ts';

export interface Callbacks {
  /** Registers a tap in the chat. Returns the id of its callback query. */
  open(chatId: number): string;
  /** Accepts one answer per tap. Returns the chat of the tap. @throws Refusal */
  answer(id: string): number;
  reset(): void;
}

/** Period in which a tap can be answered, in milliseconds. Equals the time in which the sandbox delivers a callback query. */
const ANSWERABLE_MS = 150_000;

export function createCallbacks({ now }: { now: () => number }): Callbacks {
  const open = new Map<string, { chatId: number; at: number }>();
  let last = 3_000_000_000_000_000;
  /** Deletes expired taps. The map is ordered by age, oldest first. */
  const forgetOld = () => {
    for (const [id, { at }] of open) {
      if (now() - at <= ANSWERABLE_MS) return;
      open.delete(id);
    }
  };
  return {
    open(chatId) {
      forgetOld();
      last += 1;
      open.set(String(last), { chatId, at: now() });
      return String(last);
    },
    answer(id) {
      const tap = open.get(id);
      if (!tap || now() - tap.at > ANSWERABLE_MS) {
        throw badRequest('query is too old and response timeout expired or query ID is invalid');
      }
      open.delete(id);
      return tap.chatId;
    },
    reset: () => open.clear(),
  };
}
