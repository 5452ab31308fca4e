import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/redis-process.ts';
import { startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import { readCpu } from './process-cpu.ts';
import type { Sizes } from './sizes.ts';
import { spreadOf } from './slices.ts';

export type Scraped = Awaited<ReturnType<typeof measureScraped>>;

const LINKING = { atOnce: 16 };
const CONCURRENCY = 24;
const DRAIN_TIMEOUT_MS = 60_000;

/**
 * Measures what metrics cost: of an update, in alternate slices of a process with metrics and one without, and of a
 * request for them every second, in alternate periods with requests and without.
 */
export async function measureScraped(bench: Bench, world: RedisWorld, sizes: Sizes) {
  const { standIns } = bench;
  const { people, menus: walks, slices } = sizes;
  const idleMs = sizes.idleMs / 2;
  const metricsPort = await freePort();
  const url = `http://127.0.0.1:${metricsPort}/metrics`;
  const without = await startApp(bench, { redisUrl: world.url });
  const publicUrl = without.origin;
  const measured = await startApp(bench, { redisUrl: world.url, metricsPort, publicUrl });

  /** Returns the CPU seconds of a process during `work`. */
  async function cpuOf(pid: number, work: () => Promise<unknown>): Promise<number> {
    const before = readCpu({ app: pid });
    await work();
    return (readCpu({ app: pid }).byProcess.app ?? 0) - (before.byProcess.app ?? 0);
  }

  /** Returns the CPU of an update in a slice of menu taps, in microseconds. */
  async function updateCost({ pid, origin }: typeof measured): Promise<number> {
    await standIns.ask('pushToReplica', { origin });
    let updates = 0;
    const seconds = await cpuOf(pid, async () => {
      ({ updates } = await standIns.ask('walk', { people, walk: 'menu', walks, atOnce: CONCURRENCY }));
    });
    return (1e6 * seconds) / updates;
  }

  /** Returns the CPU of the process with metrics while no user writes, as a share of one processor. */
  async function idleShare(isScraped: boolean): Promise<number> {
    const ends = performance.now() + idleMs;
    const seconds = await cpuOf(measured.pid, async () => {
      while (performance.now() < ends) {
        if (isScraped) await (await fetch(url)).text();
        await delay(1_000);
      }
    });
    return (1_000 * seconds) / idleMs;
  }

  try {
    await prepare(bench, { ...LINKING, people, walks: people, walk: 'link' });
    await prepare(bench, { ...LINKING, people, walks: people, walk: 'start' });
    await world.drained(DRAIN_TIMEOUT_MS);
    const updates: { without: number; measured: number }[] = [];
    // The first round is the warm-up.
    for (let round = 0; round <= slices; round++)
      updates.push({ without: await updateCost(without), measured: await updateCost(measured) });
    updates.shift();
    // Otherwise the processes would share the recurring work in varying parts.
    await without.kill();
    const idle: { quiet: number; scraped: number }[] = [];
    for (let round = 0; round <= slices; round++)
      idle.push({ quiet: await idleShare(false), scraped: await idleShare(true) });
    idle.shift();
    const response = await fetch(url);
    return {
      bytes: (await response.text()).length,
      updateMicroseconds: spreadOf(updates.map((one) => one.without)),
      updateRatio: spreadOf(updates.map((one) => one.measured / one.without)),
      idleShare: spreadOf(idle.map((one) => one.quiet)),
      scrapeShare: spreadOf(idle.map((one) => one.scraped - one.quiet)),
    };
  } finally {
    await without.kill();
    await measured.kill();
  }
}
