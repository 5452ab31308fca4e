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

/** Small source trees with one violation each, and the file that has it. */
const faults: [rule: string, what: string, files: Record<string, string>, at: string][] = [
  [
    'modules import lower layers only',
    'a module that imports one above it',
    { 'src/rental-api/a.ts': "import type { B } from '../bot/b.ts';", 'src/bot/b.ts': '' },
    'src/rental-api/a.ts',
  ],
  [
    'modules import lower layers only',
    'a module that imports more than types of one in its layer',
    { 'src/texts/a.ts': "import {\n  b,\n} from '../rental/b.ts';", 'src/rental-api/b.ts': '' },
    'src/texts/a.ts',
  ],
  [
    'modules import lower layers only',
    'a log that imports the configuration',
    { 'src/platform/log.ts': "import type { Config } from '../config.ts';", 'src/config.ts': '' },
    'src/platform/log.ts',
  ],
  [
    'modules import lower layers only',
    'a sandbox that imports the client',
    { 'src/sandbox/rental/a.ts': "import type { B } from '../../rental/b.ts';", 'src/rental-api/b.ts': '' },
    'src/sandbox/rental/a.ts',
  ],
  [
    'modules import lower layers only',
    'an app that imports main.ts',
    { 'src/app.ts': "export { main } from './main.ts';", 'src/main.ts': '' },
    'src/app.ts',
  ],
  [
    'modules import lower layers only',
    'a dynamic import',
    { 'src/jobs/a.ts': "export const a = () => import('../bot/b.ts');", 'src/bot/b.ts': '' },
    'src/jobs/a.ts',
  ],
  [
    'modules import lower layers only',
    'an unknown module',
    { 'src/cellar/a.ts': "import { b } from '../log.ts';", 'src/platform/log.ts': '' },
    'src/cellar/a.ts',
  ],
  [
    'there are no import cycles, not even of types',
    'two files that import each other',
    { 'src/web/a.ts': "import { b } from './b.ts';", 'src/web/b.ts': "import type { A } from './a.ts';" },
    'src/web/a.ts',
  ],
  [
    'imports name an existing file with its extension',
    'an import without its ending',
    { 'src/web/a.ts': "import { b } from './b';", 'src/web/b.ts': '' },
    'src/web/a.ts',
  ],
  [
    'features import neither the bot nor each other',
    'a feature that imports another',
    { 'src/features/a.ts': "import { b } from './b.ts';", 'src/features/b.ts': '' },
    'src/features/a.ts',
  ],
  [
    'features import neither the bot nor each other',
    'a feature that imports the bot',
    { 'src/features/a.ts': "import type { Bot } from '../bot/bot.ts';", 'src/bot/bot.ts': '' },
    'src/features/a.ts',
  ],
  [
    'comments do not refer to documents outside of the repository',
    'a document outside of the repository',
    { 'src/web/a.ts': '/** See ../elsewhere/facts.md. */\nexport const A = 1;' },
    'src/web/a.ts',
  ],
  [
    'bot/context.ts contains only types',
    'a value in the context',
    { 'src/bot/context.ts': 'export interface A {\n  b: string;\n}\nexport const EMPTY = {};' },
    'src/bot/context.ts',
  ],
  [
    'bot/context.ts contains only types',
    'an import of a value into the context',
    { 'src/bot/context.ts': "import { Bot } from 'grammy';" },
    'src/bot/context.ts',
  ],
  [
    'only config.ts reads the environment',
    'another file that reads the environment',
    {
      'src/config.ts': 'export const a = process.env;',
      'src/web/a.ts': 'export const b = () => process.env.PORT;',
    },
    'src/web/a.ts',
  ],
  [
    'files and folders have meaningful names in kebab-case',
    'a file name in camelCase',
    { 'src/web/theServer.ts': '' },
    'src/web/theServer.ts',
  ],
  [
    'files and folders have meaningful names in kebab-case',
    'a meaningless file name',
    { 'src/web/date-utils.ts': '' },
    'src/web/date-utils.ts',
  ],
  [
    'files and folders have meaningful names in kebab-case',
    'a meaningless folder name',
    { 'src/helpers/a.ts': '' },
    'src/helpers/a.ts',
  ],
  [
    'there are no default exports and no `export *`',
    'a default export',
    { 'src/web/a.ts': 'export default function a() {}' },
    'src/web/a.ts',
  ],
  [
    'there are no default exports and no `export *`',
    'a barrel',
    { 'src/web/a.ts': "export * from './b.ts';", 'src/web/b.ts': '' },
    'src/web/a.ts',
  ],
  ['imports have no side effects', 'a call', { 'src/web/a.ts': 'const a = 1;\nstart(a);' }, 'src/web/a.ts'],
  [
    'imports have no side effects',
    'a top-level await',
    { 'src/web/a.ts': 'export const a = await b();' },
    'src/web/a.ts',
  ],
  ['imports have no side effects', 'a variable', { 'src/web/a.ts': 'export let count = 0;' }, 'src/web/a.ts'],
  ['imports have no side effects', 'a condition', { 'src/web/a.ts': 'if (a) {\n  b();\n}' }, 'src/web/a.ts'],
  [
    'imports have no side effects',
    'an import for its effects',
    { 'src/web/a.ts': "import './b.ts';" },
    'src/web/a.ts',
  ],
];

describe('detects a violation of', () => {
  test.each(faults)('%s: %s', (rule, _, files, at) => {
    const sources = Object.entries(files).map(([path, text]) => sourceFile(path, text));
    const found = rules[rule]?.(sources) ?? [];
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${at}`));
  });

  test('every rule has a test case', () => {
    expect([...new Set(faults.map(([rule]) => rule))].sort()).toEqual(Object.keys(rules).sort());
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
