import { HttpError } from 'grammy';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLogThrottle, type LogFields, REPORT_DEFECT, reportFailure } from '../../src/platform/log.ts';
import { StorageUnavailable } from '../../src/platform/storage.ts';
import { recordingLog } from '../support/log-lines.ts';

const TOKEN = '123456:a-token_of_a_bot_that_is_none_at_all';

test('writes level, time, message and fields', () => {
  const { log, lines } = recordingLog();
  log.info({ update: 7, chat: 501, kind: undefined, notifications: ['a', 'b'] }, 'an update was handled');
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const fields = { update: 7, chat: 501, notifications: ['a', 'b'] };
  expect(lines()).toEqual([{ level: 'info', time, ...fields, msg: 'an update was handled' }]);
});

test('does not compile with a field that would be dropped, nor an error without advice', () => {
  const { log } = recordingLog({ level: 'silent' });
  const key = { chat: 501, key_of_the_account: 'demo-key' };
  // @ts-expect-error
  log.info(key, 'a variable');
  // @ts-expect-error
  log.info({ ...key }, 'a spread');
  // @ts-expect-error
  reportFailure(log, { ...key, err: undefined }, 'a failure');
  // @ts-expect-error
  log.error({ chat: 501 }, 'an error without advice');
});

test('drops what a value has beyond its type, and masks text in a field for words', () => {
  const { log, lines } = recordingLog();
  const wider: LogFields = { chat: 501, totp_code: '123456' } as LogFields;
  log.info(wider, 'wider');
  log.info({ event: 'send it to my mother', code: 'ключ' }, 'sentences');
  const line = { level: 'info', time: expect.any(String) };
  expect(lines()).toEqual([
    { ...line, chat: 501, msg: 'wider' },
    { ...line, event: '***', code: '***', msg: 'sentences' },
  ]);
});

test('adds fields to all lines of a work, also after it has waited, and to no other', async () => {
  const { log, lines } = recordingLog();
  await log.withFields({ update: 7 }, () =>
    Promise.all(
      ['A1', 'B2'].map((operation) =>
        log.withFields({ operation }, async () => {
          await new Promise(setImmediate);
          log.info('done');
        }),
      ),
    ),
  );
  log.info('later');
  expect(lines()).toMatchObject([
    { update: 7, operation: 'A1' },
    { update: 7, operation: 'B2' },
    { level: 'info' },
  ]);
  expect(lines()[2]).not.toHaveProperty('update');
});

test('reports a failure as a warning if the storage is unavailable, otherwise as an error with advice', () => {
  const { log, lines } = recordingLog();
  reportFailure(log, { err: new StorageUnavailable('closed'), event: 'a' }, 'it failed');
  reportFailure(log, { err: new TypeError('x is undefined') }, 'it failed');
  expect(lines()).toMatchObject([
    { level: 'warn', event: 'a', err: { message: 'closed' } },
    { level: 'error', advice: REPORT_DEFECT, err: { message: 'x is undefined' } },
  ]);
});

test('does not write lines below the level', () => {
  const { log, texts } = recordingLog({ level: 'warn' });
  log.info('quiet');
  log.warn('loud');
  expect(texts).toHaveLength(1);
  expect(texts[0]).toMatch(/^{.*}\n$/);
});

describe('an error', () => {
  test('is logged with its name, message, code, stack and cause only', () => {
    const { log, lines } = recordingLog();
    const cause = Object.assign(new TypeError('socket'), { code: 'ECONNRESET', config: { key: 'demo-key' } });
    const request = { headers: {} };
    const err = Object.assign(new Error('it failed', { cause }), { request, payload: { text: 'x' } });
    log.warn({ err }, 'oh');
    expect(lines()[0]?.err).toEqual({
      name: 'Error',
      message: 'it failed',
      stack: expect.stringContaining('log.test.ts'),
      cause: { name: 'TypeError', message: 'socket', code: 'ECONNRESET', stack: expect.any(String) },
    });
  });

  test('from a Bot API call is logged with its cause', () => {
    const { log, lines } = recordingLog();
    const err = new HttpError("Network request for 'getMe' failed!", new Error('other side closed'));
    log.warn({ err }, 'oh');
    expect(lines()[0]).toMatchObject({
      err: { name: 'HttpError', cause: { message: 'other side closed' } },
    });
  });

  test('is logged even if it is its own cause', () => {
    const { log, lines } = recordingLog();
    const err = new Error('round and round');
    err.cause = err;
    log.warn({ err }, 'oh');
    expect(lines()[0]).toMatchObject({ err: { message: 'round and round' } });
  });

  test('is logged if it is a string and dropped if it is a plain object', () => {
    const { log, lines } = recordingLog();
    log.warn({ err: 'thrown text' }, 'x');
    log.warn({ err: { headers: { 'X-API-Key': 'demo-key' } } }, 'y');
    expect(lines()[0]).toMatchObject({ err: 'thrown text' });
    expect(lines()[1]).not.toHaveProperty('err');
  });
});

