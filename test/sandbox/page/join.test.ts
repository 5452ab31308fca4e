import { expect, test } from 'vitest';
import { joinModules, joinStyles } from '../../../src/sandbox/page/join.ts';

const reader = (files: Record<string, string>) => (path: string) => files[path] ?? '';
const run = (script: string) => {
  const said: string[] = [];
  new Function('say', script)((word: string) => said.push(word));
  return said;
};

test('modules run once each, those that are imported first, and keep their names to themselves', () => {
  const read = reader({
    'main.js': [
      "import { greet } from './far/greet.js';",
      "import {\n  NAME as other,\n  late,\n} from './name.js';",
      "const NAME = 'main';",
      "say(greet('you'));\nsay(other + NAME);\nlate();",
    ].join('\n'),
    'far/greet.js':
      "import { NAME } from '../name.js';\nexport function greet(who) {\n  return NAME + who;\n}",
    'name.js': "say('once');\nexport const NAME = 'I';\nexport async function late() {\n  say('late');\n}",
  });
  expect(run(joinModules('main.js', read))).toEqual(['once', 'Iyou', 'Imain', 'late']);
});

test.each([
  "import all from './a.js';",
  "import './a.js';",
  "export { a } from './a.js';",
  'export let a = 1;',
])('what can’t be joined is said: %s', (line) => {
  expect(() => joinModules('main.js', reader({ 'main.js': line }))).toThrow(
    `main.js can't be joined: ${line}`,
  );
});

test('style sheets stay in their layers and order; those from elsewhere are still imported', () => {
  const read = reader({
    'style/page.css':
      '@import "/far.css";\n@import "a.css" layer(page);\n@import "b.css" layer(page);\np {}\n',
    'style/a.css': 'a {}\n',
    'style/b.css': 'b {}\n',
  });
  expect(joinStyles('style/page.css', read)).toBe(
    '@import "/far.css";\n@layer page {\na {}\n}\n@layer page {\nb {}\n}\np {}\n',
  );
});
