import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { asProcess, say } from '../../support/script.ts';
import { startBench, withRedis } from '../bench-world.ts';
import { faultsOf, measureScale } from './measure.ts';
import { type Labelled, millionReport, scaleReport } from './report.ts';

const USAGE = `Fills a Redis with linked users, and measures what depends on their number.

  npm run bench:scale                                    10,000 linked users, some minutes
  npm run bench:scale -- --users <count> --service-delay <ms> --idle <seconds> --polls <seconds>
  npm run bench:scale -- --json <file> --label <text>    also writes the figures
  npm run bench:scale -- --show <file>,<file>            prints written figures in one table, and computes from the last
`;

const OPTIONS = {
  users: { type: 'string', default: '10000' },
  'service-delay': { type: 'string', default: '200' },
  idle: { type: 'string', default: '60' },
  polls: { type: 'string', default: '30' },
  json: { type: 'string' },
  label: { type: 'string', default: '' },
  show: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Settings of the shipped Redis that `startRedis` leaves at their defaults (compose.yaml). */
const AS_SHIPPED = ['--appendfsync', 'always'];
/** The users of a step are chosen from thirds of all users. */
const LEAST_USERS = 30;

async function bench(): Promise<number> {
  const { json, label, show, help, ...given } = parseArgs({ options: OPTIONS }).values;
  const [users = 0, serviceDelayMs = 0, idleSeconds = 0, pollSeconds = 0] = [
    given.users,
    given['service-delay'],
    given.idle,
    given.polls,
  ].map(Number);
  const areValid = [users - LEAST_USERS, serviceDelayMs, idleSeconds - 1, pollSeconds - 1].every(
    (n) => n >= 0,
  );
  if (help || !areValid) {
    process.stdout.write(USAGE);
    return help ? 0 : 2;
  }
  if (show !== undefined) {
    const all = show
      .split(',')
      .map(async (file): Promise<Labelled> => JSON.parse(await readFile(file, 'utf8')));
    report(await Promise.all(all));
    return 0;
  }
  const { bench, counts } = await startBench();
  const options = { users, serviceDelayMs, idleSeconds, pollSeconds };
  const measured = await withRedis((world) => measureScale(bench, world, options, say), AS_SHIPPED);
  bench.standIns.stop();
  const faults = faultsOf(measured);
  if (json)
    await writeFile(json, `${JSON.stringify({ label, measured, faults, logged: counts }, null, 2)}\n`);
  report([{ label, measured }]);
  for (const [line, count] of Object.entries(counts)) say(`Logged ${count} times: ${line}`);
  for (const fault of faults) say(`Fault: ${fault}`);
  say(`Faults: ${faults.length}.`);
  return faults.length === 0 ? 0 : 1;
}

function report(all: readonly Labelled[]): void {
  say(`\n${scaleReport(all)}\n`);
  const last = all.at(-1);
  if (last) say(`${millionReport(last.measured)}\n`);
}

// Each started process adds a listener for the exit of this one.
process.setMaxListeners(0);
asProcess(bench);
