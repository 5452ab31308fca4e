import { parseArgs } from 'node:util';

/**
 * Parses the amount of work (a positive integer) and the seed (a non-negative integer) of a script. Prints the usage
 * and returns the exit code if an option is invalid or `--help` is set.
 */
export function runOptions(
  usage: string,
  { name, usual }: { name: string; usual: number },
): { much: number; seed: number } | number {
  const { values } = parseArgs({
    options: {
      [name]: { type: 'string', default: String(usual) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  const [much, seed] = [name, 'seed'].map((option) => String(values[option]));
  const isWrong = ![much, seed].every((number) => /^\d{1,9}$/.test(number ?? '')) || Number(much) === 0;
  if (!values.help && !isWrong) return { much: Number(much), seed: Number(seed) };
  process.stdout.write(usage);
  return values.help ? 0 : 2;
}
