import { describe, expect, it } from 'vitest';
import {
  createSecondFactor,
  isTotpSecret,
  readTotpSecret,
  totpCode,
  totpStep,
} from '../../../src/sandbox/rental/two-factor.ts';
import { SERVICE } from '../../../src/sandbox/rental/wallets.ts';
import { ADDRESS, type CodedError, START, stillWorld, useRental } from './rental-server.ts';

const rental = useRental();
interface DepositRecord {
  id: number;
  status: string;
}
const deposits = async (key?: string) =>
  (await rental.ask<DepositRecord[]>('GET', '/account/deposits', { key })).json;
const deposit = (body: object) => rental.control('POST', '/accounts/1001/deposit', body);
const depositAddress = async () =>
  (await rental.ask<{ deposit_address: string }>('GET', '/account/deposit')).json.deposit_address;

describe('a deposit', () => {
  it('is credited 1:1 if it is in TRX', async () => {
    const { json } = await deposit({ amount: '12.5' });
    expect(json).toMatchObject({ id: 1001, balance_trx: '1012.50', deposit: { id: 1, status: 'confirmed' } });
    expect(await deposits()).toEqual([
      {
        id: 1,
        status: 'confirmed',
        currency: 'TRX',
        amount: '12.50',
        amount_trx: '12.50',
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: '2025-06-01T12:00:00.000Z',
        confirmed_at: '2025-06-01T12:00:00.000Z',
      },
    ]);
    expect((await rental.state()).ledger).toMatchObject([
      { kind: 'deposit', amount_trx: '12.50', deposit_id: 1 },
    ]);
  });

  it('is listed for its account, newest first', async () => {
    expect(await deposits()).toEqual([]);
    await deposit({ amount_trx: '10' });
    rental.clock.advance(1_000);
    await deposit({ amount_trx: '0.000001' });
    await rental.control('POST', '/accounts/1002/deposit', { amount_trx: '5' });
    expect(await deposits()).toMatchObject([{ amount_trx: '0.000001' }, { amount_trx: '10.00' }]);
    expect(await rental.balance()).toBe('1010.000001');
  });

  it.each([
    ['10', '30.769'],
    ['0.000001', '0.000003'],
    ['0.333333', '1.025632'],
  ])('credits %s USDT at the rate as %s TRX', async (amount, amount_trx) => {
    const { json } = await rental.ask<{ usdt_to_trx_rate: string }>('GET', '/account/deposit');
    expect(json.usdt_to_trx_rate).toBe('3.0769');
    await deposit({ amount, currency: 'USDT' });
    const [record] = await deposits();
    expect(record).toMatchObject({ currency: 'USDT', amount_trx });
    expect(Number(await rental.balance())).toBeCloseTo(1000 + Number(amount_trx), 6);
    expect((await rental.state()).audit).toMatchObject({ ok: true, held: { trx: '0.00', usdt: '0.00' } });
  });

  it('is never credited if it expires, and its money stays at the address', async () => {
    await rental.start({ confirmAfterMs: 1_000 });
    await deposit({ amount: '5', confirm: false });
    expect(await rental.control('POST', '/deposits/1/expire')).toMatchObject({ json: { status: 'expired' } });
    rental.clock.advance(1_000);
    expect(await deposits()).toMatchObject([{ status: 'expired' }]);
    expect(await rental.balance()).toBe('1000.00');
    expect(await rental.wallet(await depositAddress())).toMatchObject({
      trx: '5.00',
      name: 'deposits of account 1001',
    });
    expect((await rental.state()).audit.ok).toBe(true);
  });

  it('is created by any transfer to the deposit address and confirmed automatically', async () => {
    await rental.start({ confirmAfterMs: 60_000 });
    const to = await depositAddress();
    await rental.control('POST', '/transfers', { to, currency: 'USDT', amount: '1' });
    rental.clock.advance(59_999);
    expect(await deposits()).toMatchObject([{ status: 'pending', currency: 'USDT' }]);
    rental.clock.advance(1);
    expect(await deposits()).toMatchObject([{ status: 'confirmed' }]);
    expect(await rental.balance()).toBe('1003.0769');
  });
});

type Answer = CodedError & { id: number; tx_hash?: string };
const MINUTE = 60_000;
const STEP = 30_000;
const WITHDRAWAL = { to_address: ADDRESS, amount_trx: '20' };
const withdraw = ({ key = 'demo-key', ...body }: Record<string, unknown> = {}) =>
  rental.ask<Answer>('POST', '/account/withdrawal', { key: String(key), body: { ...WITHDRAWAL, ...body } });
/** Returns a code of the seed's secret, shifted by `steps` from the current one. */
const code = (steps = 0) =>
  totpCode(readTotpSecret('JBSWY3DPEHPK3PXP'), totpStep(rental.clock.now()) + steps);

