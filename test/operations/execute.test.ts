import { describe, expect, onTestFinished, vi } from 'vitest';
import {
  type DoneOperation,
  INTERRUPTED,
  type OperationRef,
  refused,
} from '../../src/operations/operation.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { Outcome } from '../../src/rental-api/client.ts';
import type { EnergyOrder } from '../../src/rental-api/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { createSignal } from '../support/signal.ts';
import { type OperationsSetup, SHOWN, SMART_MODE, START, setUpOperations, test } from './operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  CUT,
  logged,
  OFFLINE,
  ORDER,
  orderOf,
  profileOf,
  rejected,
} from './rental-stand-in.ts';

describe.each([
  ['in memory', async () => createMemoryStorage()],
  ['in Redis', async () => createRedisStorage({ url: await redisUrl(), log: silentLog() })],
])('with its record %s', (_, open) => {
  test('sends one request, however often and on however many replicas it is executed', async () => {
    const storage = await open();
    const setup = setUpOperations(storage);
    const operation = await setup.claimed();
    const replicas = [setup.operations, setup.replica()];
    const everywhere = () =>
      Promise.all(Array.from({ length: 20 }, (_, n) => replicas[n % 2]?.reconciler.advance(operation)));
    await Promise.all([setup.executeClaim(operation), everywhere()]);
    await everywhere();
    await setup.pass(60_000);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    await storage.close();
  });
});

test("sends exactly what the card showed, with the user's key", async ({ setup }) => {
  const operation = await setup.executed();
  expect(setup.apiKey).toHaveBeenCalledWith(operation.user, ACCOUNT);
  const purchase = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };
  expect(setup.rental.buyEnergy.mock.calls).toEqual([[API_KEY, purchase]]);
});

test('opens the connection of the request while it reads the balance', async ({ setup }) => {
  setup.rental.profile.mockImplementationOnce(async () => {
    expect(setup.rental.openConnection).toHaveBeenCalledOnce();
    return profileOf('1000.00');
  });
  await setup.executed();
  expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
});

describe('a kind with a preflight', () => {
  /** Lets purchases of energy ask this about the card's offer right before the request. */
  function setPreflight({ kinds, rental }: OperationsSetup, answer: Outcome<'changed' | 'unchanged'>) {
    const energy = kinds.of({ kind: 'energy' });
    energy.preflight = async () => {
      expect(rental.buyEnergy).not.toHaveBeenCalled();
      return answer;
    };
    onTestFinished(() => {
      delete energy.preflight;
    });
  }

  test.each([
    ['the offer has changed', accepted('changed' as const), 'changed'],
    ['the offer can not be read', OFFLINE, 'offline'],
  ])('sends nothing if %s', async (_, answer, reason) => {
    const setup = setUpOperations();
    setPreflight(setup, answer);
    expect(await setup.refusal(await setup.executed())).toBe(reason);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  });

  test('sends the request if the offer is unchanged', async ({ setup }) => {
    setPreflight(setup, accepted('unchanged'));
    expect(await setup.outcome()).toMatchObject({ state: 'done' });
  });
});

describe('the price right before the request', () => {
  test.each([
    ['over 5 % above the estimate', accepted({ energySunPerUnit: { 1: '60' } }), 'price'],
    ['5 % above the estimate', accepted({ energySunPerUnit: { 1: '37.4' } }), undefined],
    ['below the estimate', accepted({ energySunPerUnit: { 1: '20' } }), undefined],
    ['above the estimate for another duration', accepted({ energySunPerUnit: { 24: '60' } }), undefined],
    ['unknown', OFFLINE, undefined],
  ])('if it is %s', async (_, prices, reason) => {
    const setup = setUpOperations();
    setup.rental.prices.mockResolvedValue(prices);
    const operation = await setup.executed();
    expect(setup.rental.buyEnergy).toHaveBeenCalledTimes(reason ? 0 : 1);
    const outcome = reason ? { state: 'refused', refusal: { reason, price: '3.90' } } : { state: 'done' };
    expect(await setup.read(operation)).toMatchObject(outcome);
  });

  test('is waited for at most a second, beside the profile', async ({ setup }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    setup.rental.prices.mockReturnValue(new Promise(() => {}));
    const executing = setup.executed();
    await eventually(() => expect(setup.rental.profile).toHaveBeenCalledOnce());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await setup.read(await executing)).toMatchObject({ state: 'done' });
  });
});

