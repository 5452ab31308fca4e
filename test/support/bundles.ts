import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { TestProject } from 'vitest/node';

const STARTS = {
  main: 'src/main.ts',
  sandbox: 'src/sandbox/run.ts',
  'hasty-bot': 'test/support/hasty-bot.ts',
  'event-kills': 'test/event-kills/bot.ts',
  forge: 'test/forge/bot.ts',
};
type Name = keyof typeof STARTS;

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundle of each entry point. */
    bundles: Record<Name, string>;
  }
}

/** Bundles each entry point into one file, which starts in a quarter of the time. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { paths, remove } = await bundle(STARTS);
  project.provide('bundles', paths);
  return remove;
}

/** Bundles each entry point into one file. Returns the paths by name. */
export async function bundle<Names extends string>(
  starts: Record<Names, string>,
): Promise<{ paths: Record<Names, string>; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'rental-bot-starts-'));
  await build({
    entryPoints: starts,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    // CommonJS packages expect these globals.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module';
        const require = requireFrom(import.meta.url), __dirname = import.meta.dirname;`,
    },
    plugins: [ownAddress],
  });
  const paths = Object.fromEntries(Object.keys(starts).map((name) => [name, join(folder, `${name}.mjs`)]));
  return { paths: paths as Record<Names, string>, remove: () => rm(folder, { recursive: true }) };
}

/** Replaces `import.meta.url` with the source path, so that a module still finds the files next to it. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup(built) {
    built.onLoad({ filter: /\/(src|test)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll('import.meta.url', address), loader: 'ts' };
    });
  },
};
