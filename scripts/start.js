/*
 * Starts a program from its bundle in dist/, as scripts of package.json do:
 *
 *   node scripts/start.js main [--env-file=FILE] [OPTIONS]
 *
 * In a clone it first builds the bundles if sources are newer and the tools are installed. Plain JavaScript without
 * packages, because it also runs where only production packages are installed.
 */
import './node-version.js';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OF_SOURCES = ['src', 'scripts', 'package.json', 'npm-shrinkwrap.json'];
const ENV_FILE = /^--env-file=(.+)$/;

const [name = 'main', ...given] = process.argv.slice(2);
const bundle = join(ROOT, 'dist', `${name.replaceAll('/', '-')}.js`);

/** @param {string} line */
function end(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** Returns when a file, or anything in a folder, was last changed, added or removed, in epoch milliseconds. */
function changedAt(/** @type {string} */ path) {
  const all = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
  return Math.max(...[path, ...all.map((one) => join(path, one))].map((one) => statSync(one).mtimeMs));
}

function isStale() {
  if (!existsSync(bundle)) return true;
  const builtAt = statSync(bundle).mtimeMs;
  return OF_SOURCES.some((path) => changedAt(join(ROOT, path)) > builtAt);
}

function hasTools() {
  const { resolve } = createRequire(import.meta.url);
  try {
    return ['tsx', 'esbuild', '@jridgewell/sourcemap-codec'].every(resolve);
  } catch {
    return false;
  }
}

const isClone = existsSync(join(ROOT, 'src', `${name}.ts`));
if (isClone && isStale()) {
  if (hasTools()) {
    const options = ['--import', 'tsx', 'scripts/build.ts'];
    const { status } = spawnSync(process.execPath, options, { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) end('The bot could not be built.');
  } else if (existsSync(bundle)) {
    process.stderr.write('dist/ is older than the sources. To renew it, run: npm ci && npm run build\n');
  } else {
    end('dist/ is missing. To build it, run: npm ci && npm run build');
  }
}
if (!existsSync(bundle))
  end(`This package has no ${name}. It runs in a clone of the repository, after: npm ci`);

for (const option of given.filter((one) => ENV_FILE.test(one))) {
  const [, path = ''] = ENV_FILE.exec(option) ?? [];
  try {
    process.loadEnvFile(path);
  } catch {
    end(`--env-file: ${path} is not readable`);
  }
}
process.argv.splice(1, Number.POSITIVE_INFINITY, bundle, ...given.filter((one) => !ENV_FILE.test(one)));
// Stacks in the log name the lines of the sources.
process.setSourceMapsEnabled(true);
await import(pathToFileURL(bundle).href);
