import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources, sourceFile } from './support/source-file.ts';
import { rules } from './support/source-rules.ts';

const tree = readSources('src', /\.(ts|js)$/);

describe('in src/', () => {
  test('source files and their imports are found', () => {
    expect(tree.map(({ path }) => path)).toContain('src/config.ts');
    expect(tree.flatMap(({ imports }) => imports).length).toBeGreaterThan(tree.length);
  });

  test.each(Object.entries(rules))('%s', (_, rule) => {
    expect(rule(tree)).toEqual([]);
  });
});

/** By rule: what breaks it, and the contents of files of which only the first one breaks it. */
const violations: Record<string, [what: string, files: Record<string, string>][]> = {
  'modules import lower layers only': [
    ['a module that imports one above it', importing('src/rental-api/a.ts', 'src/bot/b.ts', 'type')],
    ['more than a type of the same layer', importing('src/i18n/a.ts', 'src/rental-api/b.ts')],
    ['a log that imports the configuration', importing('src/platform/log.ts', 'src/config.ts', 'type')],
    [
      'a sandbox that imports the client',
      importing('src/sandbox/rental/a.ts', 'src/rental-api/b.ts', 'type'),
    ],
    ['an app that imports main.ts', importing('src/app.ts', 'src/main.ts')],
    [
      'a dynamic import',
      { 'src/platform/a.ts': "export const a = () => import('../bot/b.ts');", 'src/bot/b.ts': '' },
    ],
    ['an unknown module', importing('src/cellar/a.ts', 'src/platform/log.ts')],
  ],
  'there are no import cycles, not even of types': [
    [
      'two files that import each other',
      { 'src/web/a.ts': "import { b } from './b.ts';", 'src/web/b.ts': "import type { A } from './a.ts';" },
    ],
  ],
  'imports name an existing file with its extension': [
    ['an import without its ending', { 'src/web/a.ts': "import { b } from './b';", 'src/web/b.ts': '' }],
  ],
  'features do not import each other': [
    ['a feature that imports another', importing('src/features/a.ts', 'src/features/b.ts')],
    ['a folder that imports another', importing('src/features/a/c.ts', 'src/features/b/d.ts', 'type')],
    ['a shared view that imports a feature', importing('src/features/views/a.ts', 'src/features/b.ts')],
  ],
  'comments do not refer to documents outside of the repository': [
    ['such a document', { 'src/web/a.ts': '/** See ../elsewhere/facts.md. */\nexport const A = 1;' }],
  ],
  'bot/context.ts contains only types': [
    ['a value', { 'src/bot/context.ts': 'export interface A {\n  b: string;\n}\nexport const EMPTY = {};' }],
    ['an import of a value', { 'src/bot/context.ts': "import { Bot } from 'grammy';" }],
  ],
  'only config.ts reads the environment': [
    [
      'another file that reads it',
      {
        'src/web/a.ts': 'export const b = () => process.env.PORT;',
        'src/config.ts': 'export const a = process.env;',
      },
    ],
  ],
  'files and folders have meaningful names in kebab-case': [
    ['a file name in camelCase', { 'src/web/theServer.ts': '' }],
    ['a meaningless file name', { 'src/web/date-utils.ts': '' }],
    ['a meaningless folder name', { 'src/helpers/a.ts': '' }],
  ],
  'there are no default exports and no `export *`': [
    ['a default export', { 'src/web/a.ts': 'export default function a() {}' }],
    ['a barrel', { 'src/web/a.ts': "export * from './b.ts';", 'src/web/b.ts': '' }],
  ],
  'imports have no side effects': [
    ['a call', { 'src/web/a.ts': 'const a = 1;\nstart(a);' }],
    ['a top-level await', { 'src/web/a.ts': 'export const a = await b();' }],
    ['a variable', { 'src/web/a.ts': 'export let count = 0;' }],
    ['a condition', { 'src/web/a.ts': 'if (a) {\n  b();\n}' }],
    ['an import for its effects', { 'src/web/a.ts': "import './b.ts';" }],
  ],
};

/** Returns a file that imports another one, and that other one. */
function importing(path: string, target: string, type: 'type' | '' = ''): Record<string, string> {
  const specifier = posix.relative(posix.dirname(path), target).replace(/^(?!\.)/, './');
  return { [path]: `import ${type} {\n  b,\n} from '${specifier}';`, [target]: '' };
}

describe('detects a violation of', () => {
  const rows = Object.entries(violations).flatMap(([rule, cases]) =>
    cases.map(([what, files]) => [rule, what, files] as const),
  );
  test.each(rows)('%s: %s', (rule, _, files) => {
    const sources = Object.entries(files).map(([path, text]) => sourceFile(path, text));
    const found = rules[rule]?.(sources) ?? [];
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${Object.keys(files)[0]}`));
  });

  test('every rule has a test case', () => {
    expect(Object.keys(violations).sort()).toEqual(Object.keys(rules).sort());
  });
});

test('accepts code that only resembles a violation', () => {
  const harmless = sourceFile(
    'src/bot/a.ts',
    [
      "import type { Words } from '../i18n/words.ts'; // import { x } from '../app.ts'",
      '/* start(); process.env */',
      'const text = `',
      'start();',
      "import { x } from '../app.ts';",
      '`;',
      "const pattern = /['`]/;",
      'export const list = [',
      "  'start();',",
      '];',
      'export async function run() {',
      '  start();',
      '}',
    ].join('\n'),
  );
  const words = sourceFile('src/i18n/words.ts', 'export interface Words {}');
  for (const rule of Object.values(rules)) expect(rule([harmless, words])).toEqual([]);
});
