import { describe, expect, it } from 'vitest';
import { readTotpSecret, totpCode, totpStep } from '../../../../src/sandbox/rental/two-factor.ts';
import { SERVICE } from '../../../../src/sandbox/rental/wallets.ts';
import { eventually } from '../../../support/eventually.ts';
import { ADDRESS, type CodedError, START, serveRental } from '../rental-server.ts';
import { receiveWebhooks } from '../webhook-receiver.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;
type Answer = CodedError & { id: number; tx_hash?: string };

const MINUTE = 60_000;
const STEP = 30_000;
const WITHDRAWAL = { to_address: ADDRESS, amount_trx: '20' };

const withdraw = (rental: Rental, { key = 'demo-key', ...body }: Record<string, unknown> = {}) =>
  rental.ask<Answer>('POST', '/account/withdrawal', { key: String(key), body: { ...WITHDRAWAL, ...body } });
const balance = async (rental: Rental, key = 'demo-key') =>
  (await rental.ask<{ balance_trx: string }>('GET', '/account/profile', { key })).json.balance_trx;
const received = async (rental: Rental) =>
  (await rental.control<{ trx: string }>('GET', `/chain/addresses/${ADDRESS}`)).json.trx;

/** Returns a code of the seed's secret, shifted by `steps` from the current one. */
const code = (rental: Rental, steps = 0) =>
  totpCode(readTotpSecret('JBSWY3DPEHPK3PXP'), totpStep(rental.clock.now()) + steps);

