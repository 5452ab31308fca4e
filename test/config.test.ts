import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Config, ConfigError, configWarnings, mistypedNames, readConfig } from '../src/config.ts';

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
const LOCAL_CONFIG: Config = {
  botToken: TOKEN,
  rentalApiUrl: 'http://localhost:8080/api',
  secretKeys: [],
  adminIds: new Set(),
  port: 8080,
  host: '0.0.0.0',
  metricsHost: '127.0.0.1',
  telegramApiRoot: 'https://api.telegram.org',
  explorerUrl: 'https://tronscan.org/#/{kind}/{id}',
  signatureHeader: 'X-Webhook-Signature',
  withdrawCapTrx: '1000',
  logLevel: 'info',
};

/** Returns the faults that `readConfig` finds in an environment. */
function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('the environment', () => {
  test('needs only a token and the URL of a loopback service', () => {
    expect(readConfig(local)).toEqual(LOCAL_CONFIG);
  });

  test.each<[variable: string, value: string, settings: Partial<Config>]>([
    ['RENTAL_API_URL', 'http://127.0.0.1:8080/api/', { rentalApiUrl: 'http://127.0.0.1:8080/api' }],
    ['RENTAL_API_URL', 'http://[::1]:8080', { rentalApiUrl: 'http://[::1]:8080' }],
    ['RENTAL_API_URL', 'https://rental.localhost', { rentalApiUrl: 'https://rental.localhost' }],
    ['RENTAL_API_KEY', 'operator-key', { rentalApiKey: 'operator-key' }],
    ['SECRET_KEY', `${KEY}, ${OLD_KEY}`, { secretKeys: [bytes(7), bytes(5)] }],
    ['ADMIN_IDS', '504, 505', { adminIds: new Set([504, 505]) }],
    ['PORT', '0', { port: 0 }],
    ['HOST', '::1', { host: '::1' }],
    ['METRICS_PORT', '9464', { metricsPort: 9464 }],
    ['METRICS_HOST', '10.0.0.2', { metricsHost: '10.0.0.2' }],
    ['TELEGRAM_API_ROOT', 'http://bot-api:8081/', { telegramApiRoot: 'http://bot-api:8081' }],
    ['SUPPORT_URL', 'https://t.me/support', { supportUrl: 'https://t.me/support' }],
    ['ACCOUNT_URL', 'https://rental.example/open/', { accountUrl: 'https://rental.example/open' }],
    [
      'EXPLORER_URL',
      'https://explorer.example/{kind}?id={id}',
      { explorerUrl: 'https://explorer.example/{kind}?id={id}' },
    ],
    ['RENTAL_WEBHOOK_SIGNATURE_HEADER', 'X-Signature', { signatureHeader: 'X-Signature' }],
    ['WITHDRAW_CAP_TRX', '250.5', { withdrawCapTrx: '250.5' }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
  ])('sets %s=%s without a need for other variables', (variable, value, settings) => {
    expect(readConfig({ ...local, [variable]: value })).toEqual({ ...LOCAL_CONFIG, ...settings });
    for (const empty of variable in local ? [] : ['', '  '])
      expect(readConfig({ ...local, [variable]: empty })).toEqual(LOCAL_CONFIG);
  });

  test.each<[variable: string, value: string, settings: Partial<Config>]>([
    ['REDIS_URL', 'rediss://user:password@host:6380/2', { redisUrl: 'rediss://user:password@host:6380/2' }],
    ['PUBLIC_URL', 'https://bot.example/', { publicUrl: 'https://bot.example' }],
    ['PUBLIC_URL', 'https://example.com/bot/', { publicUrl: 'https://example.com/bot' }],
    ['PUBLIC_URL', 'http://localhost:8080', { publicUrl: 'http://localhost:8080' }],
  ])('sets %s=%s only together with SECRET_KEY', (variable, value, settings) => {
    const env = { ...local, [variable]: value };
    const expected = { ...LOCAL_CONFIG, secretKeys: [bytes(7)], ...settings };
    expect(readConfig({ ...env, SECRET_KEY: KEY })).toEqual(expected);
    const fault = new RegExp(`^SECRET_KEY: missing, required with ${variable}, expected 32 random bytes`);
    expect(faultsOf(env)).toEqual([expect.stringMatching(fault)]);
    expect(readConfig({ ...local, [variable]: ' ' })).toEqual(LOCAL_CONFIG);
  });

  test.each([
    'https://rental.example',
    'https://localhost.rental.example',
    'https://127.0.0.1.rental.example',
  ])('requires REDIS_URL for a service at %s', (url) => {
    const faults = faultsOf({ ...local, RENTAL_API_URL: url, SECRET_KEY: KEY });
    expect(faults).toEqual([expect.stringMatching(/^REDIS_URL: missing, required unless .*loopback/)]);
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
    ['REDIS_URL', 'redis://:50%off@redis:6379'],
    ['REDIS_URL', 'redis://redis:6379/sessions'],
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
    ['METRICS_PORT', '127.0.0.1:9464'],
    ['METRICS_HOST', 'http://localhost'],
    ['TELEGRAM_API_ROOT', 'ftp://api.telegram.org'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['EXPLORER_URL', 'https://tronscan.org/#/address/{id}'],
    ['EXPLORER_URL', 'http://tronscan.org/#/{kind}/{id}'],
    ['RENTAL_WEBHOOK_SIGNATURE_HEADER', 'X Signature'],
    ['WITHDRAW_CAP_TRX', '-1'],
    ['WITHDRAW_CAP_TRX', '1,000'],
    ['LOG_LEVEL', 'loud'],
  ])('for %s=%s names the variable and the expected format, but not the value', (name, value) => {
    const faults = faultsOf({ ...remote, [name]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: not valid, expected \\w.+$`))]);
    expect(faults.join()).not.toContain(value);
  });

  test('is reported for each missing required variable at once, with a hint', () => {
    expect(faultsOf({})).toEqual([
      expect.stringMatching(/^BOT_TOKEN: missing, expected .*@BotFather/),
      expect.stringMatching(/^RENTAL_API_URL: missing, expected .*https:/),
      expect.stringMatching(/^REDIS_URL: missing, required unless .* expected redis:/),
      expect.stringMatching(/^SECRET_KEY: missing, required with REDIS_URL, .*openssl/),
    ]);
    expect(() => readConfig({})).toThrow(/\n[^\n]*\.env\.example[^\n]*NAME=value[^\n]*$/);
    expect(() => readConfig({ ...remote, PORT: 'x' })).not.toThrow('.env.example');
  });

  test.each([
    ['BOT_TOKEN', `"${TOKEN}"`, 'without quotes'],
    ['RENTAL_API_KEY', "'operator-key'", 'without quotes'],
    ['SUPPORT_URL', 'https://t.me/support # for users', 'without a comment'],
    ['\uFEFFBOT_TOKEN', TOKEN, 'without a byte order mark'],
    ['BOT_TOKEN ', TOKEN, 'without spaces'],
    ['export SECRET_KEY_FILE', '/run/secrets/key', 'without spaces or "export"'],
  ])('names what an environment file has left: %j=%s', (name, value, expected) => {
    const [first, ...others] = faultsOf({ ...remote, [name]: value });
    const variable = /[A-Z_]{3,}/.exec(name)?.[0];
    expect(first).toMatch(new RegExp(`^${variable}: not (read|valid), expected .*${expected}`));
    expect(others).toEqual([]);
    expect(first).not.toContain(value);
  });

  test('is reported together with all others, one per line', () => {
    const env = { BOT_TOKEN: 'wrong', RENTAL_API_URL: 'https://rental.example', PORT: 'x', LOG_LEVEL: 'x' };
    const names = faultsOf(env).map((fault) => fault.split(':')[0]);
    expect(names).toEqual(['BOT_TOKEN', 'PORT', 'LOG_LEVEL', 'REDIS_URL', 'SECRET_KEY']);
    expect(() => readConfig(env)).toThrow(faultsOf(env).join('\n'));
  });
});

describe('a secret', () => {
  let folder: string;
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function fileWith(content: string): string {
    const path = join(folder, `secret-${files++}`);
    writeFileSync(path, content);
    return path;
  }

  test('can be read from a file', () => {
    const config = readConfig({
      RENTAL_API_URL: 'https://rental.example/api',
      BOT_TOKEN_FILE: fileWith(`${TOKEN}\n`),
      RENTAL_API_KEY_FILE: fileWith('operator-key'),
      REDIS_URL_FILE: fileWith('redis://:password@redis'),
      SECRET_KEY_FILE: fileWith(`${KEY}\n`),
    });
    const [redisUrl, secretKeys] = ['redis://:password@redis', [bytes(7)]];
    expect(config).toMatchObject({ botToken: TOKEN, rentalApiKey: 'operator-key', redisUrl, secretKeys });
    expect(readConfig({ ...local, BOT_TOKEN_FILE: '' })).toEqual(LOCAL_CONFIG);
  });

  test.each([
    ['does not exist', () => join(folder, 'nowhere'), /^BOT_TOKEN_FILE: not readable/],
    ['is empty', () => fileWith('\n'), /^BOT_TOKEN_FILE: empty/],
    ['has invalid content', () => fileWith('something else'), /^BOT_TOKEN: not valid/],
  ])('is reported as one fault if its file %s', (_, path, fault) => {
    const faults = faultsOf({ ...local, BOT_TOKEN: '', BOT_TOKEN_FILE: path() });
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });

  test('is rejected if both the variable and its file are set', () => {
    const faults = faultsOf({ ...local, BOT_TOKEN_FILE: fileWith(TOKEN) });
    expect(faults).toEqual([expect.stringMatching(/^BOT_TOKEN: set twice/)]);
  });

  test('is the only kind of setting that is read from a file', () => {
    expect(readConfig({ ...local, LOG_LEVEL_FILE: fileWith('debug') }).logLevel).toBe('info');
  });
});

describe('mistypedNames', () => {
  test.each([
    ['WITHDRAW_CAP', 'WITHDRAW_CAP_TRX'],
    ['PUBLC_URL', 'PUBLIC_URL'],
    ['ADMIN_ID', 'ADMIN_IDS'],
    ['SUPPORT_URLS', 'SUPPORT_URL'],
    ['ACOCUNT_URL', 'ACCOUNT_URL'],
    ['LOG-LEVEL', 'LOG_LEVEL'],
    ['port', 'PORT'],
    ['RENTAL_API_KAY_FILE', 'RENTAL_API_KEY'],
  ])('warns about %s without its value', (given, meant) => {
    expect(mistypedNames({ ...remote, [given]: 'secret' })).toEqual([`${given}: unknown, expected ${meant}`]);
  });

  test.each([
    'PATH',
    'HOSTS',
    'SPORT',
    'HOME',
    'REDIS_PORT',
    'REDIS_URI',
    'METRICS_PATH',
    'SECRET_KEY_BASE',
    'npm_config_loglevel',
  ])('says nothing about %s, which may be of another program', (given) =>
    expect(mistypedNames({ ...remote, [given]: 'x' })).toEqual([]),
  );

  test('names what a missing variable was called instead', () => {
    const { BOT_TOKEN, ...others } = remote;
    expect(() => readConfig({ ...others, BOT_TOKN: BOT_TOKEN })).toThrow(
      /^BOT_TOKEN: missing.*\nBOT_TOKN: unknown, expected BOT_TOKEN\n/,
    );
  });
});

describe('configWarnings', () => {
  test.each([
    [
      'a remote Redis without TLS',
      'redis://:a-random-password@redis.example',
      /^REDIS_URL: connection without encryption/,
    ],
    ['a remote Redis with a word as its password', 'rediss://:secret@redis.example', /the password is short/],
    ['a remote Redis without a password', 'rediss://redis.example', /^REDIS_URL: without a password/],
  ])('warns about %s without showing its password', (_, REDIS_URL, warning) => {
    const weak = configWarnings(readConfig({ ...remote, REDIS_URL }));
    expect(weak).toEqual([expect.stringMatching(warning)]);
    expect(weak.join()).not.toMatch(/random-password|secret@/);
  });

  const strong = { ...remote, REDIS_URL: 'rediss://:a-random-password@redis.example' };

  test('warns about a remote Bot API server over http', () => {
    const weak = configWarnings(readConfig({ ...strong, TELEGRAM_API_ROOT: 'http://bot-api:8081' }));
    expect(weak).toEqual([expect.stringMatching(/^TELEGRAM_API_ROOT: http:/)]);
  });

  test.each([
    { REDIS_URL: 'redis://127.0.0.1:6379' },
    { REDIS_URL: 'redis://[::1]' },
    { TELEGRAM_API_ROOT: 'http://localhost:8081' },
    {},
  ])('does not warn about %o', (more) => {
    expect(configWarnings(readConfig({ ...strong, ...more }))).toEqual([]);
  });
});
