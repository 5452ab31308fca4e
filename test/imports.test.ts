import { describe, expect, test } from 'vitest';
import { rules } from './support/house-rules.ts';
import { readSources, sourceFile } from './support/source-file.ts';

const tree = readSources('src', /\.(ts|js)$/);

describe('in src/', () => {
  test('there is something to look at', () => {
    expect(tree.map(({ path }) => path)).toContain('src/config.ts');
    expect(tree.flatMap(({ imports }) => imports).length).toBeGreaterThan(tree.length);
  });

  test.each(Object.entries(rules))('%s', (_, rule) => {
    expect(rule(tree)).toEqual([]);
  });
});

/** Small houses with one fault each, and the file that has it. */
const faults: [rule: string, what: string, files: Record<string, string>, at: string][] = [
  [
    'rooms import downward only',
    'a room that imports one above it',
    { 'src/rental/a.ts': "import type { B } from '../bot/b.ts';", 'src/bot/b.ts': '' },
    'src/rental/a.ts',
  ],
  [
    'rooms import downward only',
    'a room that imports more than types of its neighbour',
    { 'src/texts/a.ts': "import {\n  b,\n} from '../rental/b.ts';", 'src/rental/b.ts': '' },
    'src/texts/a.ts',
  ],
  [
    'rooms import downward only',
    'a log that imports the configuration',
    { 'src/log.ts': "import type { Config } from './config.ts';", 'src/config.ts': '' },
    'src/log.ts',
  ],
  [
    'rooms import downward only',
    'a sandbox that imports the client it is there to try',
    { 'src/sandbox/rental/a.ts': "import type { B } from '../../rental/b.ts';", 'src/rental/b.ts': '' },
    'src/sandbox/rental/a.ts',
  ],
  [
    'rooms import downward only',
    'an app that imports its start',
    { 'src/app.ts': "export { main } from './main.ts';", 'src/main.ts': '' },
    'src/app.ts',
  ],
  [
    'rooms import downward only',
    'an import in the midst of code',
    { 'src/jobs/a.ts': "export const a = () => import('../bot/b.ts');", 'src/bot/b.ts': '' },
    'src/jobs/a.ts',
  ],
  [
    'rooms import downward only',
    'a room that nobody knows',
    { 'src/cellar/a.ts': "import { b } from '../log.ts';", 'src/log.ts': '' },
    'src/cellar/a.ts',
  ],
  [
    'nothing imports itself in a circle, not even for types',
    'two files that import each other',
    { 'src/web/a.ts': "import { b } from './b.ts';", 'src/web/b.ts': "import type { A } from './a.ts';" },
    'src/web/a.ts',
  ],
  [
    'imports name a file that is there, with its ending',
    'an import without its ending',
    { 'src/web/a.ts': "import { b } from './b';", 'src/web/b.ts': '' },
    'src/web/a.ts',
  ],
  [
    'features import neither the bot nor each other',
    'a feature that imports another',
    { 'src/bot/features/a.ts': "import { b } from './b.ts';", 'src/bot/features/b.ts': '' },
    'src/bot/features/a.ts',
  ],
  [
    'features import neither the bot nor each other',
    'a feature that imports the bot',
    { 'src/bot/features/a.ts': "import type { Bot } from '../bot.ts';", 'src/bot/bot.ts': '' },
    'src/bot/features/a.ts',
  ],
  [
    'comments point at no document outside of the repository',
    'a document that is not there',
    { 'src/web/a.ts': '/** See ../shared/facts.md. */\nexport const A = 1;' },
    'src/web/a.ts',
  ],
  [
    'bot/context.ts holds types only',
    'a value in the context',
    { 'src/bot/context.ts': 'export interface A {\n  b: string;\n}\nexport const EMPTY = {};' },
    'src/bot/context.ts',
  ],
  [
    'bot/context.ts holds types only',
    'an import of a value into the context',
    { 'src/bot/context.ts': "import { Bot } from 'grammy';" },
    'src/bot/context.ts',
  ],
  [
    'only config.ts reads the environment',
    'another reader of the environment',
    {
      'src/config.ts': 'export const a = process.env;',
      'src/web/a.ts': 'export const b = () => process.env.PORT;',
    },
    'src/web/a.ts',
  ],
  [
    'files and folders are named in kebab-case, by what they hold',
    'a camel',
    { 'src/web/theServer.ts': '' },
    'src/web/theServer.ts',
  ],
  [
    'files and folders are named in kebab-case, by what they hold',
    'an empty name',
    { 'src/web/date-utils.ts': '' },
    'src/web/date-utils.ts',
  ],
  [
    'files and folders are named in kebab-case, by what they hold',
    'an empty folder',
    { 'src/helpers/a.ts': '' },
    'src/helpers/a.ts',
  ],
  [
    'exports have names, and no file passes on all of another',
    'a default export',
    { 'src/web/a.ts': 'export default function a() {}' },
    'src/web/a.ts',
  ],
  [
    'exports have names, and no file passes on all of another',
    'a barrel',
    { 'src/web/a.ts': "export * from './b.ts';", 'src/web/b.ts': '' },
    'src/web/a.ts',
  ],
  ['nothing happens at import', 'a call', { 'src/web/a.ts': 'const a = 1;\nstart(a);' }, 'src/web/a.ts'],
  ['nothing happens at import', 'a wait', { 'src/web/a.ts': 'export const a = await b();' }, 'src/web/a.ts'],
  ['nothing happens at import', 'a variable', { 'src/web/a.ts': 'export let count = 0;' }, 'src/web/a.ts'],
  ['nothing happens at import', 'a condition', { 'src/web/a.ts': 'if (a) {\n  b();\n}' }, 'src/web/a.ts'],
  [
    'nothing happens at import',
    'an import for its effects',
    { 'src/web/a.ts': "import './b.ts';" },
    'src/web/a.ts',
  ],
];

describe('is found:', () => {
  test.each(faults)('%s: %s', (rule, _, files, at) => {
    const sources = Object.entries(files).map(([path, text]) => sourceFile(path, text));
    const found = rules[rule]?.(sources) ?? [];
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${at}`));
  });

  test('every rule has been tried', () => {
    expect([...new Set(faults.map(([rule]) => rule))].sort()).toEqual(Object.keys(rules).sort());
  });
});

test('what only looks like a fault is none', () => {
  const harmless = sourceFile(
    'src/bot/a.ts',
    [
      "import type { Words } from '../texts/words.ts'; // import { x } from '../app.ts'",
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
  const words = sourceFile('src/texts/words.ts', 'export interface Words {}');
  for (const rule of Object.values(rules)) expect(rule([harmless, words])).toEqual([]);
});
