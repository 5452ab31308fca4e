import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MAX_PER_SECOND } from '../../src/telegram/bulk-limit.ts';
import { createSeeding } from '../broadcast-kills/seeding.ts';
import { asProcess, say } from '../support/script.ts';
import { SECRET_KEY, startApp } from './app-process.ts';
import { prepare, type RedisWorld, startBench, withRedis } from './bench-world.ts';
import { FIRST_PERSON } from './identities.ts';
import { memoryOf } from './process-cpu.ts';
import type { StandIns } from './stand-ins-process.ts';
import { shown, table } from './table.ts';

const USAGE = `Loads one bot process for a long time and reports its memory minute by minute.

  npm run bench:soak                       an hour: 150 updates and 200 events a second, and a broadcast
  npm run bench:soak -- --minutes <count> --accounts <count> --rest <seconds>
`;

/** Each purchase is five updates. */
const PURCHASES_A_SECOND = 30;
const EVENTS_A_SECOND = 200;
const PATIENCE_MS = 60_000;
/** Duration of one part of the load, in seconds. All its events must be reported before the next part starts. */
const STRETCH_S = 300;
const SAMPLE_MS = 1_000;
const BROADCAST = 'soak';
const FIRST_OF_CROWD = 10_000_000;
const MB = 1_048_576;

interface Minute {
  mean: number;
  most: number;
  redis: number;
}

/** Runs purchases, events and a broadcast concurrently for some minutes, then leaves the process idle. */
async function soak(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      accounts: { type: 'string', default: '2000' },
      /** Idle time after the load, in seconds. */
      rest: { type: 'string', default: '180' },
      help: { type: 'boolean', default: false },
    },
  });
  const [minutes = 0, accounts = 0, rest = 0] = [values.minutes, values.accounts, values.rest].map(Number);
  if (values.help || !(minutes > 0 && accounts > 0 && rest >= 0)) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  const { bench, counts: logged } = await startBench();
  const { standIns } = bench;
  try {
    return await withRedis(async (world) => {
      const admin = FIRST_PERSON.app;
      const app = await startApp(bench, { redisUrl: world.url, adminIds: String(admin) });
      const group = { people: accounts, walks: accounts, atOnce: 24 };
      await prepare({ standIns }, { ...group, walk: 'link' });
      await prepare({ standIns }, { ...group, walk: 'reports' });
      const broadcast = await startBroadcast(world, admin, minutes * 60 * MAX_PER_SECOND);
      const memory = watchMemory(app.pid, world);
      const load = await loadFor(standIns, { accounts, seconds: minutes * 60 });
      const underLoad = memory.minutes();
      await delay(rest * 1000);
      const all = memory.stop();
      const { state, sent, total } = await broadcast.ended();
      say(memoryReport(all));
      say('');
      say(
        `purchases ${load.purchases} of ${load.begun}, failures ${JSON.stringify(load.failures)}, updates a second ${shown(load.updates / load.seconds)}`,
      );
      say(
        `events ${load.events}, ${shown(load.events / load.seconds)} a second, not reported ${load.unreported}, 99th percentile of the worst stretch ${shown(load.worstP99)} ms`,
      );
      say(
        `broadcast ${state}: ${sent} of ${total}, copies at Telegram ${await standIns.ask('copies', null)}`,
      );
      for (const [said, count] of Object.entries(logged)) say(`logged ${count} times: ${said}`);
      const [early, late] = [underLoad.slice(0, 10), underLoad.slice(-10)].map(meanOf);
      say(
        `memory in MB: at most ${shown(Math.max(...all.map(({ most }) => most)))}; on average ${shown(early ?? 0)} in the first ten minutes and ${shown(late ?? 0)} in the last ten; at rest ${shown(all.at(-1)?.mean ?? 0)}`,
      );
      await app.kill();
      return load.unreported === 0 && load.purchases === load.begun ? 0 : 1;
    });
  } finally {
    standIns.stop();
  }
}

async function loadFor(standIns: StandIns, { accounts, seconds }: { accounts: number; seconds: number }) {
  const failures: Record<string, number> = {};
  const sum = { begun: 0, purchases: 0, updates: 0, events: 0, unreported: 0, worstP99: 0, failures };
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  while (elapsed() < seconds) {
    const stretch = Math.max(1, Math.min(STRETCH_S, Math.round(seconds - elapsed())));
    const walks = PURCHASES_A_SECOND * stretch;
    const [walked, posted] = await Promise.all([
      standIns.ask('walk', {
        ...{ people: accounts, walks, perSecond: PURCHASES_A_SECOND, walk: 'purchase' as const },
      }),
      standIns.ask('postMixed', {
        ...{ count: EVENTS_A_SECOND * stretch, perSecond: EVENTS_A_SECOND, patienceMs: PATIENCE_MS },
      }),
    ]);
    sum.begun += walks;
    sum.purchases += walked.walks;
    sum.updates += walked.updates;
    sum.events += posted.count;
    sum.unreported += posted.unreported;
    sum.worstP99 = Math.max(sum.worstP99, posted.cards.p99);
    for (const [why, count] of Object.entries(walked.failures)) failures[why] = (failures[why] ?? 0) + count;
    say(
      `after ${shown(Math.round(elapsed()))} s: purchases ${sum.purchases}, events ${sum.events}, not reported ${sum.unreported}`,
    );
  }
  return { ...sum, seconds: elapsed() };
}

/** Starts a broadcast that lasts as long as the load. */
async function startBroadcast(world: RedisWorld, admin: number, people: number) {
  const seeding = createSeeding({ redisUrl: world.url, secretKey: SECRET_KEY, admins: [admin] });
  await seeding.meet(FIRST_OF_CROWD, people);
  await seeding.start(BROADCAST, admin, 1);
  return {
    async ended() {
      const found = await seeding.find(BROADCAST);
      await seeding.close();
      return { state: found?.state ?? 'missing', sent: found?.sent ?? 0, total: found?.total ?? 0 };
    },
  };
}

/** Samples the memory of the process every second and summarizes it per minute, together with that of Redis. */
function watchMemory(pid: number, { redis }: RedisWorld) {
  const done: Minute[] = [];
  let current: number[] = [];
  async function sample(): Promise<void> {
    current.push(memoryOf(pid) / MB);
    if (current.length < 60_000 / SAMPLE_MS) return;
    const taken = current;
    current = [];
    const [, used = '0'] = /^used_memory:(\d+)/m.exec(await redis.info('memory')) ?? [];
    done.push({ mean: mean(taken), most: Math.max(...taken), redis: Number(used) / MB });
  }
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  return {
    minutes: () => [...done],
    stop() {
      clearInterval(timer);
      return done;
    },
  };
}

function memoryReport(minutes: readonly Minute[]): string {
  const rows = minutes.flatMap(({ mean, most, redis }, at) =>
    (at + 1) % 5 === 0 || at + 1 === minutes.length ? [[`${at + 1}`, mean, most, redis]] : [],
  );
  return table(['minute', 'memory of the process, MB', 'at most', 'memory of Redis, MB'], rows);
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
const meanOf = (minutes: readonly Minute[]) => mean(minutes.map((one) => one.mean));

asProcess(soak);
