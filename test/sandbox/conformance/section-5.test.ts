import { describe, expect } from 'vitest';
import { readTotpSecret, totpCode, totpStep } from '../../../src/sandbox/rental/two-factor.ts';
import { endpoints, readable } from './endpoints.ts';
import { AccountProfile } from './resources.ts';
import { ADDRESS, balance, withdraw, withdrawals } from './samples.ts';
import { createTarget, type SandboxTarget } from './target.ts';

const { reads, controls } = createTarget();
const TOTP = { key: 'totp-key' };
const SECRET = readTotpSecret('JBSWY3DPEHPK3PXP');

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
  const refused = async (target: SandboxTarget, fields: object, error: string) => {
    const before = await balance(target, TOTP);
    const body = { to_address: ADDRESS, amount_trx: '5', ...fields };
    const { status, text } = await target.ask('POST', '/account/withdrawal', { ...TOTP, body });
    expect([status, text]).toEqual([403, expect.stringContaining(error)]);
    expect(await balance(target, TOTP)).toBe(before);
    expect(await withdrawals(target, TOTP)).toHaveLength(0);
  };

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

  for (const fields of [{}, { totp_code: '' }]) {
    controls(`is rejected with the code ${fields.totp_code}`, (target) =>
      refused(target, fields, '2FA_REQUIRED'),
    );
  }

  for (const wrong of ['000000', '12345', '1234567', 'abcdef', ' 123456']) {
    controls(`is rejected with ${wrong}`, (target) => {
      expect(totpCode(SECRET, totpStep(target.now()))).not.toBe(wrong);
      return refused(target, { totp_code: wrong }, 'INVALID_2FA_CODE');
    });
  }

  controls('without 2FA needs no code and ignores one', async (target) => {
    await withdraw(target, {});
    target.advance(60_000);
    await withdraw(target, { totp_code: '000000' });
    expect(await withdrawals(target)).toHaveLength(2);
  });
});
