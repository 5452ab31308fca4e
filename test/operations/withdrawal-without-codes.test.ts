import { expect, test } from 'vitest';
import { isWithdrawnTo } from '../../src/accounts/address-book.ts';
import { openRoom, type Room, SHOWN, USER, WITHDRAW_CAP, WITHDRAWAL } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, profileOf, rejected } from './rental-stand-in.ts';

const MINUTE = 60_000;
const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const DAY = 24 * 60 * MINUTE;
const OPEN = { ...WITHDRAWAL, cap: WITHDRAW_CAP };

/** Opens an account without 2FA. */
function openAccount() {
  const room = openRoom();
  room.rental.profile.mockResolvedValue(profileOf('1000.00'));
  room.rental.withdrawals.mockResolvedValue(accepted([]));
  room.rental.withdraw.mockImplementation(async (_key, { to_address, amount_trx }) =>
    accepted({
      ...{ id: 31, to_address, amount_trx, fee_trx: '1', status: 'pending', tx_hash: null },
      created_at: new Date(room.clock.now).toISOString(),
    }),
  );
  return room;
}

/** Announces an address to the account holders and lets the ten minutes pass. */
async function ripen({ announced, clock }: Room, { user = USER, address = ADDRESS } = {}) {
  const made = await announced.draft({ user, account: ACCOUNT, address, trx: '1' });
  if (made === undefined) throw new Error('too many announced addresses');
  await announced.keep(made);
  clock.now += 10 * MINUTE;
  return made;
}

async function carriedOut(room: Room, more = {}) {
  const operation = await room.claimed({ request: OPEN, balance: '1000.00', ...more });
  await room.advance(operation);
  return room.read(operation);
}

test('is sent without a code ten minutes after its address was announced', async () => {
  const room = openAccount();
  await ripen(room);
  expect(await carriedOut(room)).toMatchObject({ state: 'done', result: { order: 31 } });
  expect(room.rental.withdraw.mock.calls).toEqual([
    [expect.any(String), { to_address: ADDRESS, amount_trx: '12.50' }],
  ]);
});

test('marks an address as withdrawn to only after an accepted withdrawal', async () => {
  const room = openAccount();
  const isKnown = async () => isWithdrawnTo(await room.addressBook.known(USER), ADDRESS, ACCOUNT);
  await ripen(room);
  room.rental.withdraw.mockResolvedValueOnce(CUT);
  expect(await carriedOut(room)).toMatchObject({ state: 'unknown' });
  expect(await isKnown()).toBe(false);
  room.clock.now += 20 * MINUTE;
  expect(await carriedOut(room)).toMatchObject({ state: 'done' });
  expect(await isKnown()).toBe(true);
});

test('is not sent to an address that was not announced, or too early', async () => {
  const room = openAccount();
  expect(await carriedOut(room)).toMatchObject({ refusal: { reason: 'unannounced' } });
  await ripen(room);
  room.clock.now -= 1;
  expect(await carriedOut(room)).toMatchObject({ refusal: { reason: 'unannounced' } });
  expect(room.rental.withdraw).not.toHaveBeenCalled();
});

test.each<[string, { user?: number; account?: number }]>([
  ['another user of the account', { user: USER + 1 }],
  ['another account of the user', { account: ACCOUNT + 1 }],
])('an address announced by one user does not count for %s', async (_, other) => {
  const room = openAccount();
  await ripen(room);
  room.rental.profile.mockResolvedValue(
    accepted({ ...profileOf('1000.00').value, id: other.account ?? ACCOUNT }),
  );
  expect(await carriedOut(room, other)).toMatchObject({ refusal: { reason: 'unannounced' } });
});

test('is not sent for a day to an address that was struck out', async () => {
  const room = openAccount();
  const { id } = await ripen(room);
  await ripen(room, { user: USER + 1 });
  const operation = await room.claimed({ request: OPEN, balance: '1000.00' });
  await room.announced.strike(ACCOUNT, id);
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'struck' } });
  expect(await carriedOut(room, { user: USER + 1 })).toMatchObject({ refusal: { reason: 'struck' } });
  expect(room.rental.withdraw).not.toHaveBeenCalled();
});

