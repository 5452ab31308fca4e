import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../support/redis-process.ts';
import { startApp } from '../app-process.ts';
import type { Bench, RedisWorld } from '../bench-world.ts';
import { FIRST_PERSON } from '../identities.ts';
import { mb, memoryOf } from '../process-cpu.ts';
import { shown } from '../table.ts';
import { guestsBeside, openFilling, usernameOf } from './filling.ts';
import { createProbe, sharesOf } from './probe.ts';
import { createStarts } from './starts.ts';
import { createWaits, type Wait } from './waits.ts';

export interface Options {
  /** Users with a linked account. */
  users: number;
  /** Response time of a slow service in milliseconds. 0: only an instant service is measured. */
  serviceDelayMs: number;
  /** Duration of the idle time, and of each measurement of polls. */
  idleSeconds: number;
  pollSeconds: number;
}

export type Measured = Awaited<ReturnType<typeof measureScale>>;

const ADMIN = 9_000_000;
const REPEATED = 3;

/** Fills a Redis and measures what depends on the number of users. */
export async function measureScale(
  bench: Bench,
  world: RedisWorld,
  { users, serviceDelayMs, idleSeconds, pollSeconds }: Options,
  say: (progress: string) => void,
) {
  const { standIns } = bench;
  const filling = openFilling({ redisUrl: world.url, rentalUrl: `${bench.origin}/api` });
  const probe = createProbe(world);
  const port = await freePort();
  const adminIds = String(FIRST_PERSON.app + ADMIN);
  const start = () => startApp(bench, { redisUrl: world.url, port, adminIds });

  async function fill() {
    const before = await probe.readData();
    const { used } = await probe.during(process.pid, () => filling.fill(users));
    const after = await probe.readData();
    const [bytes, keys] = [(after.bytes - before.bytes) / users, (after.keys - before.keys) / users];
    return { seconds: used.seconds, cpu: used.app, redisCpu: used.redis, bytes, keys };
  }

  async function measureIdle(pid: number) {
    await probe.settle();
    await standIns.ask('resetPolls', null);
    const { used } = await probe.during(pid, () => delay(1_000 * idleSeconds));
    const { polls } = await standIns.ask('polls', null);
    return { ...sharesOf(used), pollsPerSecond: polls / used.seconds, memoryMb: mb(memoryOf(pid)) };
  }

  /** Returns the first user of each third who speaks English, or one of the next. */
  const oneOfEachThird = (next: number) =>
    Array.from({ length: REPEATED }, (_, third) => ({
      at: 2 * Math.floor((third * users) / REPEATED / 2) + 2 * next,
    }));

  const erased = oneOfEachThird(2);
  const everybody = users + guestsBeside(users) + 1;
  function remarkOnCount(answer: string): string | undefined {
    const [, counted = 'nobody'] = /(?:All|Users): <b>([\d,]+)/.exec(answer) ?? [];
    return counted === shown(everybody) ? undefined : `counted ${counted} of ${shown(everybody)}`;
  }
  const remarkOnFound = (answer: string) => (answer.includes('👤 User') ? undefined : 'not found');

  async function measureWaits(app: Awaited<ReturnType<typeof start>>, idle: { app: number; redis: number }) {
    const { visits, readAll } = createWaits(bench, { world, probe, filling, app, idle });
    const admin = { at: ADMIN };
    const last = users - 1;
    // From this message on, the admin is one of the users.
    await standIns.ask('visit', { ...admin, visit: 'start' });
    return {
      counts: await visits('count', [admin], remarkOnCount),
      findByName: await visits('find', [{ ...admin, text: `@${usernameOf(last)}` }], remarkOnFound),
      findById: await visits('find', [{ ...admin, text: String(FIRST_PERSON.app + last) }], remarkOnFound),
      audience: await visits('audience', [admin], remarkOnCount),
      copy: await visits('copy', oneOfEachThird(1)),
      forget: await visits('forget', erased),
      readAll: await readAll(),
    } satisfies Record<string, Wait>;
  }

  try {
    // Starts before there are users: otherwise the polls after a start would last for hours.
    const app = await start();
    const filled = await fill();
    say(`filled in ${Math.round(filled.seconds)} s, with ${Math.round(filled.cpu)} s of CPU`);
    const idle = await measureIdle(app.pid);
    say('measured the idle process');
    const waits = await measureWaits(app, idle);
    await app.stop();
    say('measured what users and admins wait for');
    const accounts = new Set(Array.from({ length: users }, (_, at) => FIRST_PERSON.app + at));
    for (const { at } of erased) accounts.delete(FIRST_PERSON.app + at);
    const starts = createStarts(bench, { world, probe, filling, start, accounts, pollSeconds });
    await probe.settle();
    const instant = await starts.measure(0);
    const slow = serviceDelayMs > 0 ? await starts.measure(serviceDelayMs) : undefined;
    const invoices = await starts.measureInvoices(users);
    return {
      users,
      accounts: accounts.size,
      serviceDelayMs,
      filled,
      idle,
      waits,
      instant,
      ...(slow && { slow }),
      invoices,
    };
  } finally {
    await filling.close();
  }
}

/** Returns what must not happen at any number of users. */
export function faultsOf({ accounts, waits, instant, slow, invoices }: Measured): string[] {
  const remarks = Object.entries(waits).flatMap(([name, { remark }]) =>
    remark ? [`${name}: ${remark}`] : [],
  );
  const starts = [instant, ...(slow ? [slow] : [])].flatMap(({ firstPollSeconds, covered }) => [
    ...(firstPollSeconds === undefined ? ['no account was polled after a start'] : []),
    ...(covered < accounts
      ? [`${accounts - covered} of ${accounts} accounts weren't polled after a start`]
      : []),
  ]);
  const noInvoice = invoices.firstSeconds === undefined ? ['no invoice was polled after a start'] : [];
  return [...remarks, ...starts, ...noInvoice];
}
