import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { faultsOf } from './support/config-faults.ts';

const TOKEN = '123456:a-token_of_a_bot_that_is_none_at_all';
const bytes = (step: number) => Uint8Array.from({ length: 32 }, (_, n) => step * n);
const base64 = (of: Uint8Array) => Buffer.from(of).toString('base64');
const KEY = base64(bytes(7));
const OLD_KEY = base64(bytes(5));

const local = { BOT_TOKEN: TOKEN, RENTAL_API_URL: 'http://localhost:8080/api' };
const remote = {
  BOT_TOKEN: TOKEN,
  RENTAL_API_URL: 'https://rental.example/api',
  REDIS_URL: 'redis://redis:6379',
  SECRET_KEY: KEY,
};

describe('the environment', () => {
  test('needs only a token and the URL of a loopback service', () => {
    expect(readConfig(local)).toEqual({
      botToken: TOKEN,
      rentalApiUrl: 'http://localhost:8080/api',
      rentalApiKey: undefined,
      redisUrl: undefined,
      secretKeys: [],
      adminIds: new Set(),
      publicUrl: undefined,
      port: 8080,
      host: '0.0.0.0',
      telegramApiRoot: 'https://api.telegram.org',
      supportUrl: undefined,
      accountUrl: undefined,
      signatureHeader: 'X-Webhook-Signature',
      withdrawCapTrx: '1000',
      logLevel: 'info',
    });
  });

  test('is read completely if every variable is set', () => {
    const config = readConfig({
      ...remote,
      RENTAL_API_KEY: 'operator-key',
      REDIS_URL: 'rediss://user:password@redis.example:6380/2',
      SECRET_KEY: `${KEY}, ${OLD_KEY}`,
      ADMIN_IDS: '504, 505',
      PUBLIC_URL: 'https://bot.example/',
      PORT: '0',
      HOST: '::1',
      TELEGRAM_API_ROOT: 'http://bot-api:8081/',
      SUPPORT_URL: 'https://t.me/support',
      ACCOUNT_URL: 'https://rental.example/open/',
      RENTAL_WEBHOOK_SIGNATURE_HEADER: 'X-Signature',
      WITHDRAW_CAP_TRX: '250.5',
      LOG_LEVEL: 'debug',
    });
    expect(config).toEqual({
      botToken: TOKEN,
      rentalApiUrl: 'https://rental.example/api',
      rentalApiKey: 'operator-key',
      redisUrl: 'rediss://user:password@redis.example:6380/2',
      secretKeys: [bytes(7), bytes(5)],
      adminIds: new Set([504, 505]),
      publicUrl: 'https://bot.example',
      port: 0,
      host: '::1',
      telegramApiRoot: 'http://bot-api:8081',
      supportUrl: 'https://t.me/support',
      accountUrl: 'https://rental.example/open',
      signatureHeader: 'X-Signature',
      withdrawCapTrx: '250.5',
      logLevel: 'debug',
    });
  });

  test('treats empty optional variables as unset', () => {
    const names = ['RENTAL_API_KEY', 'REDIS_URL', 'SECRET_KEY', 'ADMIN_IDS', 'PUBLIC_URL', 'PORT', 'HOST'];
    const others = [
      'TELEGRAM_API_ROOT',
      'SUPPORT_URL',
      'RENTAL_WEBHOOK_SIGNATURE_HEADER',
      'WITHDRAW_CAP_TRX',
      'LOG_LEVEL',
      'BOT_TOKEN_FILE',
    ];
    const empty = Object.fromEntries([...names, ...others].map((name, at) => [name, at % 2 ? '' : '  ']));
    expect(readConfig({ ...empty, ...local })).toEqual(readConfig(local));
  });
});

