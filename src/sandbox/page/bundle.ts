import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const bundled = new Map<string, string>();

/**
 * A module or style sheet of this folder with all that it imports, as one: dozens of requests cost a browser more than
 * all else that the page does at its start. Made when it is first asked for.
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