describe('POST /account/withdrawal', () => {
  it.each([
    ['is not a valid address', 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999'],
    ['is the service’s own address', SERVICE],
  ])('rejects a to_address that %s', async (_, to_address) => {
    const { status, json } = await withdraw({ to_address });
    expect([status, json.detail.error.code]).toEqual([400, 'INVALID_ADDRESS']);
    expect(await rental.balance()).toBe('1000.00');
  });

  it('arrives as a deposit if it goes to another account’s deposit address', async () => {
    await rental.start({ completeAfterMs: 0, confirmAfterMs: 1_000 });
    const { json } = await rental.ask<{ deposit_address: string }>('GET', '/account/deposit', {
      key: 'empty-key',
    });
    await withdraw({ to_address: json.deposit_address });
    expect((await rental.state()).audit.ok).toBe(true);
    rental.clock.advance(1_000);
    expect(await rental.balance('empty-key')).toBe('20.00');
    expect((await rental.state()).audit.ok).toBe(true);
  });
});

describe('an account with 2FA', () => {
  const refusal = async (totp_code?: string) => {
    const { status, json } = await withdraw({ key: 'totp-key', totp_code });
    return [status, json.detail?.error.code];
  };
  const OK = [200, undefined];
  const WRONG = [403, 'INVALID_2FA_CODE'];

  it.each([-2, 2])('rejects the code that is %i steps away', async (steps) => {
    expect(await refusal(code(steps))).toEqual(WRONG);
    expect((await rental.state()).ledger).toEqual([]);
  });

  it('has its current code in the state, by the clock of the sandbox', async () => {
    rental.clock.advance(5 * MINUTE);
    const { accounts } = await rental.state();
    const shown = accounts.map(({ key, totp_code }) => [key, totp_code]);
    expect(shown).toContainEqual(['totp-key', code(0)]);
    expect(shown).toContainEqual(['demo-key', null]);
  });

  it('uses up a code even if the balance is insufficient', async () => {
    const body = { key: 'totp-key', amount_trx: '300', totp_code: code(1) };
    expect((await withdraw(body)).json.detail.error.code).toBe('INSUFFICIENT_BALANCE');
    rental.clock.advance(MINUTE);
    expect(await refusal(body.totp_code)).toEqual(WRONG);
  });

  it('keeps a code used when the rate limit and the code’s step both restart', async () => {
    // Both ends of the minute accept the code of the step between them.
    rental.clock.advance(STEP - 1);
    const between = code(1);
    expect(await refusal(between)).toEqual(OK);
    rental.clock.advance(MINUTE);
    expect(code(-1)).toBe(between);
    expect(await refusal(between)).toEqual(WRONG);
    expect(rental.clock.now()).toBe(START + STEP - 1 + MINUTE);
  });
});

describe('GET /account/withdrawals', () => {
  it('lists the account’s withdrawals, newest first', async () => {
    const list = async (key?: string) => (await rental.ask('GET', '/account/withdrawals', { key })).json;
    expect(await list()).toEqual([]);
    await withdraw();
    await withdraw({ key: 'merchant-key' });
    rental.clock.advance(MINUTE);
    await withdraw({ amount_trx: '5' });
    await rental.control('POST', '/withdrawals/1/complete');
    expect(await list()).toMatchObject([
      { id: 3, amount_trx: '5.00', status: 'pending', created_at: '2025-06-01T12:01:00.000Z' },
      { id: 1, amount_trx: '20.00', status: 'completed', created_at: '2025-06-01T12:00:00.000Z' },
    ]);
    expect(await list('merchant-key')).toMatchObject([{ id: 2 }]);
  });
});

describe('a one-time code', () => {
  // RFC 6238, appendix B, SHA-1: the last six of eight digits.

  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i seconds is %s', (seconds, code) => {
    const secret = new TextEncoder().encode('12345678901234567890');
    expect(totpCode(secret, totpStep(seconds * 1000))).toBe(code);
  });
});

describe('a secret', () => {
  it('is parsed from base32', () => {
    expect(Buffer.from(readTotpSecret('JBSWY3DPEHPK3PXP')).toString('hex')).toBe('48656c6c6f21deadbeef');
  });

  it.each(['', 'jbswy3dp', 'JBSWY3D1', 'JBSWY3DP='])('is not parsed from %j', (text) => {
    expect(isTotpSecret(text)).toBe(false);
  });
});

const SECRET = 'JBSWY3DPEHPK3PXP';
function still() {
  const { world, clock } = stillWorld();
  const { require } = createSecondFactor(world);
  const accepts = (step: number): boolean => {
    const account = world.state.accounts.find(({ totpSecret }) => totpSecret === SECRET);
    if (!account) throw new Error('there is no account with 2FA');
    try {
      require(account, totpCode(readTotpSecret(SECRET), step));
      return true;
    } catch {
      return false;
    }
  };
  return { clock, now: totpStep(START), accepts };
}

describe('the codes of the current and adjacent steps', () => {
  it('are accepted once each, in any order, and stay used while they are valid', () => {
    const { clock, now, accepts } = still();
    const order = [now, now + 1, now - 1];
    expect(order.map(accepts)).toEqual([true, true, true]);
    expect(order.map(accepts)).toEqual([false, false, false]);
    clock.advance(30_000);
    expect([now, now + 1, now + 2].map(accepts)).toEqual([false, false, true]);
  });
});