describe('POST /account/withdrawal', () => {
  it('creates a pending withdrawal and charges the amount and the fee of 1 TRX', async () => {
    const rental = await serveRental();
    const { status, json } = await withdraw(rental);
    expect(status).toBe(200);
    expect(json).toEqual({
      id: 1,
      to_address: ADDRESS,
      amount_trx: '20.00',
      fee_trx: '1.00',
      status: 'pending',
      created_at: '2025-06-01T12:00:00.000Z',
    });
    expect(await balance(rental)).toBe('979.00');
    expect(await received(rental)).toBe('0.00');
    const { withdrawals, ledger, audit } = await rental.state();
    expect(withdrawals).toMatchObject([{ id: 1, account_id: 1001 }]);
    expect(ledger).toMatchObject([{ kind: 'withdrawal', amount_trx: '-21.00', withdrawal_id: 1 }]);
    expect(audit).toMatchObject({ ok: true, held: { trx: '21.00' }, income: { trx: '0.00' } });
  });

  it('is completed once by the control API, which sends the TRX and earns the fee', async () => {
    const rental = await serveRental();
    await withdraw(rental);
    const done = await rental.control('POST', '/withdrawals/1/complete');
    expect(done).toMatchObject({ status: 200, json: { status: 'completed' } });
    expect((await rental.control('POST', '/withdrawals/1/complete')).status).toBe(409);
    expect((await rental.control('POST', '/withdrawals/1/fail')).status).toBe(409);
    expect(await balance(rental)).toBe('979.00');
    expect(await received(rental)).toBe('20.00');
    const { withdrawals, chain, audit } = await rental.state();
    expect(withdrawals[0]?.tx_hash).toBe(chain.transactions[0]?.tx_hash);
    expect(audit).toMatchObject({ ok: true, held: { trx: '0.00' }, income: { trx: '1.00' } });
  });

  it('fails once by the control API, which refunds amount and fee', async () => {
    const rental = await serveRental();
    await withdraw(rental);
    const failed = await rental.control<Answer>('POST', '/withdrawals/1/fail');
    expect(failed).toMatchObject({ status: 200, json: { status: 'failed' } });
    expect(failed.json.tx_hash).toBeUndefined();
    expect((await rental.control('POST', '/withdrawals/1/fail')).status).toBe(409);
    expect(await balance(rental)).toBe('1000.00');
    expect((await rental.state()).ledger[0]).toMatchObject({
      kind: 'withdrawal_refund',
      amount_trx: '21.00',
      withdrawal_id: 1,
    });
    expect((await rental.state()).audit.ok).toBe(true);
    expect((await rental.control('POST', '/withdrawals/2/fail')).status).toBe(404);
  });

  it('is sent to the webhook once it is completed, with the fields of its record', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(200);
    await rental.ask('POST', '/webhooks/configure', { body: { url } });
    await withdraw(rental);
    await rental.control('POST', '/withdrawals/1/complete');
    await eventually(() => expect(received).toHaveLength(1));
    const [record] = (await rental.ask<object[]>('GET', '/account/withdrawals')).json;
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      event: 'withdrawal.completed',
      data: record,
    });
  });

  it('is completed automatically after the configured time unless it failed before', async () => {
    const rental = await serveRental({ completeAfterMs: 2 * MINUTE });
    await withdraw(rental);
    rental.clock.advance(MINUTE);
    await withdraw(rental);
    await rental.control('POST', '/withdrawals/2/fail');
    rental.clock.advance(2 * MINUTE);
    expect((await rental.state()).withdrawals.map(({ status }) => status)).toEqual(['failed', 'completed']);
  });

  it('returns `completed` if completion takes no time', async () => {
    const rental = await serveRental({ completeAfterMs: 0 });
    expect((await withdraw(rental)).json).toMatchObject({
      status: 'completed',
      tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('is allowed once a minute', async () => {
    const rental = await serveRental();
    expect((await withdraw(rental)).status).toBe(200);
    rental.clock.advance(MINUTE - 1);
    expect((await withdraw(rental)).status).toBe(429);
    rental.clock.advance(1);
    expect((await withdraw(rental)).status).toBe(200);
    expect((await rental.state()).withdrawals).toHaveLength(2);
  });

  it('accepts from one sun up to the exact balance minus the fee', async () => {
    const rental = await serveRental();
    expect((await withdraw(rental, { amount_trx: '0.000001' })).json).toMatchObject({
      amount_trx: '0.000001',
    });
    rental.clock.advance(MINUTE);
    const more = await withdraw(rental, { amount_trx: '998.000000' });
    expect(more.json.detail?.error).toEqual({
      code: 'INSUFFICIENT_BALANCE',
      message: '999.00 TRX needed, 998.999999 TRX available',
    });
    rental.clock.advance(MINUTE);
    expect((await withdraw(rental, { amount_trx: '997.999999' })).status).toBe(200);
    expect(await balance(rental)).toBe('0.00');
  });

  it.each([
    ['amount_trx', '0', 'amount_trx: expected more than 0'],
    ['amount_trx', '0.0000001', /up to six decimals/],
    ['amount_trx', '-5', /up to six decimals/],
    ['amount_trx', '1e3', /up to six decimals/],
    ['amount_trx', 20, 'amount_trx: expected a decimal string of TRX, like "12.50"'],
    ['to_address', undefined, 'to_address: expected a chain address: T and 33 more characters'],
    ['totp_code', 123456, 'totp_code: expected a one-time code of six digits'],
  ])('rejects a %s of %j', async (field, value, detail) => {
    const rental = await serveRental();
    const { status, json } = await withdraw(rental, { [field]: value });
    expect(status).toBe(422);
    expect(json.detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
    expect((await rental.state()).ledger).toEqual([]);
  });

  it.each([
    ['is not a valid address', 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999'],
    ['is the service’s own address', SERVICE],
  ])('rejects a to_address that %s', async (_, to_address) => {
    const rental = await serveRental();
    const { status, json } = await withdraw(rental, { to_address });
    expect([status, json.detail.error.code]).toEqual([400, 'INVALID_ADDRESS']);
    expect(await balance(rental)).toBe('1000.00');
  });

  it('arrives as a deposit if it goes to another account’s deposit address', async () => {
    const rental = await serveRental({ completeAfterMs: 0, confirmAfterMs: 1_000 });
    const { json } = await rental.ask<{ deposit_address: string }>('GET', '/account/deposit', {
      key: 'empty-key',
    });
    await withdraw(rental, { to_address: json.deposit_address });
    expect((await rental.state()).audit.ok).toBe(true);
    rental.clock.advance(1_000);
    expect(await balance(rental, 'empty-key')).toBe('20.00');
    expect((await rental.state()).audit.ok).toBe(true);
  });
});

describe('an account with 2FA', () => {
  const refusal = async (rental: Rental, totp_code?: string) => {
    const { status, json } = await withdraw(rental, { key: 'totp-key', totp_code });
    return [status, json.detail?.error.code];
  };
  const OK = [200, undefined];
  const WRONG = [403, 'INVALID_2FA_CODE'];

  it('is shown as such in its profile', async () => {
    const rental = await serveRental();
    const { json } = await rental.ask('GET', '/account/profile', { key: 'totp-key' });
    expect(json).toMatchObject({ id: 1004, totp_enabled: true, balance_trx: '300.00' });
  });

  it('requires a code to withdraw', async () => {
    const rental = await serveRental();
    expect(await refusal(rental)).toEqual([403, '2FA_REQUIRED']);
    rental.clock.advance(MINUTE);
    expect(await refusal(rental, '')).toEqual([403, '2FA_REQUIRED']);
    expect(await balance(rental, 'totp-key')).toBe('300.00');
  });

  it.each([-1, 0, 1])('accepts the code that is %i steps away', async (steps) => {
    const rental = await serveRental();
    expect(await refusal(rental, code(rental, steps))).toEqual(OK);
    expect(await balance(rental, 'totp-key')).toBe('279.00');
  });

  it.each([-2, 2])('rejects the code that is %i steps away', async (steps) => {
    const rental = await serveRental();
    expect(await refusal(rental, code(rental, steps))).toEqual(WRONG);
    expect((await rental.state()).ledger).toEqual([]);
  });

  it.each(['000000', '12345', 'abcdef', ' 123456'])('rejects the code %j', async (wrong) => {
    const rental = await serveRental();
    expect(await refusal(rental, wrong)).toEqual(WRONG);
  });

  it('accepts each code once, even if its step continues', async () => {
    const rental = await serveRental();
    rental.clock.advance(MINUTE);
    const [early, late] = [code(rental, 1), code(rental, 2)];
    expect(await refusal(rental, early)).toEqual(OK);
    rental.clock.advance(MINUTE);
    expect(await refusal(rental, early)).toEqual(WRONG);
    rental.clock.advance(MINUTE);
    expect(await refusal(rental, late)).toEqual(WRONG);
    rental.clock.advance(MINUTE);
    expect(await refusal(rental, code(rental))).toEqual(OK);
  });

  it('uses up a code even if the balance is insufficient', async () => {
    const rental = await serveRental();
    const body = { key: 'totp-key', amount_trx: '300', totp_code: code(rental, 1) };
    expect((await withdraw(rental, body)).json.detail.error.code).toBe('INSUFFICIENT_BALANCE');
    rental.clock.advance(MINUTE);
    expect(await refusal(rental, body.totp_code)).toEqual(WRONG);
  });

  it('keeps a code used when the rate limit and the code’s step both restart', async () => {
    const rental = await serveRental();
    // Both ends of the minute accept the code of the step between them.
    rental.clock.advance(STEP - 1);
    const between = code(rental, 1);
    expect(await refusal(rental, between)).toEqual(OK);
    rental.clock.advance(MINUTE);
    expect(code(rental, -1)).toBe(between);
    expect(await refusal(rental, between)).toEqual(WRONG);
    expect(rental.clock.now()).toBe(START + STEP - 1 + MINUTE);
  });

  it('requires no code if 2FA is off, and ignores one that is sent', async () => {
    const rental = await serveRental();
    expect((await withdraw(rental, { totp_code: '000000' })).status).toBe(200);
  });
});

describe('GET /account/withdrawals', () => {
  it('lists the account’s withdrawals, newest first', async () => {
    const rental = await serveRental();
    const list = async (key?: string) => (await rental.ask('GET', '/account/withdrawals', { key })).json;
    expect(await list()).toEqual([]);
    await withdraw(rental);
    await withdraw(rental, { key: 'merchant-key' });
    rental.clock.advance(MINUTE);
    await withdraw(rental, { amount_trx: '5' });
    await rental.control('POST', '/withdrawals/1/complete');
    expect(await list()).toEqual([
      {
        id: 3,
        to_address: ADDRESS,
        amount_trx: '5.00',
        fee_trx: '1.00',
        status: 'pending',
        created_at: '2025-06-01T12:01:00.000Z',
      },
      {
        id: 1,
        to_address: ADDRESS,
        amount_trx: '20.00',
        fee_trx: '1.00',
        status: 'completed',
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: '2025-06-01T12:00:00.000Z',
      },
    ]);
    expect(await list('merchant-key')).toMatchObject([{ id: 2 }]);
  });
});
