import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CONTINUITY } from '../../src/platform/redis-continuity.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { Withdrawal } from '../../src/rental-api/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { CARD, openOn, openRoom, type Room, USER, WITHDRAWAL } from './operations-setup.ts';
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

function openAccountIn(storage: Storage | undefined, listed: Withdrawal[] = []) {
  const room = openRoom(storage);
  const { rental } = room;
  rental.profile.mockResolvedValue(withCodes('1000.00'));
  rental.withdrawals.mockImplementation(async () => accepted(listed));
  rental.withdraw.mockImplementation(async (_key, { amount_trx, to_address }) => {
    const made = sent({ amount_trx, to_address });
    listed.push(made);
    return accepted(made);
  });
  return { ...room, listed };
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
async function awaiting(room: Room, more = {}) {
  return room.claimed({ request: WITHDRAWAL, balance: '1000.00', ...more });
}

/** Commits the code, as the update of its message does. */
const withCode = (room: Room, operation: { user: number; id: string }, code = CODE) =>
  room.claimWithCode(operation, code);

async function carriedOut(room: Room, more = {}, code = CODE) {
  const operation = await awaiting(room, more);
  await withCode(room, operation, code);
  await room.advance(operation);
  return room.read(operation);
}

describe('a withdrawal', () => {
  test('is never sent without its code', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    expect(await room.read(operation)).toMatchObject({ state: 'awaiting', card: CARD });
    await room.advance(operation);
    await room.advance(operation);
    expect(await room.operations.decisions.confirm(operation, CARD, openOn(operation))).toMatchObject({
      kind: 'decided',
    });
    await room.pass(MINUTE);
    expect(room.rental.withdraw).not.toHaveBeenCalled();
  });

  test('is sent once with its code, which is not stored', async () => {
    const room = openAccount();
    const done = await carriedOut(room);
    expect(done).toMatchObject({
      state: 'done',
      result: { order: 31, status: 'pending', price: '13.50', balanceLeft: '1000.00' },
    });
    expect(room.rental.withdraw.mock.calls).toEqual([
      [expect.any(String), { to_address: ADDRESS, amount_trx: '12.50', totp_code: CODE }],
    ]);
    for (const key of await room.storage.keys(''))
      expect((await room.storage.get(key)) ?? '').not.toContain(CODE);
  });

  test('refuses a code that waited for a minute', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    await withCode(room, operation);
    room.clock.now += MINUTE;
    await room.advance(operation);
    expect(room.rental.withdraw).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'code-gone' } });
  });

  test('does not store the code before the request', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    await withCode(room, operation);
    const stored: string[] = [];
    room.rental.withdrawals.mockImplementationOnce(async () => {
      for (const key of await room.storage.keys('')) stored.push((await room.storage.get(key)) ?? '');
      return accepted([]);
    });
    await room.advance(operation);
    expect(stored.join()).toContain('claimed');
    expect(stored.join()).not.toContain(CODE);
  });

  test("accepts no code after the card's two minutes and shows it as expired", async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    room.clock.now += 2 * MINUTE;
    expect(await withCode(room, operation)).toBe('expired');
    await room.pass(MINUTE);
    expect(await room.read(operation)).toMatchObject({ state: 'expired' });
    expect(room.shown().at(-1)).toBe('expired');
    expect(await withCode(room, operation)).toBe('decided');
  });

  test('counts its claim once its code has arrived', async () => {
    const room = await openAccountInRedis();
    const operation = await awaiting(room);
    const claims = () => room.redis.hget(CONTINUITY, 'claims');
    expect(await claims()).toBe('0');
    expect(await withCode(room, operation)).toBe('claimed');
    expect(await claims()).toBe('1');
  });

  test('is not claimed when the storage is rolled back right before its code is committed', async () => {
    const room = await openAccountInRedis();
    const operation = await awaiting(room);
    await room.redis.hset(CONTINUITY, 'epoch', 'another');
    expect(await withCode(room, operation)).toBe('conflict');
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'awaiting' });
    expect(room.rental.withdraw).not.toHaveBeenCalled();
  });

  test('is refused as not sent when its process dies before the request', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    await withCode(room, operation);
    await room.lookLater(operation);
    expect(await room.read(operation)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'interrupted' },
    });
    expect(room.shown().at(-1)).toBe('refused');
    expect(room.rental.withdraw).not.toHaveBeenCalled();
  });

  test('is refused without a request when the storage rolls its claim back', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    const key = `operation:{${operation.user}}:${operation.id}`;
    const before = (await room.storage.get(key)) ?? '';
    await withCode(room, operation);
    room.rental.withdrawals.mockImplementationOnce(async () => {
      await room.storage.set(key, before);
      return accepted([]);
    });
    await room.advance(operation);
    expect(room.rental.withdraw).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'interrupted' },
    });
    expect(room.shown().at(-1)).toBe('refused');
  });

  test('accepts a code once if it arrives twice at the same time', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    const { decisions } = room.operations;
    const both = await Promise.all([decisions.withCode(operation), decisions.withCode(operation)]);
    const written: boolean[] = [];
    for (const [at, one] of both.entries()) {
      if (one.kind !== 'claim') throw new Error(`unexpected decision: ${one.kind}`);
      // Commits write different values. Here a space makes the difference, because the clock stands still.
      const { key, expected, value } = one.claim;
      written.push(await room.storage.replace(key, expected, `${value}${' '.repeat(at)}`));
    }
    expect(written).toEqual([true, false]);
  });

  test('accepts no code after its cancellation', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    const decision = await room.operations.decisions.cancel(operation, CARD, undefined);
    if (decision.kind !== 'claim') throw new Error(`unexpected decision: ${decision.kind}`);
    const { key, expected, value } = decision.claim;
    await room.storage.replace(key, expected, value);
    expect(await withCode(room, operation)).toBe('decided');
  });

  test('is refused for good after a wrong code', async () => {
    const room = openAccount();
    room.rental.withdraw.mockResolvedValueOnce(rejected(403, 'INVALID_2FA_CODE'));
    const refused = await carriedOut(room, {}, '000000');
    expect(refused).toMatchObject({ state: 'refused', refusal: { reason: 'code' } });
    expect(await withCode(room, refused)).toBe('decided');
    await room.pass(5 * MINUTE);
    expect(room.rental.withdraw).toHaveBeenCalledOnce();
  });

  test('causes a cooldown of a minute, also after a wrong code', async () => {
    const room = openAccount();
    room.rental.withdraw.mockResolvedValueOnce(rejected(403, 'INVALID_2FA_CODE'));
    await carriedOut(room);
    const { rests } = room.operations;
    const asked = { account: ACCOUNT, request: WITHDRAWAL };
    expect(await rests.left(asked)).toBe(MINUTE);
    expect(await rests.left({ ...asked, account: ACCOUNT + 1 })).toBe(0);
    expect(await carriedOut(room)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'limited', seconds: 60 },
    });
    room.clock.now += MINUTE;
    expect(await carriedOut(room)).toMatchObject({ state: 'done' });
    expect(room.rental.withdraw).toHaveBeenCalledTimes(2);
  });

  test('is not sent for the whole balance if that differs from the card', async () => {
    const room = openAccount();
    const request = { ...WITHDRAWAL, trx: '999.00', all: true };
    room.rental.profile.mockResolvedValue(withCodes('1000.01'));
    expect(await carriedOut(room, { request })).toMatchObject({ refusal: { reason: 'balance' } });
    expect(room.rental.withdraw).not.toHaveBeenCalled();
    room.rental.profile.mockResolvedValue(withCodes('1000.000'));
    expect(await carriedOut(room, { request })).toMatchObject({ state: 'done' });
  });

  test.each([
    [true, 'operator'],
    [undefined, 'offline'],
  ])('is not sent from the operator account, or if that cannot be checked: %s', async (owns, reason) => {
    const room = openAccount();
    room.operator.owns.mockResolvedValue(owns);
    expect(await carriedOut(room)).toMatchObject({ state: 'refused', refusal: { reason } });
    expect(room.rental.withdraw).not.toHaveBeenCalled();
  });

  test('is sent for one of two concurrent users of an account', async () => {
    const room = openAccount();
    const all = [await awaiting(room), await awaiting(room, { user: USER + 1 })];
    for (const operation of all) await withCode(room, operation);
    await Promise.all(all.map((operation) => room.carryOut(operation, room.replica())));
    expect(room.rental.withdraw).toHaveBeenCalledOnce();
    const states = (await Promise.all(all.map(room.read))).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['done', 'refused']);
  });

  test('is not sent if the list of withdrawals cannot be read before', async () => {
    const room = openAccount();
    room.rental.withdrawals.mockResolvedValue(OFFLINE);
    expect(await carriedOut(room)).toMatchObject({ state: 'refused', refusal: { reason: 'offline' } });
    expect(room.rental.withdraw).not.toHaveBeenCalled();
  });
});

