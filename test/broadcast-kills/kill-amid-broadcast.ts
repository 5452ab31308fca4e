import { setTimeout as delay } from 'node:timers/promises';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { MAX_PER_SECOND } from '../../src/telegram/bulk-limit.ts';
import { mb, watchMemory } from '../bench/process-cpu.ts';
import { quantile } from '../bench/slices.ts';
import { startSandbox } from '../event-kills/sandbox.ts';
import { createVictim } from '../event-kills/victim.ts';
import { fixedPart } from '../support/locales.ts';
import { createRandom } from '../support/random.ts';
import { startRedis } from '../support/redis-process.ts';
import { createSeeding } from './seeding.ts';

interface Killing {
  /** Number of simulated recipients. */
  people: number;
  kills: number;
  seed: number;
  /** Path of the bundled `src/main.ts`. */
  file: string;
  progress?: (line: string) => void;
  onOutput?: (line: string) => void;
}

/** Telegram's limits (https://core.telegram.org/bots/faq), with its bursts in a chat. */
const LIMITS = { perSecond: 30, perChatPerSecond: 1 };
const FIRST = 10_000_000;
const POLL_MS = 1_000;
/** One of this many simulated users has blocked the bot, or deleted the account. */
const BLOCKED_EVERY = 50;
const DEACTIVATED_EVERY = 97;
const BASELINE = 30;

interface Crowd {
  reached: number;
  messages: number;
  more: [number, number][];
  missed_count: number;
}
interface Pace {
  refused: { overall: number; chat: number };
  most_in_a_second: number;
}

/** Sends a broadcast while the bot is killed at random, and counts the copies per recipient. */
export async function killAmidBroadcast({ people, kills, seed, file, progress, onOutput }: Killing) {
  const random = createRandom(seed);
  const redis = await startRedis();
  const sandbox = await startSandbox(4, { limits: LIMITS });
  const [admin = 0, other = 0, tapper = 0] = sandbox.ids;
  const victim = await createVictim({
    ...{ file, sandbox: sandbox.origin, redisUrl: redis.url },
    ...(onOutput && { onOutput }),
    env: { ADMIN_IDS: `${admin},${other}` },
  });
  const seeding = createSeeding({ redisUrl: redis.url, secretKey: victim.secretKey, admins: [admin, other] });
  const taps = createTaps(sandbox, tapper, [admin, other]);
  const memory = watchMemory(victim.pid, POLL_MS);
  let killed = 0;

  async function killAsCopied(): Promise<void> {
    await new Promise<void>((resolve) => {
      sandbox.onStep((step, when) => {
        if (step !== 'a copy is made' || when !== 'before') return;
        sandbox.onStep(undefined);
        void victim.kill().then(resolve);
      });
    });
  }

  async function killing(perKillMs: number, isOver: () => boolean): Promise<void> {
    while (killed < kills && !isOver()) {
      await delay(perKillMs * (0.5 + random.below(1_000) / 1_000));
      if (isOver()) return;
      await (random.below(2) === 0 ? killAsCopied() : victim.kill());
      killed += 1;
      victim.start();
      await victim.ready();
    }
  }

  try {
    await sandbox.inFrontOf(victim.origin);
    victim.start();
    await victim.ready();
    await sandbox.control('POST', '/telegram/crowd', {
      ...{ first_id: FIRST, count: people },
      ...{ blocked_every: BLOCKED_EVERY, deactivated_every: DEACTIVATED_EVERY },
    });
    await seeding.meet(FIRST, people);
    await taps.begin();
    const before = await taps.measure(BASELINE);
    const source = await sandbox.control<{ message_id: number }>(
      'POST',
      `/telegram/chats/${admin}/messages`,
      { text: 'Energy is cheaper from Monday on.' },
    );
    await seeding.start('kills', admin, source.message_id);
    const begun = Date.now();
    let ended: Broadcast | undefined;
    const isOver = () => ended !== undefined;
    const kills$ = killing((people / MAX_PER_SECOND / (kills + 1)) * 1_000, isOver);
    const during = taps.measureUntil(isOver);
    let said = 0;
    while (ended === undefined) {
      await delay(POLL_MS);
      const present = await seeding.find('kills');
      if (present && ['done', 'stopped', 'paused', 'missed'].includes(present.state)) ended = present;
      if (present && Date.now() - said > 60_000) {
        said = Date.now();
        progress?.(
          `${Math.round((said - begun) / 1_000)} s: ${present.settled} of ${present.total}, kills ${killed}`,
        );
      }
    }
    const seconds = (Date.now() - begun) / 1_000;
    await kills$;
    const answered = await during;
    const crowd = await sandbox.control<Crowd>('GET', '/telegram/crowd');
    const pace = await sandbox.control<Pace>('GET', '/telegram/pace');
    return {
      ...{ people, kills: killed, seconds, ended, fell: victim.fell() },
      reached: crowd.reached,
      missed: crowd.missed_count,
      twice: crowd.more.filter(([, times]) => times === 2).length,
      more: crowd.more.filter(([, times]) => times > 2).length,
      ...{ refused: pace.refused, mostInASecond: pace.most_in_a_second },
      taps: { before: quantile(before, 0.5), during: quantile(answered, 0.5), count: answered.length },
      edits: await taps.progressEdits(other),
      memory: { most: mb(memory.most()), last: mb(memory.last()) },
    };
  } finally {
    memory.stop();
    await victim.kill();
    await seeding.close();
    sandbox.stop();
    await redis.stop();
  }
}

/** Time between two taps of an unhurried user, in milliseconds. */
const EVERY_MS = 2_000;
const TAP_POLL_MS = 2;
const GIVEN_UP_MS = 10_000;

interface Call {
  method: string;
  params: { chat_id?: number | string; callback_query_id?: string };
}

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Simulates a user who keeps tapping menu buttons, and measures how long each tap waits for its answer. */
function createTaps(sandbox: Sandbox, chat: number, admins: readonly number[]) {
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
      await delay(TAP_POLL_MS);
    }
    return undefined;
  }

  return {
    async begin(): Promise<void> {
      for (const one of sandbox.people.filter(({ chat: each }) => admins.includes(each)))
        await one.say('/start');
      await person?.say('/start');
      menu = (await person?.reads(fixedPart('menu-guest')))?.message_id ?? 0;
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