test('stores no address if the account was unlinked during the request, but notifies the holders', async () => {
  const room = openAccount();
  const known = async () => [
    (await room.addressBook.known(USER)).addresses,
    (await room.announced.standing({ user: USER, account: ACCOUNT, address: ADDRESS })).kind,
  ];
  await ripen(room);
  const { withdraw } = room.rental;
  const answer = withdraw.getMockImplementation();
  withdraw.mockImplementationOnce(async (...given) => {
    room.apiKey.mockResolvedValue(undefined);
    return answer ? answer(...given) : CUT;
  });
  expect(await carriedOut(room)).toMatchObject({ state: 'done' });
  expect(room.tellHolders).toHaveBeenCalledOnce();
  room.clock.now += DAY;
  expect(await known()).toEqual([[], 'new']);
  room.apiKey.mockResolvedValue('the-key-again');
  await ripen(room);
  await carriedOut(room);
  room.clock.now += DAY;
  expect(await known()).toEqual([[{ address: ADDRESS, withdrawnFrom: [ACCOUNT] }], 'ripe']);
});

test('keeps a used address, but requires a new announcement of an unused one after a day', async () => {
  const room = openAccount();
  await ripen(room);
  await carriedOut(room);
  await ripen(room, { address: OTHER_ADDRESS });
  room.clock.now += 30 * DAY;
  expect(await carriedOut(room)).toMatchObject({ state: 'done' });
  room.clock.now += MINUTE;
  const other = { request: { ...OPEN, address: OTHER_ADDRESS } };
  expect(await carriedOut(room, other)).toMatchObject({ refusal: { reason: 'unannounced' } });
});

test('limits the amount per day, including withdrawals with an unknown outcome', async () => {
  const room = openAccount();
  await ripen(room);
  room.rental.withdraw.mockResolvedValueOnce(CUT);
  expect(await carriedOut(room, { request: { ...OPEN, trx: '60.00' } })).toMatchObject({ state: 'unknown' });
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('39.00');
  room.clock.now += 11 * MINUTE;
  expect(await carriedOut(room, { request: { ...OPEN, trx: '38.01' } })).toMatchObject({
    refusal: { reason: 'cap' },
  });
  expect(await carriedOut(room, { request: { ...OPEN, trx: '38.00' } })).toMatchObject({ state: 'done' });
  room.clock.now += DAY;
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('100.00');
});

test('releases the amount of a withdrawal that was rejected or not sent', async () => {
  const room = openAccount();
  await ripen(room);
  room.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  expect(await carriedOut(room)).toMatchObject({ state: 'refused' });
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('100.00');
  // The cooldown after the last request has not ended yet.
  const operation = await room.claimed({ request: OPEN, balance: '1000.00' });
  expect(await room.operations.dailyCap.take(operation, 'decided')).toBe(true);
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('86.50');
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ refusal: { reason: 'limited' } });
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('100.00');
});

test.each([
  ['not-done', '100.00'],
  ['done', '39.00'],
] as const)(
  'a manual resolution as %s unlocks the account and leaves %s TRX of the limit',
  async (outcome, left) => {
    const room = openAccount();
    await ripen(room);
    room.rental.withdraw.mockResolvedValueOnce(CUT);
    const lost = await carriedOut(room, { request: { ...OPEN, trx: '60.00' } });
    room.clock.now += MINUTE;
    const next = { request: { ...OPEN, trx: '2.00' } };
    expect(await carriedOut(room, next)).toMatchObject({ refusal: { reason: 'locked' } });
    await room.operations.decideByHand(lost, { outcome, reason: 'asked the service', admin: 7 });
    await room.pass(6_000);
    expect(await room.operations.dailyCap.left(ACCOUNT)).toBe(left);
    expect(room.rental.withdraw).toHaveBeenCalledOnce();
    room.clock.now += MINUTE;
    expect(await carriedOut(room, next)).toMatchObject({ state: 'done' });
  },
);

test('grants the rest of a limit to one of two concurrent withdrawals', async () => {
  const room = openAccount();
  const { dailyCap } = room.operations;
  const asked = { request: { ...OPEN, trx: '60.00' } };
  const both = [await room.draft(asked), await room.draft({ ...asked, user: USER + 1 })];
  const other = room.replica().dailyCap;
  const took = await Promise.all([
    dailyCap.take(both[0] ?? expect.fail(), 'decided'),
    other.take(both[1] ?? expect.fail(), 'decided'),
  ]);
  expect(took.toSorted()).toEqual([false, true]);
  expect(await dailyCap.left(ACCOUNT)).toBe('39.00');
});

