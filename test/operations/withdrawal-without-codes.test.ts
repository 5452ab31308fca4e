import { test as base, expect } from 'vitest';
import {
  type OperationsSetup,
  SHOWN,
  setUpOperations,
  USER,
  WITHDRAW_CAP,
  WITHDRAWAL,
} from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, profileOf, rejected } from './rental-stand-in.ts';

const MINUTE = 60_000;
const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const WITHDRAWAL_31 = { account: ACCOUNT, namespace: 'withdrawal', order: 31 };
const LISTED_31 = { address: ADDRESS, amount: '12.50', status: 'completed' };
const DAY = 24 * 60 * MINUTE;
const WITHOUT_CODE = { ...WITHDRAWAL, cap: WITHDRAW_CAP };

const { value: PROFILE } = profileOf('1000.00');
const WITH_2FA = accepted({ ...PROFILE, totp_enabled: true });

/** Returns the withdrawal 31 as the service lists it. */
const withdrawalOf = (at: number, more = {}) => ({
  ...{ id: 31, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status: 'pending', tx_hash: null },
  created_at: new Date(at).toISOString(),
  ...more,
});

/** Opens an account without 2FA. */
function openAccount() {
  const setup = setUpOperations();
  setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
  setup.rental.withdrawals.mockResolvedValue(accepted([]));
  setup.rental.withdraw.mockImplementation(async (_key, { to_address, amount_trx }) =>
    accepted(withdrawalOf(setup.clock.now, { to_address, amount_trx })),
  );
  return setup;
}

const test = base.extend('setup', () => openAccount());

async function executedResult(setup: OperationsSetup, more = {}) {
  const operation = await setup.executed({ request: WITHOUT_CODE, balance: '1000.00', ...more });
  return setup.read(operation);
}

test('is sent without a code ten minutes after its address was announced', async ({ setup }) => {
  const { id } = await setup.announced();
  setup.clock.now -= 1;
  expect(await executedResult(setup)).toMatchObject({ refusal: { reason: 'unannounced' } });
  setup.clock.now += 1;
  expect(setup.rental.withdraw).not.toHaveBeenCalled();
  setup.clock.now += MINUTE;
  expect(await executedResult(setup)).toMatchObject({ state: 'done', result: { order: 31 } });
  expect(setup.rental.withdraw.mock.calls).toEqual([
    [expect.any(String), { to_address: ADDRESS, amount_trx: '12.50' }],
  ]);
  expect(await setup.addressAnnouncements.cancel(ACCOUNT, id, USER)).toMatchObject({
    reservedAt: setup.clock.now,
  });
});

test.for<[string, { user?: number; account?: number }]>([
  ['another user of the account', { user: USER + 1 }],
  ['another account of the user', { account: ACCOUNT + 1 }],
])('an address announced by one user does not count for %s', async ([_, other], { setup }) => {
  await setup.announced();
  setup.rental.profile.mockResolvedValue(profileOf('1000.00', other.account));
  expect(await executedResult(setup, other)).toMatchObject({ refusal: { reason: 'unannounced' } });
});

test.for<[string, (setup: OperationsSetup, passDay: () => Promise<void>) => Promise<unknown>]>([
  [
    'the list shows the outcome',
    async (setup, passDay) => {
      await executedResult(setup);
      await passDay();
      setup.rental.withdrawals.mockResolvedValue(
        accepted([withdrawalOf(setup.clock.now, { status: 'completed' })]),
      );
      await setup.pass(6_000);
    },
  ],
  [
    'a late response contradicts a manual resolution',
    async (setup, passDay) => {
      setup.rental.withdraw.mockResolvedValueOnce(CUT);
      const { user, id } = await executedResult(setup);
      setup.clock.now += MINUTE;
      await setup.operations.resolveManually(
        { user, id },
        { outcome: 'not-done', reason: 'asked the service', admin: USER },
      );
      await setup.pass(6_000);
      const value = { order: 31, status: 'completed', price: '13.50' };
      await setup.operations.settlement.settle(await setup.stored({ user, id }), { kind: 'accepted', value });
      await setup.operations.dailyCap.settle(await setup.read({ user, id }));
      await passDay();
      await setup.operations.dailyCap.settle(await setup.read({ user, id }));
    },
  ],
])('counts towards the daily limit for 24 hours, once: %s', async ([_, settle], { setup }) => {
  await setup.announced();
  const endsAt = setup.clock.now + DAY;
  await settle(setup, async () => {
    setup.clock.now = endsAt - 1;
    expect(await setup.operations.dailyCap.reserved(ACCOUNT)).toBe('13.50');
    setup.clock.now = endsAt;
  });
  expect(await setup.operations.dailyCap.reserved(ACCOUNT)).toBe('0.00');
});