describe('masking', () => {
  const secrets: [string, string, string][] = [
    ['a bot token', `the token ${TOKEN} is wrong`, 'the token *** is wrong'],
    ['a bot token in an address', `GET https://h/bot${TOKEN}/getMe`, 'GET https://h/bot***/getMe'],
    ['a short bot token in an address', 'GET https://h/bot700:short/getMe', 'GET https://h/bot***/getMe'],
    ['a webhook secret', 'signed with whsec_Ab-9_z.', 'signed with ***.'],
    ['an API key in a header', 'X-API-Key: demo-key', 'X-API-Key: ***'],
    ['an API key in JSON', '{"x-api-key":"demo-key","a":1}', '{"x-api-key":"***","a":1}'],
    ['a password in an address', 'redis://user:pass@redis:6379/0', 'redis://user:***@redis:6379/0'],
    ['a password in an error text', 'sent "password": "redis"', 'sent "password": "***"'],
    ['a secret passed to the log', 'sealed with a "quoted" one', 'sealed with *** one'],
  ];

  test.each(secrets)('hides %s in every part of a line', (_, text, masked) => {
    const { log, lines, texts } = recordingLog({ secrets: ['a "quoted"', ''] });
    const error = new Error(text, { cause: new Error(text) });
    log.withFields({ advice: text }, () => log.warn({ reason: text, err: error }, text));
    const [line] = lines();
    const err = { message: masked, cause: { message: masked } };
    expect(line).toMatchObject({ advice: masked, reason: masked, msg: masked, err });
    for (const secret of [TOKEN, 'demo-key', 'whsec_', ':pass', 'quoted', 'short']) {
      expect(texts.join()).not.toContain(secret);
    }
  });

  test.each(['redis', 'password', 'bot', '20260101'])(
    'hides the password %s in an address only, and leaves the advice readable',
    (password) => {
      const { log, lines } = recordingLog({ secrets: [password] });
      const advice =
        'redis and bot of 20260101: the password is wrong, expected redis://user:password@host with %XX';
      log.error({ reason: `redis://:${password}@redis:6379`, advice }, advice);
      expect(lines()[0]).toMatchObject({ reason: 'redis://:***@redis:6379', advice, msg: advice });
    },
  );

  test('leaves text that only resembles a secret unchanged', () => {
    const { log, lines } = recordingLog();
    const text = 'at /src/bot/bot.ts:12:5 on 2026-01-01T10:20:30Z, see https://h/bots/7 and 501:7';
    log.info(text);
    expect(lines()[0]?.msg).toBe(text);
  });
});

