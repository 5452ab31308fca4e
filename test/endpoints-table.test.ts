import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openChat } from './bot/features/chat.ts';

const ROW = /^\| `(GET|POST) ([^`]+)` \| (.+) \|$/gm;
const rows = [...readFileSync('README.md', 'utf8').matchAll(ROW)].map(([, method, path, where = '']) => ({
  endpoint: `${method} ${path}`,
  where,
}));

/** What each file of an endpoint asks for. */
function asked(): string[] {
  const folder = 'src/rental/endpoints';
  return readdirSync(folder).flatMap((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    const [, method] = /^ {2}method: '(GET|POST)',$/m.exec(text) ?? [];
    const [, path] = /^ {2}path: '([^']+)',$/m.exec(text) ?? [];
    return method && path ? [`${method} ${path}`] : [];
  });
}

test('the README names every endpoint that the client can ask, once, and where in the bot it is reached', () => {
  expect(rows.map(({ endpoint }) => endpoint).toSorted()).toEqual(asked().toSorted());
  expect(rows).toHaveLength(18);
});

test('every command that it names is there', async () => {
  const { features } = await openChat('en');
  const there = features.flatMap(({ command, alias }) => [command?.name, alias?.name]);
  const named = rows.flatMap(({ where }) => [...where.matchAll(/`\/(\w+)`/g)].map(([, name]) => name));
  expect(named.length).toBeGreaterThan(8);
  for (const name of named) expect(there).toContain(name);
});