describe('a withdrawal with a lost response', () => {
  test('is settled by a new matching withdrawal on the list', async () => {
    const room = openAccount(sent({ id: 30 }));
    room.rental.withdraw.mockImplementationOnce(async () => {
      room.listed.push(sent({ id: 31, amount_trx: '12.5', status: 'completed', tx_hash: HASH }));
      return CUT;
    });
    const operation = await carriedOut(room);
    expect(operation).toMatchObject({ state: 'unknown', listedBefore: [30] });
    await room.pass(15_000);
    expect(await room.read(operation)).toMatchObject({
      state: 'done',
      result: { order: 31, status: 'completed', txHash: HASH },
    });
  });

  test.each([
    ['of another amount', { amount_trx: '12.51' }],
    ['to another address', { to_address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' }],
  ])('is not settled by a withdrawal %s, nor by the balance', async (_, other) => {
    const room = openAccount(sent({ id: 30 }));
    room.rental.withdraw.mockResolvedValueOnce(CUT);
    const operation = await carriedOut(room);
    room.listed.push(sent({ id: 31, ...other }));
    room.rental.profile.mockResolvedValue(withCodes('986.50'));
    await room.pass(5 * MINUTE);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    expect(room.rental.withdraw).toHaveBeenCalledOnce();
  });

  test('notifies all account holders, like an accepted one and unlike a refused one', async () => {
    const room = openAccount();
    room.rental.withdraw.mockResolvedValueOnce(CUT);
    const unknown = await carriedOut(room);
    expect(room.tellHolders.mock.calls).toEqual([[expect.objectContaining({ id: unknown.id })]]);
    room.clock.now += 11 * MINUTE;
    const done = await carriedOut(room);
    expect(room.tellHolders.mock.calls.at(-1)).toEqual([expect.objectContaining({ id: done.id })]);
    room.clock.now += 11 * MINUTE;
    room.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
    await carriedOut(room);
    expect(room.tellHolders).toHaveBeenCalledTimes(2);
  });
});

describe('a pending withdrawal', () => {
  test.each([
    ['completed', { status: 'completed', tx_hash: HASH }, { status: 'completed', txHash: HASH }],
    ['failed', { status: 'failed' }, { status: 'failed' }],
  ])('is polled until it is %s and then sends a follow-up', async (_, becomes, result) => {
    const room = openAccount();
    const operation = await carriedOut(room);
    await room.pass(MINUTE);
    expect(await room.read(operation)).toMatchObject({ result: { status: 'pending' } });
    Object.assign(room.listed[0] ?? {}, becomes);
    await room.pass(2 * MINUTE);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result });
    expect(room.show.mock.calls.at(-1)?.[0]).toMatchObject({ late: true, result });
  });

  test('is not polled after it has completed', async () => {
    const room = openAccount();
    await carriedOut(room);
    Object.assign(room.listed[0] ?? {}, { status: 'completed' });
    await room.pass(2 * MINUTE);
    room.rental.withdrawals.mockClear();
    await room.pass(10 * MINUTE);
    expect(room.rental.withdrawals).not.toHaveBeenCalled();
  });
});

