import { setTimeout as delay } from 'node:timers/promises';
import type { startSandbox } from '../event-kills/sandbox.ts';

/** Time between two taps of an unhurried user, in milliseconds. */
const EVERY_MS = 2_000;
const LOOK_MS = 2;
const GIVEN_UP_MS = 10_000;

interface Call {
  method: string;
  params: { chat_id?: number | string; callback_query_id?: string };
}

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

export const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** Simulates a user who keeps tapping menu buttons, and measures how long each tap waits for its answer. */
export function createTaps(sandbox: Sandbox, chat: number, admins: readonly number[]) {
  const person = sandbox.people.find((one) => one.chat === chat);
  let menu = 0;
  let turn = 0;

  /** Opens and closes the help alternately, so that each tap edits one message. */
  async function tap(): Promise<number | undefined> {
    turn += 1;
    const at = performance.now();
    const { callback_id } = await sandbox.control<{ callback_id: string }>(
      'POST',
      `/telegram/chats/${chat}/taps`,
      { message_id: menu, data: turn % 2 === 1 ? 'help:open' : 'menu:open' },
    );
    while (performance.now() - at < GIVEN_UP_MS) {
      const calls = await sandbox.control<Call[]>('GET', '/telegram/calls?method=answerCallbackQuery');
      if (calls.some(({ params }) => params.callback_query_id === callback_id)) return performance.now() - at;
      await delay(LOOK_MS);
    }
    return undefined;
  }

  return {
    async begin(): Promise<void> {
      for (const one of sandbox.people.filter(({ chat: each }) => admins.includes(each)))
        await one.say('/start');
      await person?.say('/start');
      menu = (await person?.reads('Link it to begin'))?.message_id ?? 0;
    },
    async measure(count: number): Promise<number[]> {
      const times: number[] = [];
      while (times.length < count) {
        times.push((await tap()) ?? GIVEN_UP_MS);
        await delay(EVERY_MS / 10);
      }
      return times;
    },
    async measureUntil(isOver: () => boolean): Promise<number[]> {
      const times: number[] = [];
      while (!isOver()) {
        const took = await tap();
        // While the bot is down, taps get no answer, with or without a broadcast.
        if (took !== undefined) times.push(took);
        await delay(EVERY_MS);
      }
      return times;
    },
    /** Returns the number of progress edits for this admin that the sandbox still remembers. */
    async progressEdits(admin: number): Promise<number> {
      const calls = await sandbox.control<Call[]>('GET', '/telegram/calls?method=editMessageText');
      return calls.filter(({ params }) => Number(params.chat_id) === admin).length;
    },
  };
}
