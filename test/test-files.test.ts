import { expect, test } from 'vitest';
import { readSources } from './support/source-file.ts';
import { INTEGRATION_TESTS, ISOLATED, isIntegrationTest, matcherOf, WAITING } from './support/test-files.ts';

const files = readSources('test', /\.test\.ts$/);
const paths = files.map(({ path }) => path);

/** Returns the test files that a glob matches. */
const matching = (pattern: string) => paths.filter(matcherOf(pattern));

test.each([...ISOLATED, ...INTEGRATION_TESTS, ...WAITING])('%s exists', (pattern) => {
  expect(matching(pattern)).not.toEqual([]);
});

test('files that mock a module or install virtual time are isolated', () => {
  const unfit = files.filter(({ code }) => /^vi\.mock\(|\binstallVirtualTime\(/m.test(code));
  expect(unfit.map(({ path }) => path).toSorted()).toEqual(ISOLATED);
});

test('files that need Redis do not run with the module tests', () => {
  const needRedis = files.filter(({ imports }) =>
    imports.some(({ path }) => path === 'test/support/redis.ts'),
  );
  expect(needRedis.length).toBeGreaterThan(0);
  expect(needRedis.map(({ path }) => path).filter((path) => !isIntegrationTest(path))).toEqual([]);
});
