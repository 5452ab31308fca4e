import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { build, type Plugin } from 'esbuild';
import { readVersion } from '../src/platform/version.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Bundles the programs that scripts of package.json start with `start.js` into `dist`. Returns their paths by name. */
export async function buildPrograms(): Promise<Record<string, string>> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const programs = Object.values(scripts).flatMap(
    (script) => /^node scripts\/start\.js (\S+)/.exec(script)?.[1] ?? [],
  );
  const entries = programs.map((program) => [program.replaceAll('/', '-'), `src/${program}.ts`]);
  return bundlePrograms(Object.fromEntries(entries), join(ROOT, 'dist'));
}

/**
 * Bundles each program and its packages into one file, such as `main.bundle.js`. Returns the path of the file that starts
 * each program, by its name: `main.js` checks the version of Node before it loads the bundle. A process that is killed
 * meanwhile leaves no partial file, and several processes may build at the same time.
 *
 * @param programs entry points by name, relative to the repository.
 */
export async function bundlePrograms<Names extends string>(
  programs: Readonly<Record<Names, string>>,
  outdir: string,
): Promise<Record<Names, string>> {
  const names = Object.keys(programs) as Names[];
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(names.map((name) => [`${name}.bundle`, programs[name]])),
    outdir,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    // Only the demo and the sandbox load it, to bundle the chat page.
    external: ['esbuild'],
    define: { BUILD_COMMIT: JSON.stringify(readVersion().commit ?? '') },
    // CommonJS packages expect these globals.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url), __dirname = import.meta.dirname;`,
    },
    plugins: [ownAddress(outdir), withoutNodeFetch],
  });
  async function writeWhole(path: string, contents: string | Uint8Array): Promise<void> {
    const whole = `${path}.${randomUUID()}`;
    await writeFile(whole, contents);
    await rename(whole, path);
  }

  await mkdir(outdir, { recursive: true });
  for (const { path, contents, text } of outputFiles)
    await writeWhole(path, path.endsWith('.map') ? linesOf(text) : contents);
  const paths = names.map((name) => [name, join(outdir, `${name}.js`)] as const);
  // Last, because `npm start` takes a program with this file for complete.
  const check = relative(outdir, join(ROOT, 'scripts/node-version.js')).replaceAll(sep, '/');
  for (const [name, path] of paths)
    await writeWhole(path, `import '${check}';\nawait import('./${name}.bundle.js');\n`);
  return Object.fromEntries(paths) as Record<Names, string>;
}

/** Keeps the address of each module in `import.meta.url`, so that the module still finds the files next to it. */
function ownAddress(outdir: string): Plugin {
  return {
    name: 'own-address',
    setup: (built) =>
      built.onLoad({ filter: /\/(src|test|scripts)\/.*\.ts$/ }, async ({ path }) => {
        const place = JSON.stringify(relative(outdir, path).replaceAll(sep, '/'));
        const text = await readFile(path, 'utf8');
        const address = `new URL(${place}, import.meta.url).href`;
        return {
          contents: text.replaceAll('import.meta.url', address),
          loader: 'ts',
          resolveDir: dirname(path),
        };
      }),
  };
}

/**
 * Replaces the package that grammY sends requests with. The bot passes its own `fetch`, and the package loads Node's
 * deprecated `punycode`, which prints a warning.
 */
const withoutNodeFetch: Plugin = {
  name: 'without-node-fetch',
  setup(built) {
    built.onResolve({ filter: /^node-fetch$/ }, () => ({ path: 'fetch', namespace: 'global' }));
    built.onLoad({ filter: /.*/, namespace: 'global' }, () => ({ contents: 'export default fetch;' }));
  },
};

/**
 * Reduces a source map to the lines of this repository's modules. Node decodes the whole map for the first logged stack.
 * A complete map of the bot has half a million positions, which take 90 MB.
 */
function linesOf(text: string): string {
  const map = JSON.parse(text) as { sources: string[]; mappings: string };
  const isOfPackage = map.sources.map((path) => path.includes('node_modules/'));
  let last = '';
  const lines = decode(map.mappings).map((segments) =>
    segments.flatMap(([column, source = -1, line = 0]): SourceMapSegment[] => {
      const position = isOfPackage[source] ? '' : `${source}:${line}`;
      if (position === last) return [];
      last = position;
      return [position === '' ? [column] : [column, source, line, 0]];
    }),
  );
  return JSON.stringify({ ...map, names: [], mappings: encode(lines) });
}
