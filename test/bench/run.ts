import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { asProcess, say as sayLine } from '../support/script.ts';
import { measureAlone } from './alone.ts';
import { type RedisWorld, startBench, withRedis } from './bench-world.ts';
import { measureLoaded } from './compared.ts';
import { installPeers } from './install-peers.ts';
import { measureEvents, measureKilled, measureStream } from './loads.ts';
import { measurePaired, pairedReport } from './paired.ts';
import { measurePerceived } from './perceived.ts';
import type { RecordedReplies } from './recorded-replies.ts';
import {
  cpuReport,
  eventsReport,
  keptReport,
  killedReport,
  perceivedReport,
  roundTripReport,
  scrapedReport,
  streamReport,
  sustainedReport,
} from './report.ts';
import { measureScraped } from './scraped.ts';
import { FULL, QUICK } from './sizes.ts';
import { measureStarted, startedReport } from './started.ts';
import { measureSustained } from './sustained.ts';

const OPTIONS = {
  quick: { type: 'boolean' },
  json: { type: 'string' },
  /** Names of the parts to run, separated by commas. The parts `sustained`, `scraped` and `paired` run only if they are named. */
  only: { type: 'string', default: 'started,perceived,alone,loaded,stream,events,killed' },
  /** Folder of another checkout, for the part `paired`. */
  against: { type: 'string' },
  /** Response times of Telegram and of the service in the first part, in milliseconds. */
  'telegram-ms': { type: 'string', default: '100' },
  'rental-ms': { type: 'string', default: '200' },
} as const;

async function bench(): Promise<number> {
  const { quick, json, only, against = '', ...given } = parseArgs({ options: OPTIONS }).values;
  const delays = { telegramMs: Number(given['telegram-ms']), rentalMs: Number(given['rental-ms']) };
  const sizes = quick ? QUICK : FULL;
  const wanted = only.split(',');
  const { bench, counts: logged } = await startBench();
  const seconds: Record<string, number> = {};
  const all: Record<string, unknown> = { sizes, logged, seconds };
  let replies: RecordedReplies = {};

  async function part<T>(
    name: string,
    measure: (world: RedisWorld) => Promise<T>,
    reports: ((measured: T) => string)[],
  ): Promise<void> {
    if (!wanted.includes(name)) return;
    const began = performance.now();
    const measured = await withRedis(measure);
    seconds[name] = Math.round((performance.now() - began) / 1000);
    all[name] = measured;
    for (const report of reports) say(report(measured));
  }

  async function alone(world: RedisWorld) {
    const measured = await measureAlone(bench, world, sizes);
    replies = measured.replies;
    return { idle: measured.idle, steps: measured.steps, kept: measured.kept };
  }

  const isCompared = ['perceived', 'loaded'].some((name) => wanted.includes(name));
  const peers = isCompared ? await installPeers() : [];
  // The floor replays what the bot did in this part.
  if (wanted.includes('loaded')) wanted.push('alone');
  await part('started', (world) => measureStarted(bench, world, sizes), [startedReport]);
  await part('perceived', (world) => measurePerceived(bench, world, sizes, { delays, peers }), [
    perceivedReport,
  ]);
  await part('alone', alone, [roundTripReport, keptReport]);
  await part('loaded', (world) => measureLoaded(bench, world, sizes, { replies, peers }), [cpuReport]);
  await part('paired', (world) => measurePaired(bench, world, sizes, against), [pairedReport]);
  await part('stream', (world) => measureStream(bench, world, sizes), [streamReport]);
  await part('sustained', (world) => measureSustained(bench, world, sizes), [sustainedReport]);
  await part('scraped', (world) => measureScraped(bench, world, sizes), [scrapedReport]);
  await part('events', (world) => measureEvents(bench, world, sizes), [eventsReport]);
  await part('killed', (world) => measureKilled(bench, world, sizes), [killedReport]);
  for (const [said, count] of Object.entries(logged)) say(`Logged ${count} times: ${said}`);
  const took = Object.entries(seconds).map(([name, count]) => `${name} ${count}`);
  say(`Duration in seconds: ${took.join(', ')}.`);
  if (json) await writeFile(json, `${JSON.stringify(all, null, 2)}\n`);
  bench.standIns.stop();
  return 0;
}

const say = (text: string) => sayLine(`${text}\n`);

// Each started process adds a listener for the exit of this one.
process.setMaxListeners(0);
asProcess(bench);