test('reserves the amount of a card once, until the card can no longer be claimed', async () => {
  const room = openAccount();
  const { dailyCap } = room.operations;
  const draft = await room.draft({ request: OPEN });
  for (let times = 0; times < 2; times += 1) expect(await dailyCap.take(draft, 'decided')).toBe(true);
  expect(await dailyCap.left(ACCOUNT)).toBe('86.50');
  room.clock.now += 3 * MINUTE - 1;
  expect(await dailyCap.left(ACCOUNT)).toBe('86.50');
  room.clock.now += 1;
  expect(await dailyCap.left(ACCOUNT)).toBe('100.00');
});

test('ignores a limit record that was tampered with and replaces it', async () => {
  const room = openAccount();
  await room.storage.set(`withdrawn:${ACCOUNT}`, 's1.made-up.[]');
  const { dailyCap } = room.operations;
  expect(await dailyCap.take(await room.draft({ request: OPEN }), 'decided')).toBe(true);
  expect(await dailyCap.left(ACCOUNT)).toBe('86.50');
});

test('is refused if 2FA was turned on after the card was shown', async () => {
  const room = openAccount();
  await ripen(room);
  const { value } = profileOf('1000.00');
  room.rental.profile.mockResolvedValue(accepted({ ...value, totp_enabled: true }));
  expect(await carriedOut(room)).toMatchObject({ refusal: { reason: 'codes-on' } });
  expect(room.rental.withdraw).not.toHaveBeenCalled();
});

test('is not sent if the address is struck out right before the request', async () => {
  const room = openAccount();
  const { id } = await ripen(room);
  room.rental.withdrawals.mockImplementation(async () => {
    await room.announced.strike(ACCOUNT, id);
    return accepted([]);
  });
  expect(await carriedOut(room)).toMatchObject({ refusal: { reason: 'struck' } });
  expect(room.rental.withdraw).not.toHaveBeenCalled();
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('100.00');
});

test('striking out an address returns the time of a withdrawal that may have been sent', async () => {
  const room = openAccount();
  const { id } = await ripen(room);
  await carriedOut(room);
  expect(await room.announced.strike(ACCOUNT, id)).toMatchObject({ takenAt: room.clock.now });
});

test('an address of a rejected withdrawal must be announced again after a day', async () => {
  const room = openAccount();
  await ripen(room);
  room.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INVALID_ADDRESS'));
  await carriedOut(room);
  room.clock.now += DAY;
  expect(await carriedOut(room)).toMatchObject({ refusal: { reason: 'unannounced' } });
});

test('keeps the amount of a done withdrawal and releases it after a later failure', async () => {
  const room = openAccount();
  await ripen(room);
  const done = await carriedOut(room);
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('86.50');
  room.rental.withdrawals.mockResolvedValue(
    accepted([
      {
        ...{
          id: 31,
          to_address: ADDRESS,
          amount_trx: '12.50',
          fee_trx: '1',
          status: 'failed',
          tx_hash: null,
        },
        created_at: new Date(room.clock.now).toISOString(),
      },
    ]),
  );
  await room.pass(2 * MINUTE);
  expect(await room.read(done)).toMatchObject({ result: { status: 'failed' } });
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('100.00');
});

test('releases the amount of a refused withdrawal also if its notification was delayed', async () => {
  const room = openAccount();
  await ripen(room);
  room.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  room.show.mockImplementation(async ({ state }) =>
    state === 'refused' && room.show.mock.calls.length < 4 ? { kind: 'later', afterMs: 5_000 } : SHOWN,
  );
  await carriedOut(room);
  await room.pass(MINUTE);
  expect(await room.operations.dailyCap.left(ACCOUNT)).toBe('100.00');
});

test('a late tap does not shorten the reservation of a request', async () => {
  const room = openAccount();
  const { dailyCap } = room.operations;
  const draft = await room.draft({ request: OPEN });
  for (const until of ['sent', 'decided'] as const) await dailyCap.take(draft, until);
  room.clock.now += 4 * MINUTE;
  expect(await dailyCap.left(ACCOUNT)).toBe('86.50');
});

test('an account with 2FA has no limit and needs no announcement', async () => {
  const room = openAccount();
  const { value } = profileOf('1000.00');
  room.rental.profile.mockResolvedValue(accepted({ ...value, totp_enabled: true }));
  const operation = await room.claimed({ request: { ...WITHDRAWAL, trx: '500.00' }, balance: '1000.00' });
  expect(await room.claimWithCode(operation, '123456')).toBe('claimed');
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
});
