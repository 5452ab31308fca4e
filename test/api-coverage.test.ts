import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../src/rental-api/endpoints.ts';
import { openChat } from './features/chat.ts';

const ROW = /^\| `(GET|POST) ([^`]+)` \| (.+) \|$/gm;
const rows = [...readFileSync('docs/api-coverage.md', 'utf8').matchAll(ROW)].map(
  ([, method, path, where = '']) => ({ endpoint: `${method} ${path}`, where }),
);

const asked = Object.values(ENDPOINTS).map(({ kind, path }) => `${kind === 'read' ? 'GET' : 'POST'} ${path}`);

test('the API coverage document lists every endpoint of the client exactly once', () => {
  expect(
    rows.map(({ endpoint }) => endpoint).toSorted(),
    'add or remove a row of docs/api-coverage.md: where the bot uses the endpoint',
  ).toEqual(asked.toSorted());
});

test('every command that the API coverage document names exists', async () => {
  const { features } = await openChat('en');
  const there = features.flatMap(({ command, alias }) => [command?.name, alias?.name]);
  const named = rows.flatMap(({ where }) => [...where.matchAll(/`\/(\w+)`/g)].map(([, name]) => name));
  expect(named.length).toBeGreaterThan(8);
  for (const name of named) expect(there, 'docs/api-coverage.md names an unknown command').toContain(name);
});