test('is not sent to a blocked address for a day', async ({ setup }) => {
  const { id } = await setup.announced();
  await setup.announced({ user: USER + 1 });
  const operation = await setup.claimed({ request: WITHOUT_CODE, balance: '1000.00' });
  await setup.addressAnnouncements.cancel(ACCOUNT, id, USER);
  await setup.advance(operation);
  expect(await setup.refusal(operation)).toBe('blocked');
  expect(await executedResult(setup, { user: USER + 1 })).toMatchObject({ refusal: { reason: 'blocked' } });
  expect(setup.rental.withdraw).not.toHaveBeenCalled();
});

test('stores no address if the account was unlinked during the request', async ({ setup }) => {
  const known = async () => [
    (await setup.addressBook.get(USER)).addresses,
    (await setup.addressAnnouncements.getStatus({ user: USER, account: ACCOUNT, address: ADDRESS })).kind,
  ];
  await setup.announced();
  const { withdraw } = setup.rental;
  const answer = withdraw.getMockImplementation();
  withdraw.mockImplementationOnce(async (...given) => {
    setup.apiKey.mockResolvedValue(undefined);
    return answer ? answer(...given) : CUT;
  });
  expect(await executedResult(setup)).toMatchObject({ state: 'done' });
  expect(setup.onExecuted).toHaveBeenCalledOnce();
  setup.clock.now += DAY;
  expect(await known()).toEqual([[], 'new']);
  setup.apiKey.mockResolvedValue('the-key-again');
  await setup.announced();
  await executedResult(setup);
  await setup.operations.settlement.applyListedStatus(WITHDRAWAL_31, LISTED_31);
  setup.clock.now += DAY;
  expect(await known()).toEqual([[{ address: ADDRESS }], 'usable']);
});

test('remembers when it was confirmed, however late its reply is', async ({ setup }) => {
  await setup.announced();
  const confirmedAt = setup.clock.now;
  const { withdraw } = setup.rental;
  const answer = withdraw.getMockImplementation();
  withdraw.mockImplementationOnce(async (...given) => {
    setup.clock.now += 20_000;
    return answer ? answer(...given) : CUT;
  });
  expect(await executedResult(setup)).toMatchObject({ state: 'done', claimedAt: confirmedAt });
  expect(await setup.addressAnnouncements.ofUser(USER)).toMatchObject([{ firstUsedAt: confirmedAt }]);
});

test('keeps a used address, but an unused one must be announced again after a day', async ({ setup }) => {
  await setup.announced();
  await executedResult(setup);
  await setup.announced({ address: OTHER_ADDRESS });
  setup.clock.now += 30 * DAY;
  expect(await executedResult(setup)).toMatchObject({ state: 'done' });
  setup.clock.now += MINUTE;
  const other = { request: { ...WITHOUT_CODE, address: OTHER_ADDRESS } };
  expect(await executedResult(setup, other)).toMatchObject({ refusal: { reason: 'unannounced' } });
});

