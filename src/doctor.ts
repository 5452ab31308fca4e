import { composeDoctor } from './composition.ts';
import { ConfigError, mistypedNames, readConfig } from './config.ts';
import type { CheckResult } from './health/examine.ts';
import { ignoreFailedOutput } from './shutdown.ts';

/** Option that prints only a JSON array. */
const JSON_OPTION = '--json';
/** Advice about a fault of the configuration. */
const CONFIG_ADVICE = 'Correct this variable; .env.example describes all of them.';
/** Advice if nothing could be measured. */
const START_ADVICE = 'Start the bot from its own folder, with its files complete.';

/** Measures all health checks once with the environment of the bot. Changes nothing, neither in Redis nor at Telegram. */
async function examine(): Promise<CheckResult[]> {
  try {
    const results = await composeDoctor(readConfig())();
    return [...mistypedNames().map((name) => ofConfiguration('warning', name)), ...results];
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [];
    if (faults.length > 0)
      return [
        ...faults.map((fault) => ofConfiguration('error', fault)),
        ...mistypedNames().map((name) => ofConfiguration('warning', name)),
      ];
    return [{ check: 'start', status: 'error', finding: String(error), advice: START_ADVICE }];
  }
}

function ofConfiguration(status: 'warning' | 'error', fault: string): CheckResult {
  return { check: 'configuration', status, finding: `${fault}.`, advice: CONFIG_ADVICE };
}

/** Returns a line for each result, and one for all checks that weren't measured for the same reason. */
function linesOf(results: CheckResult[]): string[] {
  const lines = new Map<string, CheckResult>();
  for (const result of results) {
    const { check, status, finding } = result;
    const key = status === 'unmeasured' ? finding : `${check} ${finding}`;
    const before = lines.get(key);
    lines.set(key, before ? { ...before, check: `${before.check}, ${check}` } : result);
  }
  return [...lines.values()].map(({ check, status, finding, advice }) =>
    [status.padEnd(10), check.padEnd(18), finding, advice].join(' ').trimEnd(),
  );
}

ignoreFailedOutput();
const results = await examine();
const isJson = process.argv.includes(JSON_OPTION);
const output = isJson ? JSON.stringify(results, null, 2) : linesOf(results).join('\n');
process.exitCode = results.some(({ status }) => status === 'error') ? 1 : 0;
// Doesn't wait for connections to close, nor for a DNS lookup, which can take long.
process.stdout.write(`${output}\n`, () => process.exit());
