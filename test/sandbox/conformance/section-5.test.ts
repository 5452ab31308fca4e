import { describe, expect } from 'vitest';
import { endpoints, readable } from './endpoints.ts';
import { AccountProfile } from './resources.ts';
import { ADDRESS, balance, oneTimeCode, STEP_MS, withdraw, withdrawals } from './samples.ts';
import { createTarget, type SandboxTarget } from './target.ts';

const { reads, controls } = createTarget();
const TOTP = { key: 'totp-key' };
const SECRET = 'JBSWY3DPEHPK3PXP';

describe('5.1 "Every request carries the header X-API-Key"', () => {
  for (const { method, path } of readable) {
    reads(`${method} ${path} rejects a missing or unknown key`, async (service) => {
      for (const key of [null, `unknown-${service.key}`]) {
        const { status, text } = await service.ask(method, path, { key });
        expect(status).toBeOneOf([401, 403]);
        expect(text).not.toContain(service.key);
      }
    });
  }

  for (const { method, path, body } of endpoints) {
    for (const [what, key] of [
      ['no key', null],
      ['an empty key', ''],
      ['an unknown key', 'nobody-has-this'],
      ['a key in another case', 'Demo-Key'],
      ['a part of a key', 'demo-ke'],
      ['more than a key', 'demo-key,merchant-key'],
    ] as const) {
      controls(`${method} ${path} rejects ${what} without effects`, async (target) => {
        const before = await target.state();
        const { status, text } = await target.ask(method, path, { key, body });
        expect([status, text]).toEqual([401, expect.stringContaining('INVALID_API_KEY')]);
        expect(await target.state()).toEqual(before);
      });
    }
  }
});

describe('5.2 "A withdrawal on an account with 2FA enabled carries totp_code"', () => {
  const code = (at: number) => oneTimeCode(SECRET, at);
  const refused = async (target: SandboxTarget, fields: object, error: string) => {
    const before = await balance(target, TOTP);
    const body = { to_address: ADDRESS, amount_trx: '5', ...fields };
    const { status, text } = await target.ask('POST', '/account/withdrawal', { ...TOTP, body });
    expect([status, text]).toEqual([403, expect.stringContaining(error)]);
    expect(await balance(target, TOTP)).toBe(before);
    expect(await withdrawals(target, TOTP)).toHaveLength(0);
  };

  controls('uses the codes of RFC 6238, appendix B', async () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    for (const [seconds, expected] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [2_000_000_000, '279037'],
    ] as const)
      expect(oneTimeCode(secret, seconds * 1000)).toBe(expected);
  });

  reads('"totp_enabled on the profile tells whether 2FA is on"', async (service) => {
    expect((await service.get('/account/profile', AccountProfile)).totp_enabled).toBeTypeOf('boolean');
  });

  controls(
    '"totp_enabled on the profile tells whether 2FA is on", for accounts with and without it',
    async (target) => {
      expect(await target.get('/account/profile', AccountProfile)).toMatchObject({ totp_enabled: false });
      expect(await target.get('/account/profile', AccountProfile, TOTP)).toMatchObject({
        totp_enabled: true,
      });
    },
  );

  controls('is accepted with the current code', async (target) => {
    const taken = await withdraw(target, { amount_trx: '5', totp_code: code(target.now()) }, TOTP);
    expect(taken).toMatchObject({ status: 'pending' });
    expect(await balance(target, TOTP)).toBe(294_000_000n);
  });

  for (const fields of [{}, { totp_code: '' }]) {
    controls(`is rejected with the code ${fields.totp_code}`, (target) =>
      refused(target, fields, '2FA_REQUIRED'),
    );
  }

  for (const wrong of ['000000', '12345', '1234567', 'abcdef', ' 123456']) {
    controls(`is rejected with ${wrong}`, (target) => {
      expect(code(target.now())).not.toBe(wrong);
      return refused(target, { totp_code: wrong }, 'INVALID_2FA_CODE');
    });
  }

  controls('is rejected with a code of ten minutes ago', (target) =>
    refused(target, { totp_code: code(target.now() - 20 * STEP_MS) }, 'INVALID_2FA_CODE'),
  );

  controls('follows the clock', async (target) => {
    const then = code(target.now());
    target.advance(20 * STEP_MS);
    await refused(target, { totp_code: then }, 'INVALID_2FA_CODE');
  });

  controls('accepts a code once, even if it is still valid a minute later', async (target) => {
    const next = code(target.now() + STEP_MS);
    await withdraw(target, { amount_trx: '5', totp_code: next }, TOTP);
    const after = await balance(target, TOTP);
    target.advance(60_000);
    const body = { to_address: ADDRESS, amount_trx: '5', totp_code: next };
    const { status, text } = await target.ask('POST', '/account/withdrawal', { ...TOTP, body });
    expect([status, text]).toEqual([403, expect.stringContaining('INVALID_2FA_CODE')]);
    expect(await balance(target, TOTP)).toBe(after);
  });

  controls('without 2FA needs no code and ignores one', async (target) => {
    await withdraw(target, {});
    target.advance(60_000);
    await withdraw(target, { totp_code: '000000' });
    expect(await withdrawals(target)).toHaveLength(2);
  });
});
