import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureAlone } from './alone.ts';
import { type Bench, type RedisWorld, withRedis } from './bench-world.ts';
import { measureLoaded } from './compared.ts';
import { measureEvents } from './eventful.ts';
import { measureKilled } from './killed.ts';
import { cpuReport, keptReport, roundTripReport, waitingReport } from './report.ts';
import { eventsReport, killedReport, streamReport } from './report-loads.ts';
import { FULL, QUICK } from './sizes.ts';
import { startStandIns } from './stand-ins-process.ts';
import { measureStarts } from './starting.ts';
import { measureStream } from './streaming.ts';

async function bench(): Promise<number> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
  const sizes = values.quick ? QUICK : FULL;
  const standIns = await startStandIns();
  const logged: Record<string, number> = {};
  const bench: Bench = {
    standIns,
    origin: await standIns.ask('origin', null),
    logged(line) {
      const [, said = line] = /"msg":"([^"]*)"/.exec(line) ?? [];
      logged[said] = (logged[said] ?? 0) + 1;
    },
  };
  const seconds: Record<string, number> = {};
  async function part<T>(name: string, measure: (world: RedisWorld) => Promise<T>): Promise<T> {
    const began = performance.now();
    const measured = await withRedis(measure);
    seconds[name] = Math.round((performance.now() - began) / 1000);
    return measured;
  }

  const { replies, ...alone } = await part('alone', (world) => measureAlone(bench, world, sizes));
  say(roundTripReport(alone));
  say(keptReport(alone));
  const starting = await part('starts', (world) => measureStarts(bench, world, sizes.starts));
  const loaded = await part('loaded', (world) => measureLoaded(bench, world, sizes, replies));
  say(cpuReport(loaded));
  say(waitingReport(loaded, starting));
  const streamed = await part('stream', (world) => measureStream(bench, world, sizes));
  say(streamReport(streamed));
  const eventful = await part('events', (world) => measureEvents(bench, world, sizes));
  say(eventsReport(eventful));
  const killed = await part('killed', (world) => measureKilled(bench, world, sizes));
  say(killedReport(killed));
  for (const [said, count] of Object.entries(logged)) say(`Logged ${count} times: ${said}`);
  say(
    `Seconds that it took: ${Object.entries(seconds)
      .map((one) => one.join(' '))
      .join(', ')}.`,
  );
  const all = { sizes, seconds, logged, alone, starting, loaded, streamed, eventful, killed };
  if (values.json) await writeFile(values.json, `${JSON.stringify(all, null, 2)}\n`);
  standIns.stop();
  return 0;
}

function say(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
bench().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
