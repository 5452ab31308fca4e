import { BY_NPM_START, startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import { mb, memoryOf, readCpu } from './process-cpu.ts';
import type { Sizes } from './sizes.ts';
import { spreadOf } from './slices.ts';
import { table } from './table.ts';

/** Ways to start the app, and the arguments of Node. */
const WAYS: Record<string, string[]> = {
  'npm start': BY_NPM_START,
  'the bundle with source maps': ['--enable-source-maps', 'dist/main.js'],
  'the bundle without source maps': ['dist/main.js'],
  'the sources with tsx': ['--import', 'tsx', 'src/main.ts'],
};

/** Cost of a start until the app has answered its first update: medians of CPU time in milliseconds and of memory in MB. */
export type StartCost = Record<'cpuMs' | 'memoryMb', number>;

/** Starts the app in each way, alternately. */
export async function measureStarted(
  bench: Bench,
  world: RedisWorld,
  { starts }: Sizes,
): Promise<Record<string, StartCost>> {
  const costs = Object.keys(WAYS).map((way) => ({ way, cpuMs: [] as number[], memoryMb: [] as number[] }));
  const user = { people: 1, walks: 1 };
  const linking = await startApp(bench, { redisUrl: world.url });
  await prepare(bench, { ...user, walk: 'link' });
  await linking.kill();
  for (let round = 0; round < starts; round++) {
    for (const { way, cpuMs, memoryMb } of costs) {
      const { pid, kill } = await startApp(bench, { redisUrl: world.url, command: WAYS[way] ?? [] });
      await prepare(bench, { ...user, walk: 'start' });
      cpuMs.push(1000 * (readCpu({ app: pid }).byProcess.app ?? 0));
      memoryMb.push(mb(memoryOf(pid)));
      await kill();
    }
  }
  const medians = costs.map(({ way, cpuMs, memoryMb }) => [
    way,
    { cpuMs: Math.round(spreadOf(cpuMs).median), memoryMb: spreadOf(memoryMb).median },
  ]);
  return Object.fromEntries(medians);
}

export function startedReport(costs: Record<string, StartCost>): string {
  const rows = Object.entries(costs).map(([way, { cpuMs, memoryMb }]) => [way, cpuMs, memoryMb]);
  return table(['Start until the first answered update', 'CPU, ms', 'memory, MB'], rows);
}