test('does not execute a draft', async ({ setup }) => {
  const draft = await setup.draft();
  await setup.advance(draft);
  await setup.pass(10 * 60_000);
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  expect(setup.show).not.toHaveBeenCalled();
});

describe('the outcome', () => {
  test('is done if accepted, and shows the order, the price and the remaining balance', async ({ setup }) => {
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    const operation = await setup.executed();
    const result = { order: ORDER, status: 'pending', price: '2.32', balanceLeft: '997.68' };
    const told = setup.show.mock.calls.map(([operation]) => operation);
    expect(told).toMatchObject([
      { state: 'claimed', receipt: { late: false } },
      { state: 'done', receipt: { late: false }, result },
    ]);
    expect(await setup.read(operation)).toMatchObject({
      attempt: { balanceBefore: '1000.00' },
      settledAt: START,
    });
  });

  test('shows no remaining balance if another charge of the account overlaps', async ({ setup }) => {
    const { raised: bothSent, raise: respond } = createSignal();
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    setup.rental.buyEnergy.mockImplementation(() => bothSent.then(() => orderOf()));
    const both = [await setup.claimed({ user: 601 }), await setup.claimed({ user: 602 })];
    const executing = both.map((operation) => setup.executeClaim(operation));
    await eventually(() => expect(setup.rental.buyEnergy).toHaveBeenCalledTimes(2));
    respond();
    await Promise.all(executing);
    const result = { order: ORDER, status: 'pending', price: '2.32' };
    for (const operation of both) expect((await setup.read<DoneOperation>(operation)).result).toEqual(result);
    const later = await setup.executed({ user: 601 });
    expect((await setup.read<DoneOperation>(later)).result).toEqual({ ...result, balanceLeft: '997.68' });
  });

  const refusals: [string, Outcome<EnergyOrder>, object][] = [
    ['no balance', rejected(400, 'INSUFFICIENT_BALANCE'), { reason: 'insufficient' }],
    ['a wrong address', rejected(422, 'INVALID_ADDRESS'), { reason: 'address' }],
    ['a wrong key', rejected(401, 'HTTP_401'), { reason: 'key' }],
    ['a forbidden key', rejected(403, 'HTTP_403'), { reason: 'key' }],
    ['too many requests', rejected(429, 'HTTP_429', 11_200), { reason: 'limited', seconds: 12 }],
    ['too many requests by name', rejected(409, 'RATE_LIMITED'), { reason: 'limited', seconds: 0 }],
    ['anything else', rejected(409, 'ODD'), { reason: 'other', code: 'ODD' }],
    ['no connection', OFFLINE, { reason: 'offline' }],
    [
      'a local rate limit',
      { kind: 'not-sent', reason: 'limited', message: '', retryAfterMs: 1 },
      { reason: 'limited', seconds: 1 },
    ],
    [
      'an invalid field',
      { kind: 'not-sent', reason: 'invalid', message: '' },
      { reason: 'other', code: 'INVALID' },
    ],
  ];
  test.each(refusals)('is refused with its reason: %s', async (_, outcome, refusal) => {
    const setup = setUpOperations();
    setup.rental.buyEnergy.mockResolvedValue(outcome);
    const operation = await setup.executed();
    await setup.pass(30_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'refused', refusal, settledAt: START });
    expect(setup.shown()).toEqual(['claimed', 'refused']);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test.for(['timeout', 'cut', 'status', 'unreadable', 'mismatch'] as const)(
    'is unknown, shown to the user and not sent again: %s',
    async (reason, { setup }) => {
      setup.rental.buyEnergy.mockResolvedValue({ kind: 'unknown', reason, message: '' });
      const operation = await setup.executed();
      expect(setup.shown()).toEqual(['claimed', 'unknown']);
      await setup.pass(60_000);
      expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
      expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    },
  );
});

describe('before the request', () => {
  const nothingSent = async (setup: ReturnType<typeof setUpOperations>, refusal: object) => {
    const operation = await setup.executed();
    await setup.pass(30_000);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(operation)).toMatchObject({ state: 'refused', refusal });
    expect(setup.shown()).toEqual(['claimed', 'refused']);
  };

  test('refuses an operation whose account was unlinked', async ({ setup }) => {
    setup.apiKey.mockResolvedValue(undefined);
    await nothingSent(setup, { reason: 'unlinked' });
    expect(setup.rental.profile).not.toHaveBeenCalled();
  });

  test.each([
    ['is of another account', profileOf('1000.00', ACCOUNT + 1), { reason: 'unlinked' }],
    ['is refused', rejected(401, 'HTTP_401'), { reason: 'key' }],
    ['is limited', rejected(429, 'HTTP_429', 4_000), { reason: 'limited', seconds: 4 }],
    ['is offline', OFFLINE, { reason: 'offline' }],
    ['has no clear response', CUT, { reason: 'offline' }],
  ])('refuses an operation if the profile %s', async (_, outcome, refusal) => {
    const setup = setUpOperations();
    setup.rental.profile.mockResolvedValue(outcome);
    await nothingSent(setup, refusal);
  });

  test.each([
    [1, 'expired', 0],
    [0, 'done', 1],
  ])('a claim that waited five minutes and %d ms is %s', async (late, state, requests) => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    setup.clock.now += 5 * 60_000 + late;
    await setup.advance(operation);
    expect(await setup.refusal(operation)).toBe(state);
    expect(setup.rental.buyEnergy).toHaveBeenCalledTimes(requests);
  });
});

