import { parseArgs } from 'node:util';

/**
 * What a script was told of how much it is to do, and by which seed: whole numbers, more than none. Where it was told
 * otherwise, or asked for help, it says how it is used, and this is the code to end with.
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
