import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createBots } from '../chaos/bots.ts';
import { type Chat, followChat } from '../chaos/chat.ts';
import { floodUpdate } from '../chaos/flood.ts';
import { createHealth } from '../chaos/health.ts';
import { FIRST_PERSON } from '../chaos/people.ts';
import { createPerson } from '../chaos/person.ts';
import { type SandboxProcess, startSandbox } from '../chaos/sandbox-process.ts';
import { fixedPart } from '../support/locales.ts';
import { findButton } from '../support/person.ts';
import { createRandom } from '../support/random.ts';
import { startRedis } from '../support/redis-process.ts';
import { runOptions } from '../support/run-options.ts';
import { asProcess, say } from '../support/script.ts';
import { quantile } from './slices.ts';
import { table } from './table.ts';

/** Starts a flood. Returns a function that ends it. */
type Flood = (world: BenchWorld) => Promise<() => void>;

const USAGE = `Measures how long users wait for the response to /start, without and during a flood by another user.

  npm run bench:flood                                      150 users, 10,000 updates, all floods
  npm run bench:flood -- --people <count> --updates <count> --floods <count>
`;

const TAPS = 38;
const HANGING_MS = 600_000;
const LONGEST_BACKOFF_MS = 60_000;

/** Taps on *Account* while the service does not respond, fewer than the bot's flood limit. */
const tapsWhileTheServiceHangs: Flood = async ({ flooder, sandbox }) => {
  const acts = { taps: [], begun: 0, givenUp: 0 };
  const never = new AbortController().signal;
  const person = createPerson({ chat: flooder, random: createRandom(1), acts, signal: () => never });
  await person.link();
  const menu = await person.below(await person.say('/start'), fixedPart('menu-title'));
  if (menu) await person.tap(menu, fixedPart('button-more'));
  const button = await person.waits(() => findButton(flooder.messages(), fixedPart('button-account')));
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

/** Queues many messages at Telegram for polling. */
const updatesPolled: Flood = async ({ flooder, sandbox, updates }) => {
  await sandbox.control('POST', '/chaos/flood', { chat: flooder.id, count: updates });
  return () => undefined;
};

/**
 * Pushes many messages over `connections` connections and retries each after 1, 2, 4 … seconds. Telegram uses
 * one connection per chat and forty in total.
 */
function updatesPushed(connections: number): Flood {
  return async ({ flooder, sandbox, bot, updates }) => {
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
      while (next < updates && !signal.aborted) await push(next++);
    }
    void Promise.all(Array.from({ length: connections }, lane));
    return () => ending.abort();
  };
}

interface Times {
  median: number;
  p95: number;
  worst: number;
  /** Number of users without a response in time. They count with the full timeout. */
  unanswered: number;
}

/**
 * Measures how long each user waits for the response to `/start`, in milliseconds. One user starts every `everyMs`.
 */
async function startTimes(
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
  const times = await Promise.all(waits);
  return {
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    worst: quantile(times, 1),
    unanswered: times.filter((ms) => ms >= patienceMs).length,
  };
}

interface BenchWorld {
  sandbox: SandboxProcess;
  /** Address of the bot itself. */
  bot: string;
  flooder: Chat;
  others: Chat[];
  /** Number of updates of a flood. */
  updates: number;
}

/** Runs a bot in a separate process with its own Redis, `people` users and one user who floods. */
async function inBenchWorld<T>(
  { push, people, updates }: { push: boolean; people: number; updates: number },
  measure: (world: BenchWorld) => Promise<T>,
): Promise<T> {
  const logs = await mkdtemp(join(tmpdir(), 'rental-bot-bench-'));
  const sandbox = await startSandbox(people + 1);
  const redis = await startRedis();
  const health = createHealth();
  const bots = createBots({ origin: sandbox.origin, redisUrl: redis.url, logs, health, logLevel: 'warn' });
  const chats: Chat[] = [];
  try {
    const [bot = ''] = await bots.start({ name: 'bench', push, replicas: 1 });
    await sandbox.control('POST', '/chaos/bots', { origins: [bot] });
    for (let at = 0; at <= people; at++) chats.push(await followChat(sandbox.origin, FIRST_PERSON + at));
    const [flooder, ...others] = chats;
    if (flooder === undefined) throw new Error('there are no users');
    return await measure({ sandbox, bot, flooder, others, updates });
  } finally {
    for (const chat of chats) chat.leave();
    await bots.stop();
    await redis.stop();
    sandbox.stop();
    await rm(logs, { recursive: true, force: true });
  }
}

const PACE = { everyMs: 70, patienceMs: 60_000 };
/** Maximum ratio of the 95th percentile during a flood to the one without a flood. */
const AIM = 3;

interface Row {
  name: string;
  push: boolean;
  flood: Flood;
  /** Worse than what Telegram does. Reported, but not part of the aim. */
  beyond?: true;
}

const ROWS: Row[] = [
  { name: 'polling, 38 taps while the service hangs', push: false, flood: tapsWhileTheServiceHangs },
  { name: 'webhooks, many updates at once', push: true, flood: updatesPushed(1) },
  { name: 'polling, many updates at once', push: false, flood: updatesPolled },
  { name: 'webhooks, 38 taps while the service hangs', push: true, flood: tapsWhileTheServiceHangs },
  { name: 'webhooks, the same on 40 connections', push: true, flood: updatesPushed(40), beyond: true },
];

async function bench(): Promise<number> {
  const options = runOptions(USAGE, { people: 150, updates: 10_000, floods: ROWS.length });
  if (typeof options === 'number') return options;
  const { people, updates, floods } = options;
  say(
    `${people} users send /start, one every ${PACE.everyMs} ms; ${updates} updates; times in ms, limited to ${PACE.patienceMs}`,
  );
  const rows: (string | number)[][] = [];
  let isWithin = true;
  for (const { name, push, flood, beyond } of ROWS.slice(0, floods)) {
    const { quiet, flooded } = await inBenchWorld({ push, people, updates }, async (world) => {
      await startTimes(world.others, PACE);
      const quiet = await startTimes(world.others, PACE);
      const end = await flood(world);
      const flooded = await startTimes(world.others, PACE);
      end();
      return { quiet, flooded };
    });
    const ratio = flooded.p95 / quiet.p95;
    if (!beyond && ratio > AIM) isWithin = false;
    const { median, p95, worst, unanswered } = flooded;
    rows.push([name, quiet.median, quiet.p95, median, p95, worst, unanswered, ratio]);
    say(`measured: ${name}`);
  }
  const head = ['', 'quiet: median', 'p95', 'flood: median', 'p95', 'worst', 'unanswered', 'p95 ÷ quiet'];
  say(table(head, rows));
  say(`The aim, ${AIM} × quiet at the 95th percentile, is ${isWithin ? 'met' : 'missed'}.`);
  return isWithin ? 0 : 1;
}

asProcess(bench);