test('limits the amount per day, including withdrawals with an unknown outcome', async ({ setup }) => {
  await setup.announced();
  setup.rental.withdraw.mockResolvedValueOnce(CUT);
  expect(await executedResult(setup, { request: { ...WITHOUT_CODE, trx: '60.00' } })).toMatchObject({
    state: 'unknown',
  });
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('39.00');
  setup.clock.now += 11 * MINUTE;
  expect(await executedResult(setup, { request: { ...WITHOUT_CODE, trx: '38.01' } })).toMatchObject({
    refusal: { reason: 'cap' },
  });
  expect(await executedResult(setup, { request: { ...WITHOUT_CODE, trx: '38.00' } })).toMatchObject({
    state: 'done',
  });
  setup.clock.now += DAY;
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test('releases the amount of a withdrawal that was rejected or not sent', async ({ setup }) => {
  await setup.announced();
  setup.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  expect(await executedResult(setup)).toMatchObject({ state: 'refused' });
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
  // The cooldown after the last request has not ended yet.
  const operation = await setup.claimed({ request: WITHOUT_CODE, balance: '1000.00' });
  expect(await setup.operations.dailyCap.reserve(operation, 'decided')).toBe(true);
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('86.50');
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ refusal: { reason: 'limited' } });
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test.for([
  ['not-done', '100.00'],
  ['done', '39.00'],
] as const)(
  'a manual resolution as %s unlocks the account and leaves %s TRX of the limit',
  async ([outcome, left], { setup }) => {
    await setup.announced();
    setup.rental.withdraw.mockResolvedValueOnce(CUT);
    const lost = await executedResult(setup, { request: { ...WITHOUT_CODE, trx: '60.00' } });
    setup.clock.now += MINUTE;
    const next = { request: { ...WITHOUT_CODE, trx: '2.00' } };
    expect(await executedResult(setup, next)).toMatchObject({ refusal: { reason: 'locked' } });
    await setup.operations.resolveManually(lost, { outcome, reason: 'asked the service', admin: 7 });
    await setup.pass(6_000);
    expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe(left);
    expect(setup.rental.withdraw).toHaveBeenCalledOnce();
    setup.clock.now += MINUTE;
    expect(await executedResult(setup, next)).toMatchObject({ state: 'done' });
  },
);

test('grants the rest of a limit to one of two concurrent withdrawals', async ({ setup }) => {
  const { dailyCap } = setup.operations;
  const asked = { request: { ...WITHOUT_CODE, trx: '60.00' } };
  const both = [await setup.draft(asked), await setup.draft({ ...asked, user: USER + 1 })];
  const other = setup.replica().dailyCap;
  const reserved = await Promise.all([
    dailyCap.reserve(both[0] ?? expect.fail(), 'decided'),
    other.reserve(both[1] ?? expect.fail(), 'decided'),
  ]);
  expect(reserved.toSorted()).toEqual([false, true]);
  expect(await dailyCap.remaining(ACCOUNT)).toBe('39.00');
});

test('reserves the amount of a card once, until the card can no longer be claimed', async ({ setup }) => {
  const { dailyCap } = setup.operations;
  // A record that was tampered with is ignored and replaced.
  await setup.storage.set(`withdrawn:${ACCOUNT}`, 's1.made-up.[]');
  const draft = await setup.draft({ request: WITHOUT_CODE });
  for (let times = 0; times < 2; times += 1) expect(await dailyCap.reserve(draft, 'decided')).toBe(true);
  expect(await dailyCap.remaining(ACCOUNT)).toBe('86.50');
  setup.clock.now += 3 * MINUTE - 1;
  expect(await dailyCap.remaining(ACCOUNT)).toBe('86.50');
  setup.clock.now += 1;
  expect(await dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test('is refused if 2FA was turned on after the card was shown', async ({ setup }) => {
  await setup.announced();
  setup.rental.profile.mockResolvedValue(WITH_2FA);
  expect(await executedResult(setup)).toMatchObject({ refusal: { reason: 'codes-on' } });
  expect(setup.rental.withdraw).not.toHaveBeenCalled();
});

test('is not sent if the address is blocked right before the request', async ({ setup }) => {
  const { id } = await setup.announced();
  setup.rental.withdrawals.mockImplementation(async () => {
    await setup.addressAnnouncements.cancel(ACCOUNT, id, USER);
    return accepted([]);
  });
  expect(await executedResult(setup)).toMatchObject({ refusal: { reason: 'blocked' } });
  expect(setup.rental.withdraw).not.toHaveBeenCalled();
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test('an address of a rejected withdrawal must be announced again after a day', async ({ setup }) => {
  await setup.announced();
  setup.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INVALID_ADDRESS'));
  await executedResult(setup);
  setup.clock.now += DAY;
  expect(await executedResult(setup)).toMatchObject({ refusal: { reason: 'unannounced' } });
});

test('keeps the amount of a done withdrawal and releases it after a later failure', async ({ setup }) => {
  await setup.announced();
  const done = await executedResult(setup);
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('86.50');
  setup.rental.withdrawals.mockResolvedValue(accepted([withdrawalOf(setup.clock.now, { status: 'failed' })]));
  await setup.pass(2 * MINUTE);
  expect(await setup.read(done)).toMatchObject({ result: { status: 'failed' } });
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test('releases the amount of a refusal also if its notification was delayed', async ({ setup }) => {
  await setup.announced();
  setup.rental.withdraw.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  setup.show.mockImplementation(async ({ state }) =>
    state === 'refused' && setup.show.mock.calls.length < 4 ? { kind: 'later', afterMs: 5_000 } : SHOWN,
  );
  await executedResult(setup);
  await setup.pass(MINUTE);
  expect(await setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test('a late tap does not shorten the reservation of a request', async ({ setup }) => {
  const { dailyCap } = setup.operations;
  const draft = await setup.draft({ request: WITHOUT_CODE });
  for (const until of ['sent', 'decided'] as const) await dailyCap.reserve(draft, until);
  setup.clock.now += 4 * MINUTE;
  expect(await dailyCap.remaining(ACCOUNT)).toBe('86.50');
});

test('an account with 2FA has no limit and needs no announcement', async ({ setup }) => {
  setup.rental.profile.mockResolvedValue(WITH_2FA);
  const operation = await setup.claimed({ request: { ...WITHDRAWAL, trx: '500.00' }, balance: '1000.00' });
  expect(await setup.claimWithCode(operation, '123456')).toBe('claimed');
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ state: 'done' });
});
