import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const bundled = new Map<string, string>();

/**
 * Bundles a module or style sheet of this folder with its imports. Otherwise dozens of requests would dominate the page's
 * load time. The bundle is built on first use.
 */
export function bundle(path: string): string {
  const text = bundled.get(path) ?? build(path);
  bundled.set(path, text);
  return text;
}

function build(path: string): string {
  const entry = fileURLToPath(new URL(path, import.meta.url));
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    charset: 'utf8',
    external: ['/page/*'],
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}