test('is refused if 2FA was turned off after the confirmation', async () => {
  const room = openAccount();
  const operation = await awaiting(room);
  await withCode(room, operation);
  room.rental.profile.mockResolvedValue(profileOf('1000.00'));
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'codes-off' } });
  expect(room.rental.withdraw).not.toHaveBeenCalled();
});

test('treats a rejection without a code as a wrong 2FA code, not a wrong key', async () => {
  for (const status of [401, 403]) {
    const room = openAccount();
    room.rental.withdraw.mockResolvedValueOnce(rejected(status, `HTTP_${status}`));
    expect(await carriedOut(room)).toMatchObject({ refusal: { reason: 'code' } });
  }
});

test('does not send the whole balance if the card did not show it', async () => {
  const room = openAccount();
  const request = { ...WITHDRAWAL, trx: '999.00', all: true };
  expect(await carriedOut(room, { request, balance: undefined })).toMatchObject({
    refusal: { reason: 'balance' },
  });
});

test('sends one of two concurrent withdrawals of an account, also to different addresses', async () => {
  const room = openAccount();
  const other = { ...WITHDRAWAL, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' };
  const all = [await awaiting(room), await awaiting(room, { user: USER + 1, request: other })];
  for (const operation of all) await withCode(room, operation);
  await Promise.all(all.map((operation) => room.carryOut(operation, room.replica())));
  expect(room.rental.withdraw).toHaveBeenCalledOnce();
});

test('updates a receipt by its own withdrawal only', async () => {
  const room = openAccount(sent({ id: 30, status: 'completed', tx_hash: HASH }));
  const operation = await carriedOut(room);
  await room.pass(2 * MINUTE);
  const { result } = await room.read(operation);
  expect(result).toMatchObject({ order: 31, status: 'pending' });
  expect(result).not.toHaveProperty('txHash');
});

test('does not settle a lost withdrawal by an identical one hours later', async () => {
  const room = openAccount();
  room.rental.withdraw.mockResolvedValueOnce(CUT);
  const operation = await carriedOut(room);
  await room.pass(5 * MINUTE);
  room.clock.now += 5 * 60 * MINUTE;
  room.listed.push(sent({ id: 90, created_at: new Date(room.clock.now).toISOString() }));
  await room.pass(60 * MINUTE);
  expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
});

test('settles a lost withdrawal by the matching one that no other operation has', async () => {
  const room = openAccount();
  const first = await carriedOut(room);
  room.clock.now += 2 * MINUTE;
  room.rental.withdraw.mockImplementationOnce(async () => {
    room.listed.push(sent({ id: 32, created_at: new Date(room.clock.now).toISOString() }));
    return CUT;
  });
  const second = await carriedOut(room, { user: USER + 1 });
  await room.pass(15_000);
  expect([await room.read(first), await room.read(second)]).toMatchObject([
    { result: { order: 31 } },
    { state: 'done', result: { order: 32 } },
  ]);
});

test('allows another withdrawal after a lost one has settled', async () => {
  const room = openAccount();
  room.rental.withdraw.mockImplementationOnce(async () => {
    room.listed.push(sent());
    return CUT;
  });
  const operation = await carriedOut(room);
  await room.pass(15_000);
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
  room.clock.now += MINUTE;
  expect(await carriedOut(room)).toMatchObject({ state: 'done' });
});

test('leaves a claim alone while the process that committed it prepares it', async () => {
  const room = openAccount();
  const operation = await awaiting(room);
  await withCode(room, operation);
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  room.rental.withdrawals.mockImplementationOnce(async () => {
    await held;
    return accepted([]);
  });
  const carriedOut = room.carryOut(operation);
  await eventually(() => expect(room.rental.withdrawals).toHaveBeenCalled());
  const elsewhere = room.replica();
  for (let at = 0; at < 3; at += 1) {
    room.clock.now += 6_000;
    await room.operations.reconciler.advance(operation);
    await room.storage.set(`heartbeat:{${operation.user}}:${operation.id}`, '', { ttlMs: 8_000 });
    await elsewhere.reconciler.advance(operation);
  }
  go();
  await carriedOut;
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
});

test('an operation that awaits its code is cancelled only on its own card', async () => {
  const room = openAccount();
  const operation = await awaiting(room);
  expect(await room.operations.decisions.cancel(operation, CARD + 1, openOn(operation))).toMatchObject({
    kind: 'decided',
  });
  expect(await room.read(operation)).toMatchObject({ state: 'awaiting' });
});

describe('account holders', () => {
  test('are notified once later, also by another process, if the first notification failed', async () => {
    const room = openAccount();
    room.tellHolders.mockRejectedValueOnce(new Error('the storage is away'));
    const operation = await carriedOut(room);
    expect(await room.read(operation)).toMatchObject({ state: 'done', untold: true });
    await room.pass(MINUTE, room.replica().reconciler);
    expect(room.tellHolders).toHaveBeenCalledTimes(2);
    await room.pass(5 * MINUTE);
    expect(room.tellHolders).toHaveBeenCalledTimes(2);
  });

  test('are notified of a completed withdrawal also after several failures', async () => {
    const room = openAccount();
    room.rental.withdraw.mockResolvedValueOnce(accepted(sent({ status: 'completed', tx_hash: HASH })));
    for (let times = 0; times < 3; times++)
      room.tellHolders.mockRejectedValueOnce(new Error('the storage is away'));
    const operation = await carriedOut(room);
    await room.pass(5 * MINUTE, room.replica().reconciler);
    expect(room.tellHolders).toHaveBeenCalledTimes(4);
    expect(await room.read(operation)).not.toHaveProperty('untold');
  });

  test('are notified once of a withdrawal whose process died', async () => {
    const room = openAccount();
    const operation = await awaiting(room);
    await withCode(room, operation);
    // The process dies during the request.
    room.rental.withdraw.mockImplementation(() => new Promise(() => undefined));
    void room.carryOut(operation, room.replica());
    await eventually(() => expect(room.rental.withdraw).toHaveBeenCalled());
    room.clock.now += 10_000;
    await room.pass(30_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    expect(room.tellHolders).toHaveBeenCalledOnce();
  });

  test('are not notified of purchases', async () => {
    const room = openAccount();
    await room.lost();
    await room.advance(await room.claimed());
    expect(room.tellHolders).not.toHaveBeenCalled();
  });
});
