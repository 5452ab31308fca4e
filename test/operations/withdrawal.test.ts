import { Redis } from 'ioredis';
import { test as base, describe, expect, onTestFinished } from 'vitest';
import { CONTINUITY } from '../../src/platform/redis-continuity.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { Withdrawal } from '../../src/rental-api/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { CARD, type OperationsSetup, openOn, setUpOperations, USER, WITHDRAWAL } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, HASH, OFFLINE, profileOf, rejected } from './rental-stand-in.ts';

const CODE = '123456';
const MINUTE = 60_000;

const sent = (more: Partial<Withdrawal> = {}): Withdrawal => ({
  id: 31,
  to_address: ADDRESS,
  amount_trx: '12.50',
  fee_trx: '1.00',
  status: 'pending',
  created_at: '2025-06-01T12:00:01Z',
  ...more,
});

/** Returns the profile of an account with 2FA. */
function withCodes(balance: string) {
  const profile = profileOf(balance);
  return { ...profile, value: { ...profile.value, totp_enabled: true } };
}

/** Opens an account with a simulated list of withdrawals. */
function openAccount(...listed: Withdrawal[]) {
  return openAccountIn(undefined, listed);
}

const test = base.extend('setup', () => openAccount());

function openAccountIn(storage: Storage | undefined, listed: Withdrawal[] = []) {
  const setup = setUpOperations(storage);
  const { rental } = setup;
  rental.profile.mockResolvedValue(withCodes('1000.00'));
  rental.withdrawals.mockImplementation(async () => accepted(listed));
  rental.withdraw.mockImplementation(async (_key, { amount_trx, to_address }) => {
    const made = sent({ amount_trx, to_address });
    listed.push(made);
    return accepted(made);
  });
  return { ...setup, listed };
}

/** Opens the account with its records in Redis, and a connection that changes them from outside. */
async function openAccountInRedis() {
  const url = await redisUrl();
  const storage = createRedisStorage({ url, log: silentLog() });
  const redis = new Redis(url);
  onTestFinished(async () => {
    redis.disconnect();
    await storage.close();
  });
  return { ...openAccountIn(storage), redis };
}

/** Creates a confirmed withdrawal that awaits its code. */
async function awaiting(setup: OperationsSetup, more = {}) {
  return setup.claimed({ request: WITHDRAWAL, balance: '1000.00', ...more });
}

/** Commits the code, as the update of its message does. */
const withCode = (
  setup: OperationsSetup,
  operation: { user: number; id: string },
  code = CODE,
  sentAt = setup.clock.now,
) => setup.claimWithCode(operation, code, sentAt);

async function executedResult(setup: OperationsSetup, more = {}, code = CODE) {
  const operation = await awaiting(setup, more);
  await withCode(setup, operation, code);
  await setup.advance(operation);
  return setup.read(operation);
}

