import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

const FOLDERS = ['docs', 'locales', 'src', 'test'];

const paths = [
  ...readdirSync('.', { encoding: 'utf8' }),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true }).map((path) => `${folder}/${path}`),
  ),
].filter((path) => !path.includes('node_modules'));
const documents = paths.filter((path) => path.endsWith('.md'));
const sources = paths.filter((path) => /^(src|test)\/.*\.ts$/.test(path));

/** Placeholder in the recipes of docs/contributing.md. */
const PLACEHOLDER = /\bNAME\b|^locales\/xx$/;

const isFound = (path: string) => paths.some((one) => one === path || one.endsWith(`/${path}`));

/** Returns the paths of files that a document links to or names, relative to the repository. */
function pathsNamedIn(document: string): string[] {
  const text = readFileSync(document, 'utf8');
  const links = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].flatMap(([, link = '']) =>
    /^\w+:/.test(link) ? [] : [posix.join(posix.dirname(document), link)],
  );
  const named = [...text.matchAll(/(?<![\w./-])(?:docs|locales|src|test)\/[\w./-]*\w/g)].map(
    ([path]) => path,
  );
  return [...links, ...named].filter((path) => !PLACEHOLDER.test(path));
}

test.each(documents)('all files that %s names exist', (document) => {
  expect(pathsNamedIn(document).filter((path) => !existsSync(path))).toEqual([]);
});

test('all source files that comments name exist', () => {
  const missing = sources.flatMap((source) => {
    const comments = readFileSync(source, 'utf8').match(/^\s*(\/\/|\/?\*).*$/gm) ?? [];
    const named = comments.flatMap((comment) => comment.match(/(?<![\w./-])[a-z][\w./-]*\.ts\b/g) ?? []);
    return named.filter((path) => !isFound(path)).map((path) => `${source}: ${path}`);
  });
  expect(missing).toEqual([]);
});