test('forgets a balance that was read before or during the request', async ({ setup }) => {
  const { balances } = setup;
  const storeEarlierRead = balances.startRead(ACCOUNT);
  const { attended, answer } = await setup.underWay();
  storeEarlierRead('1000.00');
  expect(balances.getLast(ACCOUNT)).toBeUndefined();
  balances.startRead(ACCOUNT)('1000.00');
  answer(CUT);
  await attended;
  expect(balances.getLast(ACCOUNT)).toBeUndefined();
});

test('does not read the remaining balance before the outcome was shown', async ({ setup }) => {
  const operation = await setup.claimed();
  setup.show.mockResolvedValue({ kind: 'later', afterMs: 5_000 });
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', receipt: { notified: 0 } });
  expect(setup.rental.profile).toHaveBeenCalledOnce();
});

test('sends one request if a restored card is confirmed before the first claim is sent', async ({
  setup,
}) => {
  const operation = await setup.draft();
  const key = `operation:{${operation.user}}:${operation.id}`;
  const drafted = (await setup.storage.get(key)) ?? '';
  await setup.confirm(operation);
  let second: Promise<void> | undefined;
  setup.rental.profile.mockImplementationOnce(async () => {
    setup.clock.now += 1_000;
    await setup.storage.set(key, drafted);
    expect(await setup.confirm(operation)).toBe('committed');
    second = setup.executeClaim(operation);
    await eventually(() => expect(setup.rental.buyEnergy).toHaveBeenCalledOnce());
    return profileOf('1000.00');
  });
  setup.rental.buyEnergy.mockImplementationOnce(async () => {
    await first;
    return orderOf();
  });
  const first = setup.executeClaim(operation, setup.replica());
  await first;
  await second;
  expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
});

test('searches for a delivery if events were on during the purchase', async ({ setup }) => {
  setup.reported.mockResolvedValue(true);
  const operation = await setup.executed();
  setup.reported.mockResolvedValue(false);
  setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
  await setup.pass(40_000);
  expect(await setup.read(operation)).toMatchObject({
    attempt: { reported: true },
    result: { status: 'filled' },
  });
});