describe('a very long text', () => {
  const MEGABYTE = 1_000_000;

  test.each([
    ['digits', '1'.repeat(MEGABYTE)],
    ['digits and colons', '1:'.repeat(MEGABYTE / 2)],
    ['letters', 'a'.repeat(MEGABYTE)],
    ['addresses without an end', 'a://b:'.repeat(MEGABYTE / 6)],
    ['names of headers', `x-api-key${'"'.repeat(MEGABYTE)}`],
    ['blanks', `x-api-key${' '.repeat(MEGABYTE)}`],
  ])('of %s is truncated', (_, text) => {
    const { log, lines } = recordingLog();
    log.warn({ reason: text, err: new Error(text, { cause: text }) }, text);
    const [line] = lines();
    expect(JSON.stringify(line).length).toBeLessThan(60_000);
    expect(line).toMatchObject({ msg: expect.stringMatching(/…$/), reason: expect.stringMatching(/…$/) });
  });

  test('does not show a part of a secret at the cut', () => {
    const { log, texts } = recordingLog({ secrets: ['named-secret'] });
    const secrets = [TOKEN, 'whsec_Ab-9_z', 'named-secret', 'x-api-key: demo-key'];
    for (const secret of secrets) {
      for (let kept = 1; kept < secret.length; kept += 1) {
        log.info(`${'x '.repeat(3_000).slice(0, 4_095 - kept)} ${secret} and more`);
      }
    }
    const shown = texts.flatMap((text) => /123456:?a|whsec_|named|demo-?k?e?y?|\*\*\*.*…/.exec(text) ?? []);
    expect(shown).toEqual([]);
    expect(texts.every((text) => text.length < 4_200)).toBe(true);
  });
});

describe('while Redis refuses calls', () => {
  const OOM = "OOM command not allowed when used memory > 'maxmemory'.";

  test('an equal warning is logged once in ten seconds, without a stack', () => {
    const { log, lines } = recordingLog();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const err = new Error('not begun', { cause: new StorageUnavailable(OOM) });
    for (const update of [1, 2, 3]) log.warn({ update, err }, 'an update failed');
    clock.mockReturnValue(10_000);
    log.warn({ update: 4, err }, 'an update failed');
    const logged = {
      name: 'Error',
      message: 'not begun',
      cause: { name: 'StorageUnavailable', message: OOM },
    };
    expect(lines()).toMatchObject([{ update: 1 }, { update: 4, count: 2 }]);
    for (const line of lines()) expect(line.err).toEqual(logged);
  });

  test('other warnings, those of other work or operations, and errors are logged', () => {
    const { log, lines } = recordingLog();
    const err = new StorageUnavailable(OOM);
    for (const about of [{ job: 'outbox' }, { job: 'polls' }, { operation: 'AB' }, { operation: 'CD' }])
      log.warn({ ...about, err }, 'it failed');
    for (const _time of [1, 2]) log.error({ err, advice: 'Raise maxmemory.' }, 'it failed');
    for (const _time of [1, 2])
      log.warn({ err: new StorageUnavailable('ERR no such key') }, 'a script failed');
    expect(lines()).toHaveLength(8);
    expect(lines().at(-1)).toMatchObject({ err: { stack: expect.stringContaining('log.test.ts') } });
  });
});

describe('log throttle', () => {
  function openQuiet() {
    const clock = { now: 0 };
    return { clock, quiet: createLogThrottle({ now: () => clock.now }) };
  }

  test('lets a reason through once in ten seconds, then with the suppressed count', () => {
    const { clock, quiet } = openQuiet();
    expect(quiet('full')).toEqual({});
    for (let n = 0; n < 1_000; n++) expect(quiet('full')).toBeUndefined();
    clock.now = 9_999;
    expect(quiet('full')).toBeUndefined();
    clock.now = 10_000;
    expect(quiet('full')).toEqual({ count: 1_001 });
    clock.now = 20_000;
    expect(quiet('full')).toEqual({});
  });

  test('throttles each reason separately and ignores numbers in it', () => {
    const { quiet } = openQuiet();
    expect(quiet('Missing lock for job 17')).toEqual({});
    expect(quiet('Missing lock for job 18')).toBeUndefined();
    expect(quiet('OOM script: 8ac0a6ef69a1f10cbd5a5c8bff3ad4c1e1f5a3c9')).toEqual({});
    expect(quiet('OOM script: ffc0a6ef69a1f10cbd5a5c8bff3ad4c1e1f5a3c9')).toBeUndefined();
  });

  test('limits the number of remembered reasons', () => {
    const { quiet } = openQuiet();
    const reason = (n: number) => String.fromCodePoint(0x4e00 + n);
    for (let n = 0; n < 1_001; n++) expect(quiet(reason(n))).toEqual({});
    expect(quiet(reason(0))).toEqual({});
    expect(quiet(reason(1_000))).toBeUndefined();
  });
});