describe('a fault', () => {
  test.each([
    ['BOT_TOKEN', 'a-token-without-its-number'],
    ['RENTAL_API_URL', 'http://rental.example/api'],
    ['RENTAL_API_URL', 'http://evillocalhost/api'],
    ['RENTAL_API_URL', 'https://user:password@rental.example/api'],
    ['RENTAL_API_URL', 'https://rental.example/api?key=1'],
    ['RENTAL_API_URL', 'rental.example'],
    ['RENTAL_API_KEY', 'with a space'],
    ['REDIS_URL', 'http://redis:6379'],
    ['SECRET_KEY', 'dG9vIHNob3J0'],
    ['SECRET_KEY', `${KEY},${KEY.slice(4)}`],
    ['SECRET_KEY', 'not base64 but as long as it has to be ____'],
    ['SECRET_KEY', base64(new Uint8Array(32))],
    ['SECRET_KEY', base64(new TextEncoder().encode('sixteen bytes ok'.repeat(2)))],
    ['SECRET_KEY', `${KEY},${KEY}`],
    ['ADMIN_IDS', '504,@admin'],
    ['ADMIN_IDS', '-1001'],
    ['PUBLIC_URL', 'http://bot.example'],
    ['PUBLIC_URL', 'https://bot.example/path?query'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['HOST', 'http://localhost'],
    ['TELEGRAM_API_ROOT', 'ftp://api.telegram.org'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['RENTAL_WEBHOOK_SIGNATURE_HEADER', 'X Signature'],
    ['WITHDRAW_CAP_TRX', '-1'],
    ['WITHDRAW_CAP_TRX', '1,000'],
    ['LOG_LEVEL', 'loud'],
  ])('for %s=%s names the variable and the expected format, but not the value', (name, value) => {
    const faults = faultsOf({ ...remote, [name]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: not valid, expected \\w.+$`))]);
    expect(faults.join()).not.toContain(value);
  });

  test('is reported for each missing required variable', () => {
    expect(faultsOf({})).toEqual([
      expect.stringMatching(/^BOT_TOKEN: missing, expected .*@BotFather/),
      expect.stringMatching(/^RENTAL_API_URL: missing, expected .*https:/),
    ]);
  });

  test('is reported together with all others, one per line', () => {
    const env = { BOT_TOKEN: 'wrong', RENTAL_API_URL: 'https://rental.example', PORT: 'x', LOG_LEVEL: 'x' };
    const names = faultsOf(env).map((fault) => fault.split(':')[0]);
    expect(names).toEqual(['BOT_TOKEN', 'PORT', 'LOG_LEVEL', 'REDIS_URL']);
    expect(() => readConfig(env)).toThrow(faultsOf(env).join('\n'));
  });
});

describe('conditional settings', () => {
  test.each([
    'http://localhost/api',
    'http://127.0.0.1:8080/api',
    'http://[::1]:8080',
    'https://rental.localhost',
  ])('does not require REDIS_URL for a service at %s', (url) => {
    expect(readConfig({ ...local, RENTAL_API_URL: url }).rentalApiUrl).toBe(url);
  });

  test.each([
    'https://rental.example',
    'https://localhost.rental.example',
    'https://127.0.0.1.rental.example',
  ])('requires REDIS_URL for a service at %s', (url) => {
    const faults = faultsOf({ ...local, RENTAL_API_URL: url });
    expect(faults).toEqual([expect.stringMatching(/^REDIS_URL: missing, required unless .*loopback/)]);
  });

  test('requires SECRET_KEY with REDIS_URL', () => {
    expect(faultsOf({ ...local, REDIS_URL: 'redis://localhost' })).toEqual([
      expect.stringMatching(/^SECRET_KEY: missing, required with REDIS_URL: 32 random bytes/),
    ]);
  });

  test('requires SECRET_KEY with PUBLIC_URL', () => {
    expect(faultsOf({ ...local, PUBLIC_URL: 'https://bot.example' })).toEqual([
      expect.stringMatching(/^SECRET_KEY: missing, required with PUBLIC_URL: 32 random bytes/),
    ]);
  });

  test('accepts a PUBLIC_URL with a path', () => {
    const env = { ...local, PUBLIC_URL: 'https://example.com/bot/', SECRET_KEY: KEY };
    expect(readConfig(env).publicUrl).toBe('https://example.com/bot');
  });

  test('accepts a PUBLIC_URL with plain http on loopback', () => {
    expect(readConfig({ ...local, PUBLIC_URL: 'http://localhost:8080', SECRET_KEY: KEY }).publicUrl).toBe(
      'http://localhost:8080',
    );
  });
});