describe('a withdrawal', () => {
  test('is never sent without its code', async ({ setup }) => {
    const operation = await awaiting(setup);
    expect(await setup.read(operation)).toMatchObject({ state: 'awaiting', receipt: { card: CARD } });
    await setup.advance(operation);
    await setup.advance(operation);
    expect(await setup.operations.decisions.confirm(operation, CARD, openOn(operation))).toMatchObject({
      kind: 'decided',
    });
    await setup.pass(MINUTE);
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
  });

  test('is sent once with its code, which is stored neither before nor after the request', async ({
    setup,
  }) => {
    const contents = async () =>
      (await Promise.all((await storedKeys(setup.storage)).map((key) => setup.storage.get(key)))).join();
    let stored = '';
    setup.rental.withdrawals.mockImplementationOnce(async () => {
      stored = await contents();
      return accepted([]);
    });
    expect(await executedResult(setup)).toMatchObject({
      state: 'done',
      result: { order: 31, status: 'pending', price: '13.50', balanceLeft: '986.50' },
    });
    expect(setup.rental.withdraw.mock.calls).toEqual([
      [expect.any(String), { to_address: ADDRESS, amount_trx: '12.50', totp_code: CODE }],
    ]);
    expect(stored).toContain('claimed');
    expect(stored + (await contents())).not.toContain(CODE);
  });

  test('refuses a code that is a minute old, also after its claim', async ({ setup }) => {
    const operation = await awaiting(setup);
    expect(await withCode(setup, operation, CODE, setup.clock.now - MINUTE)).toBe('code-old');
    expect(await withCode(setup, operation, CODE, setup.clock.now - MINUTE / 2)).toBe('claimed');
    setup.clock.now += MINUTE / 2;
    await setup.advance(operation);
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('code-gone');
  });

  test("accepts no code after the card's two minutes or its cancellation on its own card", async ({
    setup,
  }) => {
    const operation = await awaiting(setup);
    setup.clock.now += 2 * MINUTE;
    expect(await withCode(setup, operation)).toBe('expired');
    await setup.pass(MINUTE);
    expect(await setup.read(operation)).toMatchObject({ state: 'expired' });
    expect(setup.shown().at(-1)).toBe('expired');
    expect(await withCode(setup, operation)).toBe('decided');
    const cancelled = await awaiting(setup);
    expect(await setup.operations.decisions.cancel(cancelled, CARD + 1, openOn(cancelled))).toMatchObject({
      kind: 'decided',
    });
    expect(await setup.read(cancelled)).toMatchObject({ state: 'awaiting' });
    const decision = await setup.operations.decisions.cancel(cancelled, CARD, undefined);
    if (decision.kind !== 'claim') throw new Error(`unexpected decision: ${decision.kind}`);
    const { key, expected, value } = decision.claim;
    await setup.storage.replace(key, expected, value);
    expect(await withCode(setup, cancelled)).toBe('decided');
  });

  test('is not claimed when the storage is rolled back right before its code is committed', async () => {
    const setup = await openAccountInRedis();
    const operation = await awaiting(setup);
    await setup.redis.hset(CONTINUITY.keys, 'epoch', 'another');
    expect(await withCode(setup, operation)).toBe('conflict');
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'awaiting' });
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
  });

  test('accepts a code once if it arrives twice at the same time', async ({ setup }) => {
    const operation = await awaiting(setup);
    const { decisions } = setup.operations;
    const both = await Promise.all([1, 2].map(() => decisions.withCode(operation, setup.clock.now)));
    const written: boolean[] = [];
    for (const [at, one] of both.entries()) {
      if (one.kind !== 'claim') throw new Error(`unexpected decision: ${one.kind}`);
      // Commits write different values. Here a space makes the difference, because the clock stands still.
      const { key, expected, value } = one.claim;
      written.push(await setup.storage.replace(key, expected, `${value}${' '.repeat(at)}`));
    }
    expect(written).toEqual([true, false]);
  });

  test.for([
    [403, 'INVALID_2FA_CODE'],
    [401, 'HTTP_401'],
    [403, 'HTTP_403'],
    [400, 'INVALID_2FA_CODE'],
    [422, 'HTTP_422', 'the one-time code is wrong'],
  ] as const)(
    'is refused for good after a wrong code (%s %s), with a cooldown of a minute',
    async ([status, code, message = 'no'], { setup }) => {
      setup.rental.withdraw.mockResolvedValueOnce({ ...rejected(status, code), message });
      const refused = await executedResult(setup, {}, '000000');
      expect(refused).toMatchObject({ state: 'refused', refusal: { reason: 'code' } });
      expect(await withCode(setup, refused)).toBe('decided');
      const { cooldowns } = setup.operations;
      const withdrawal = { account: ACCOUNT, request: WITHDRAWAL };
      expect(await cooldowns.remainingMs(withdrawal)).toBe(MINUTE);
      expect(await cooldowns.remainingMs({ ...withdrawal, account: ACCOUNT + 1 })).toBe(0);
      expect(await executedResult(setup)).toMatchObject({ state: 'awaiting' });
      await setup.pass(MINUTE);
      expect(setup.rental.withdraw).toHaveBeenCalledOnce();
      expect(await executedResult(setup)).toMatchObject({ state: 'done' });
      await setup.pass(5 * MINUTE);
      expect(setup.rental.withdraw).toHaveBeenCalledTimes(2);
    },
  );

  test('shortens the receipt of a wrong code even if its process ends in between', async ({ setup }) => {
    setup.rental.withdraw.mockResolvedValueOnce(rejected(403, 'INVALID_2FA_CODE'));
    const refused = await executedResult(setup);
    setup.show.mockRejectedValueOnce(new Error('the process ended'));
    await expect(setup.operations.settlement.markRepeated(refused)).rejects.toThrow();
    expect(await setup.isNotified(refused)).toBe(false);
    await setup.pass(6_000);
    expect(await setup.isNotified(refused)).toBe(true);
    expect(setup.show.mock.lastCall?.[0]).toMatchObject({ id: refused.id, isRepeated: true });
  });

  test.for([
    [32_999, 0, 'too-early'],
    [33_000, 0, 'claimed'],
    [33_500, 501, 'too-early'],
    [33_500, 500, 'claimed'],
  ] as const)(
    'after %s ms of a cooldown, a code sent %s ms ago is %s',
    async ([ms, age, decision], { setup }) => {
      // The cooldown ends within a step of the codes, 27 s after its start.
      setup.clock.now += 27_000 - MINUTE;
      const operation = await awaiting(setup);
      const { cooldowns } = setup.operations;
      await cooldowns.begin(operation);
      setup.clock.now += ms;
      expect(await withCode(setup, operation, CODE, setup.clock.now - age)).toBe(decision);
      expect(setup.rental.withdraw).not.toHaveBeenCalled();
    },
  );

  test('does not report a wrong code if none was sent', async ({ setup }) => {
    setup.rental.withdraw.mockResolvedValueOnce(rejected(403, 'HTTP_403'));
    const request = { ...WITHDRAWAL, cap: '100' };
    const kind = setup.operations.kinds.of(request);
    expect(await kind.send(setup.rental, 'key', request, undefined)).toMatchObject({ code: 'HTTP_403' });
  });

  test('is not sent for the whole balance if the card showed another one or none', async ({ setup }) => {
    const request = { ...WITHDRAWAL, trx: '999.00', all: true };
    setup.rental.profile.mockResolvedValue(withCodes('1000.01'));
    expect(await executedResult(setup, { request })).toMatchObject({ refusal: { reason: 'balance' } });
    const unseen = await executedResult(setup, { request, balance: undefined });
    expect(unseen).toMatchObject({ refusal: { reason: 'balance' } });
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
    setup.rental.profile.mockResolvedValue(withCodes('1000.000'));
    expect(await executedResult(setup, { request })).toMatchObject({ state: 'done' });
  });

  test.each([
    [true, 'operator'],
    [undefined, 'offline'],
  ])('is not sent from the operator account, or if that cannot be checked: %s', async (owns, reason) => {
    const setup = openAccount();
    setup.operator.owns.mockResolvedValue(owns);
    expect(await executedResult(setup)).toMatchObject({ state: 'refused', refusal: { reason } });
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
  });

  test.for([ADDRESS, 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4'])(
    'is sent for one of two concurrent users of an account, also to %s',
    async (address, { setup }) => {
      const request = { ...WITHDRAWAL, address };
      const all = [await awaiting(setup), await awaiting(setup, { user: USER + 1, request })];
      for (const operation of all) await withCode(setup, operation);
      await Promise.all(all.map((operation) => setup.executeClaim(operation, setup.replica())));
      expect(setup.rental.withdraw).toHaveBeenCalledOnce();
      const states = (await Promise.all(all.map(setup.read))).map(({ state }) => state);
      expect(states.toSorted()).toEqual(['done', 'refused']);
    },
  );

  test('is not sent if the list of withdrawals cannot be read before', async ({ setup }) => {
    setup.rental.withdrawals.mockResolvedValue(OFFLINE);
    expect(await executedResult(setup)).toMatchObject({ state: 'refused', refusal: { reason: 'offline' } });
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
  });
});

