import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createClock } from '../../src/sandbox/clock.ts';
import { codes } from '../../src/sandbox/rental/api-error.ts';
import { events } from '../../src/sandbox/rental/openapi.ts';
import { demoSeed, FAULT_KINDS } from '../../src/sandbox/rental/state.ts';
import { createSandbox } from '../../src/sandbox/server.ts';

const readme = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
const [, rental = '', telegram = ''] = readme.split(/^### /m);

const sandbox = createSandbox({ token: '700:readme', clock: createClock(0) });
sandbox.stop();

const routesOf = ({ routes }: { routes: { method: string; path: string }[] }) => [
  ...new Set(routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)),
];

test.each(routesOf(sandbox.rental.control))('documents %s of the rental service’s control API', (route) => {
  expect(rental).toMatch(new RegExp(`\`${route}[\`?]`));
});

test.each(routesOf(sandbox.telegram.control))('documents %s of Telegram’s control API', (route) => {
  expect(telegram).toMatch(new RegExp(`\`${route}[\`?]`));
});

test.each([
  ...FAULT_KINDS,
  ...Object.keys(events),
  ...Object.keys(codes),
  ...demoSeed().accounts.map(({ key }) => key),
])('documents %s', (word) => {
  expect(readme).toContain(`\`${word}\``);
});
