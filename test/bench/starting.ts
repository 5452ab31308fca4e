import { setTimeout as delay } from 'node:timers/promises';
import { startApp } from './app-process.ts';
import type { Bench, RedisWorld } from './bench-world.ts';
import { memoryOf } from './process-cpu.ts';
import { type Spread, spreadOf } from './slices.ts';

export interface Starting {
  /**
   * Time from the start of the process to the first response, in milliseconds. The user writes as soon as the webhook
   * is set.
   */
  firstWordsMs: Spread;
  /** Memory of the idle process after that, in bytes. */
  memory: Spread;
}

const FIRST = 99_000;
const REST_MS = 5_000;

/** Starts the app `starts` times. */
export async function measureStarts(bench: Bench, world: RedisWorld, starts: number): Promise<Starting> {
  const times: number[] = [];
  const memory: number[] = [];
  for (let start = 0; start < starts; start++) {
    const said = bench.standIns.ask('firstWords', { at: FIRST + start });
    const began = Date.now();
    const app = await startApp(bench, { redisUrl: world.url, until: 'started' });
    try {
      times.push((await said) - began);
      await delay(REST_MS);
      memory.push(memoryOf(app.pid));
    } finally {
      await app.kill();
    }
  }
  return { firstWordsMs: spreadOf(times), memory: spreadOf(memory) };
}
