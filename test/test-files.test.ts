import { expect, test } from 'vitest';
import { readSources } from './support/source-file.ts';
import { INTEGRATION_TESTS, ISOLATED, WAITING } from './support/test-files.ts';

const files = readSources('test', /\.test\.ts$/);
const paths = files.map(({ path }) => path);

/** Parts of a glob and their regular expressions. */
const GLOB: Record<string, string> = { '**/': '(.*/)?', '*': '[^/]*', '.': '\\.' };

/** Returns the test files that a glob matches. */
const matching = (pattern: string) => {
  const expression = new RegExp(`^${pattern.replace(/\*\*\/|[*.]/g, (part) => GLOB[part] ?? part)}$`);
  return paths.filter((path) => expression.test(path));
};

test.each([...ISOLATED, ...INTEGRATION_TESTS, ...WAITING])('%s exists', (pattern) => {
  expect(matching(pattern)).not.toEqual([]);
});

test('files that mock a module are isolated', () => {
  const mocking = files.filter(({ code }) => /^vi\.mock\(/m.test(code));
  expect(mocking.map(({ path }) => path).toSorted()).toEqual(ISOLATED);
});

test('files that need Redis do not run with the module tests', () => {
  const needRedis = files.filter(({ imports }) =>
    imports.some(({ path }) => path === 'test/support/redis.ts'),
  );
  expect(needRedis.length).toBeGreaterThan(0);
  const integration = INTEGRATION_TESTS.flatMap(matching);
  expect(needRedis.map(({ path }) => path).filter((path) => !integration.includes(path))).toEqual([]);
});