describe('a withdrawal with a lost response', () => {
  test('is settled by a new matching withdrawal on the list and then allows another one', async () => {
    const setup = openAccount(sent({ id: 30 }));
    setup.rental.withdraw.mockImplementationOnce(async () => {
      setup.listed.push(sent({ id: 31, amount_trx: '12.5', status: 'completed', tx_hash: HASH }));
      return CUT;
    });
    const operation = await executedResult(setup);
    expect(operation).toMatchObject({ state: 'unknown', attempt: { listedBefore: [30] } });
    await setup.pass(15_000);
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      result: { order: 31, status: 'completed', txHash: HASH },
    });
    setup.clock.now += MINUTE;
    expect(await executedResult(setup)).toMatchObject({ state: 'done' });
  });

  test.each([
    ['of another amount', { amount_trx: '12.51' }],
    ['to another address', { to_address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' }],
  ])('is not settled by a withdrawal %s, nor by the balance', async (_, other) => {
    const setup = openAccount(sent({ id: 30 }));
    setup.rental.withdraw.mockResolvedValueOnce(CUT);
    const operation = await executedResult(setup);
    setup.listed.push(sent({ id: 31, ...other }));
    setup.rental.profile.mockResolvedValue(withCodes('986.50'));
    await setup.pass(5 * MINUTE);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.rental.withdraw).toHaveBeenCalledOnce();
  });

  test('notifies all account holders, like an accepted one and unlike a refused one', async ({ setup }) => {
    setup.rental.withdraw.mockResolvedValueOnce(CUT);
    const unknown = await executedResult(setup);
    expect(setup.onExecuted.mock.calls).toEqual([[expect.objectContaining({ id: unknown.id })]]);
    setup.clock.now += 11 * MINUTE;
    const done = await executedResult(setup);
    expect(setup.onExecuted.mock.calls.at(-1)).toEqual([expect.objectContaining({ id: done.id })]);
    setup.clock.now += 11 * MINUTE;
    setup.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
    await executedResult(setup);
    expect(setup.onExecuted).toHaveBeenCalledTimes(2);
  });
});

