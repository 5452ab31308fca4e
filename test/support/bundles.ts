import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildPrograms, bundlePrograms } from '../../scripts/bundle.ts';

/** Within the repository, so that packages which aren't bundled are found. */
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache');

const STARTS = {
  'hasty-bot': 'test/support/hasty-bot.ts',
  'event-kills': 'test/event-kills/bot.ts',
  forge: 'test/forge/bot.ts',
};
type Name = keyof typeof STARTS | 'main' | 'sandbox-run';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundle of each program. */
    bundles: Record<Name, string>;
  }
}

/** Builds the bot, so that no test has to, and the programs of the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [built, { paths, remove }] = await Promise.all([buildPrograms(), bundle(STARTS)]);
  project.provide('bundles', { ...built, ...paths } as Record<Name, string>);
  return remove;
}

/** Bundles each entry point into one file. Returns the paths by name. */
export async function bundle<Names extends string>(
  starts: Record<Names, string>,
): Promise<{ paths: Record<Names, string>; remove: () => Promise<void> }> {
  await mkdir(FOLDER, { recursive: true });
  const folder = await mkdtemp(join(FOLDER, 'starts-'));
  const paths = await bundlePrograms(starts, folder);
  return { paths, remove: () => rm(folder, { recursive: true }) };
}
