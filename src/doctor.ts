import { type ComposeDoctor, composeDoctor } from './composition.ts';
import { ConfigError, readConfig } from './config.ts';
import { ignoreFailedOutput } from './shutdown.ts';

/** Option that prints only a JSON array. */
const JSON_OPTION = '--json';
/** Reason why nothing could be measured, as a result of the check `start`. */
const NOT_STARTED = 'Start the bot from its own folder, with its files complete.';

type Result = Awaited<ReturnType<ReturnType<ComposeDoctor>['examine']>>[number];

/** Measures all health checks once with the environment of the bot. Changes nothing, neither in Redis nor at Telegram. */
async function examine(): Promise<Result[]> {
  try {
    const doctor = composeDoctor(readConfig());
    return await doctor.examine().finally(doctor.close);
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [];
    const advice = 'Correct this variable; .env.example describes all of them.';
    if (faults.length > 0)
      return faults.map((finding) => ({ check: 'configuration', status: 'error', finding, advice }));
    return [{ check: 'start', status: 'error', finding: String(error), advice: NOT_STARTED }];
  }
}

function lineOf({ check, status, finding, advice }: Result): string {
  return [status.padEnd(10), check.padEnd(18), finding, advice].join(' ').trimEnd();
}

ignoreFailedOutput();
const results = await examine();
const isJson = process.argv.includes(JSON_OPTION);
process.stdout.write(
  isJson ? `${JSON.stringify(results, null, 2)}\n` : `${results.map(lineOf).join('\n')}\n`,
);
process.exitCode = results.some(({ status }) => status === 'error') ? 1 : 0;