describe('a pending withdrawal', () => {
  test.each([
    ['completed', { status: 'completed', tx_hash: HASH }, { status: 'completed', txHash: HASH }],
    ['failed', { status: 'failed' }, { status: 'failed' }],
  ])('is polled until it is %s and then sends a follow-up', async (_, becomes, result) => {
    const setup = openAccount(sent({ id: 30, status: 'completed', tx_hash: HASH }));
    const operation = await executedResult(setup);
    await setup.pass(MINUTE);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
    await setup.pass(MINUTE);
    const pending = await setup.read(operation);
    expect(pending).toMatchObject({ result: { order: 31, status: 'pending' } });
    expect(pending).not.toHaveProperty('result.txHash');
    Object.assign(setup.listed[1] ?? {}, becomes);
    setup.rental.profile.mockResolvedValue(withCodes('986.50'));
    await setup.pass(2 * MINUTE);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result });
    expect(setup.show.mock.calls.at(-1)?.[0]).toMatchObject({ receipt: { late: true }, result });
    setup.rental.withdrawals.mockClear();
    await setup.pass(10 * MINUTE);
    expect(setup.rental.withdrawals).not.toHaveBeenCalled();
  });
});

test('is refused if 2FA was turned off after the confirmation', async ({ setup }) => {
  const operation = await awaiting(setup);
  await withCode(setup, operation);
  setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
  await setup.advance(operation);
  expect(await setup.refusal(operation)).toBe('codes-off');
  expect(setup.rental.withdraw).not.toHaveBeenCalled();
});

test('does not settle a lost withdrawal by an identical one hours later', async ({ setup }) => {
  setup.rental.withdraw.mockResolvedValueOnce(CUT);
  const operation = await executedResult(setup);
  await setup.pass(5 * MINUTE);
  setup.clock.now += 5 * 60 * MINUTE;
  setup.listed.push(sent({ id: 90, created_at: new Date(setup.clock.now).toISOString() }));
  await setup.pass(60 * MINUTE);
  expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
});

test('settles a lost withdrawal by the matching one that no other operation has', async ({ setup }) => {
  const first = await executedResult(setup);
  setup.clock.now += 2 * MINUTE;
  setup.rental.withdraw.mockImplementationOnce(async () => {
    setup.listed.push(sent({ id: 32, created_at: new Date(setup.clock.now).toISOString() }));
    return CUT;
  });
  const second = await executedResult(setup, { user: USER + 1 });
  await setup.pass(15_000);
  expect([await setup.read(first), await setup.read(second)]).toMatchObject([
    { result: { order: 31 } },
    { state: 'done', result: { order: 32 } },
  ]);
});

describe('account holders', () => {
  test('are notified once of a withdrawal whose process died', async ({ setup }) => {
    const operation = await awaiting(setup);
    await withCode(setup, operation);
    // The process dies during the request.
    setup.rental.withdraw.mockImplementation(() => new Promise(() => undefined));
    void setup.executeClaim(operation, setup.replica());
    await eventually(() => expect(setup.rental.withdraw).toHaveBeenCalled());
    setup.clock.now += 10_000;
    await setup.pass(30_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.onExecuted).toHaveBeenCalledOnce();
  });

  test('are not notified of purchases', async ({ setup }) => {
    await setup.lost();
    await setup.executed();
    expect(setup.onExecuted).not.toHaveBeenCalled();
  });
});
