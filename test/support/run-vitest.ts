import { fileURLToPath } from 'node:url';
import { type InlineConfig, startVitest } from 'vitest/node';

/** Runs the tests of `include` without the project's configuration. Returns the exit code. */
export async function runVitest(include: string, options: InlineConfig): Promise<number> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const vitest = await startVitest('test', [], {
    ...{ config: false, watch: false, root, include: [include] },
    ...options,
  });
  await vitest.close();
  return Number(process.exitCode ?? 0);
}
