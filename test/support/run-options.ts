import { parseArgs } from 'node:util';

/**
 * Parses the counts (positive integers, with their defaults) and the seed (a non-negative integer) of a script. Prints
 * the usage and returns the exit code if an option is invalid or `--help` is set.
 */
export function runOptions<Name extends string>(
  usage: string,
  usual: Record<Name, number>,
): Record<Name | 'seed', number> | number {
  const defaults = Object.entries({ ...usual, seed: Date.now() % 1_000_000 });
  const { help, ...values } = parseArgs({
    options: {
      ...Object.fromEntries(
        defaults.map(([name, value]) => [name, { type: 'string' as const, default: String(value) }]),
      ),
      help: { type: 'boolean', default: false },
    },
  }).values;
  const given = Object.entries(values);
  const isWrong = given.some(
    ([name, text]) => !/^\d{1,9}$/.test(String(text)) || (name !== 'seed' && Number(text) === 0),
  );
  if (!help && !isWrong) {
    const counts = Object.fromEntries(given.map(([name, text]) => [name, Number(text)]));
    return counts as Record<Name | 'seed', number>;
  }
  process.stdout.write(usage);
  return help ? 0 : 2;
}
