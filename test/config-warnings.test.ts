import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { configWarnings } from '../src/config-warnings.ts';

const SECRET_KEY = Buffer.from(Uint8Array.from({ length: 32 }, (_, n) => 7 * n)).toString('base64');
const env = {
  BOT_TOKEN: '123456:a-token_of_a_bot_that_is_none_at_all',
  RENTAL_API_URL: 'https://rental.example/api',
  SECRET_KEY,
};

const weakNames = (more: NodeJS.ProcessEnv) =>
  configWarnings(readConfig({ ...env, REDIS_URL: 'rediss://:password@redis.example', ...more }));

test.each([
  ['a remote Redis without TLS', 'redis://:password@redis.example', /^REDIS_URL: not encrypted/],
  ['a remote Redis without a password', 'rediss://redis.example', /^REDIS_URL: without a password/],
])('warns about %s without showing its password', (_, REDIS_URL, warning) => {
  const weak = weakNames({ REDIS_URL });
  expect(weak).toEqual([expect.stringMatching(warning)]);
  expect(weak.join()).not.toContain(':password@redis.example');
});

test('warns about a remote Bot API server over http', () => {
  expect(weakNames({ TELEGRAM_API_ROOT: 'http://bot-api:8081' })).toEqual([
    expect.stringMatching(/^TELEGRAM_API_ROOT: http:/),
  ]);
});

test.each([
  { REDIS_URL: 'redis://127.0.0.1:6379' },
  { REDIS_URL: 'redis://[::1]' },
  { TELEGRAM_API_ROOT: 'http://localhost:8081' },
  {},
])('does not warn about %o', (more) => {
  expect(weakNames(more)).toEqual([]);
});
