import { setTimeout as delay } from 'node:timers/promises';
import { floodUpdate } from '../chaos/flood.ts';
import { createPerson } from '../chaos/person.ts';
import { createRandom } from '../sandbox/conservation/random.ts';
import { findButton } from '../support/person.ts';
import type { BenchWorld } from './world.ts';

/** Starts a flood. Returns a function that ends it. */
export type Flood = (world: BenchWorld) => Promise<() => void>;

const TAPS = 38;
const UPDATES = 10_000;
const HANGING_MS = 600_000;
const LONGEST_BACKOFF_MS = 60_000;

/** Taps on *Account* while the service does not respond, fewer than the bot's flood limit. */
export const tapsWhileTheServiceHangs: Flood = async ({ flooder, sandbox }) => {
  const acts = { taps: [], begun: 0, givenUp: 0 };
  const never = new AbortController().signal;
  const person = createPerson({ chat: flooder, random: createRandom(1), acts, signal: () => never });
  await person.link();
  const menu = await person.below(await person.say('/start'), 'What would you like');
  if (menu) await person.tap(menu, 'More');
  const button = await person.waits(() => findButton(flooder.messages(), 'Account'));
  if (button === undefined) throw new Error('there is no Account button');
  const [message, { data = '' }] = button;
  await sandbox.control('POST', '/sandbox/rental/faults', {
    endpoint: 'GET /account/profile',
    kind: 'latency',
    ms: HANGING_MS,
    times: 1_000,
  });
  await Promise.all(Array.from({ length: TAPS }, () => flooder.tap(message.message_id, data)));
  return () => undefined;
};

/** Queues ten thousand messages at Telegram for polling. */
export const updatesPolled: Flood = async ({ flooder, sandbox }) => {
  await sandbox.control('POST', '/chaos/flood', { chat: flooder.id, count: UPDATES });
  return () => undefined;
};

/**
 * Pushes ten thousand messages over `connections` connections and retries each after 1, 2, 4 … seconds. Telegram uses
 * one connection per chat and forty in total.
 */
export function updatesPushed(connections: number): Flood {
  return async ({ flooder, sandbox, bot }) => {
    const calls = await sandbox.control<{ params: { url?: string; secret_token?: string } }[]>(
      'GET',
      '/sandbox/telegram/calls?method=setWebhook',
    );
    const { url = '', secret_token = '' } = calls.at(-1)?.params ?? {};
    const target = `${bot}${new URL(url).pathname}`;
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret_token };
    const ending = new AbortController();
    const { signal } = ending;
    let next = 0;

    async function push(at: number): Promise<void> {
      const body = JSON.stringify({ update_id: 5_000_000 + at, ...floodUpdate(flooder.id, at) });
      for (let wait = 1_000; !signal.aborted; wait = Math.min(2 * wait, LONGEST_BACKOFF_MS)) {
        const response = await fetch(target, { method: 'POST', headers, body }).catch(() => undefined);
        await response?.text().catch(() => undefined);
        if (response?.ok) return;
        await delay(wait, undefined, { signal }).catch(() => undefined);
      }
    }

    async function lane(): Promise<void> {
      while (next < UPDATES && !signal.aborted) await push(next++);
    }
    void Promise.all(Array.from({ length: connections }, lane));
    return () => ending.abort();
  };
}