test('starts the heartbeat before the operation is marked as sent', async ({ setup }) => {
  const operation = await setup.claimed();
  const beat = createSignal();
  const storage: Storage = {
    ...setup.storage,
    async set(...given) {
      if (given[0].startsWith('heartbeat:')) await beat.raised;
      return setup.storage.set(...given);
    },
  };
  const sent = setup.executeClaim(operation, setup.replica(storage));
  await eventually(() => expect(setup.rental.profile).toHaveBeenCalled());
  await new Promise(setImmediate);
  expect(await setup.read(operation)).toMatchObject({ state: 'claimed' });
  beat.raise();
  await sent;
  expect(await setup.read(operation)).toMatchObject({ state: 'done' });
});

test('shows the outcome within two seconds and schedules nothing if the balance read hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const setup = setUpOperations();
  const operation = await setup.claimed();
  const known = await setup.rental.profile('any');
  setup.rental.profile.mockReset();
  setup.rental.profile.mockResolvedValueOnce(known).mockImplementationOnce(() => new Promise(() => {}));
  const sending = setup.advance(operation);
  await vi.advanceTimersByTimeAsync(2_000);
  await sending;
  const { state, receipt } = await setup.read(operation);
  expect({ state, isTold: receipt.notified === receipt.revision }).toEqual({ state: 'done', isTold: true });
  expect(await setup.storage.index.upTo('operations:due', Number.MAX_VALUE, 10)).toEqual([]);
});

test.for([
  ['is recorded', SHOWN],
  ['sends a new message', { kind: 'unplaced' as const }],
] as const)(
  'schedules an operation at once if its record vanishes before the notification %s',
  async ([, shown], { setup }) => {
    const operation = await setup.claimed();
    setup.show.mockImplementation(async ({ state }) => {
      if (state !== 'done') return SHOWN;
      await setup.storage.delete(`operation:{${operation.user}}:${operation.id}`);
      return shown;
    });
    await setup.advance(operation);
    expect(await setup.storage.index.due('operations:due', 10, Number.MAX_SAFE_INTEGER)).toEqual([
      `${operation.user}/${operation.id}`,
    ]);
  },
);

describe('an attempt that another process considered lost', () => {
  /** Ends the claim elsewhere: as unknown, as after a rollback of the storage, or as refused. */
  async function giveUp(
    setup: ReturnType<typeof setUpOperations>,
    operation: OperationRef,
    state: 'unknown' | 'refused' = 'unknown',
  ): Promise<void> {
    const { now } = setup.clock;
    await setup.store.change(operation, (present) => {
      if (present.state !== 'claimed') return undefined;
      if (state === 'refused') return refused(present, INTERRUPTED, now);
      return { ...present, state, attempt: { sentAt: now } };
    });
  }

  test('shows the unknown outcome and does not overwrite it with a refusal', async ({ setup }) => {
    const operation = await setup.claimed();
    setup.apiKey.mockImplementationOnce(async () => {
      await giveUp(setup, operation);
      return undefined;
    });
    await setup.executeClaim(operation);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.shown()).toEqual(['claimed', 'unknown']);
  });

  test.for([
    ['keeps the account locked, because the outcome is', 'unknown', 'locked'],
    ['releases the account, because the claim is', 'refused', 'done'],
  ] as const)('%s %s', async ([, state, expected], { setup }) => {
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    setup.rental.subscriptions.mockResolvedValue(accepted([]));
    const operation = await setup.claimed({ request: SMART_MODE });
    setup.rental.subscriptions.mockImplementationOnce(async () => {
      await giveUp(setup, operation, state);
      return accepted([]);
    });
    await setup.executeClaim(operation);
    expect(setup.rental.activateSmartMode).not.toHaveBeenCalled();
    const other = await setup.claimed({ request: SMART_MODE, user: operation.user + 1 });
    await setup.executeClaim(other);
    expect(await setup.refusal(other)).toBe(expected);
  });
});
