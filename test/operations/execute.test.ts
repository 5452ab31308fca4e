import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import type { Outcome } from '../../src/rental-api/http.ts';
import type { EnergyOrder } from '../../src/rental-api/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { FILLED, openRoom, SHOWN, SMART_MODE, START } from './operations-setup.ts';
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
    const room = openRoom(storage);
    const operation = await room.claimed();
    const replicas = [room.operations, room.replica()];
    const everywhere = () =>
      Promise.all(Array.from({ length: 20 }, (_, n) => replicas[n % 2]?.reconciler.advance(operation)));
    await Promise.all([room.carryOut(operation), everywhere()]);
    await everywhere();
    await room.pass(60_000);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    await storage.close();
  });
});

test("sends exactly what the card showed, with the user's key", async () => {
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  expect(room.apiKey).toHaveBeenCalledWith(operation.user, ACCOUNT);
  const purchase = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };
  expect(room.rental.buyEnergy.mock.calls).toEqual([[API_KEY, purchase]]);
});

test('does not execute a draft', async () => {
  const room = openRoom();
  const draft = await room.draft();
  await room.advance(draft);
  await room.pass(10 * 60_000);
  expect(room.rental.buyEnergy).not.toHaveBeenCalled();
  expect(room.show).not.toHaveBeenCalled();
});

describe('the outcome', () => {
  test('is done if accepted, and shows the order, the price and the remaining balance', async () => {
    const room = openRoom();
    room.rental.profile.mockResolvedValueOnce(profileOf('1000.00')).mockResolvedValue(profileOf('997.68'));
    const operation = await room.claimed();
    await room.advance(operation);
    const result = { order: ORDER, status: 'pending', price: '2.32' };
    const told = room.show.mock.calls.map(([{ state, late, result }]) => ({ state, late, result }));
    expect(told).toEqual([
      { state: 'claimed', late: false },
      { state: 'done', late: false, result },
      { state: 'done', late: false, result: { ...result, balanceLeft: '997.68' } },
    ]);
    expect(await room.read(operation)).toMatchObject({ balanceBefore: '1000.00', settledAt: START });
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
    const room = openRoom();
    room.rental.buyEnergy.mockResolvedValue(outcome);
    const operation = await room.claimed();
    await room.advance(operation);
    await room.pass(30_000);
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal, settledAt: START });
    expect(room.shown()).toEqual(['claimed', 'refused']);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test.each(['timeout', 'cut', 'status', 'unreadable', 'mismatch'] as const)(
    'is unknown, shown to the user and not sent again: %s',
    async (reason) => {
      const room = openRoom();
      room.rental.buyEnergy.mockResolvedValue({ kind: 'unknown', reason, message: '' });
      const operation = await room.claimed();
      await room.advance(operation);
      expect(room.shown()).toEqual(['claimed', 'unknown']);
      await room.pass(60_000);
      expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
      expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    },
  );

  test('is done although another one is unknown', async () => {
    const room = openRoom();
    await room.lost();
    const other = await room.claimed();
    await room.advance(other);
    expect(await room.read(other)).toMatchObject({ state: 'done' });
  });
});

describe('before the request', () => {
  const nothingSent = async (room: ReturnType<typeof openRoom>, refusal: object) => {
    const operation = await room.claimed();
    await room.advance(operation);
    await room.pass(30_000);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal });
    expect(room.shown()).toEqual(['claimed', 'refused']);
  };

  test('refuses an operation whose account was unlinked', async () => {
    const room = openRoom();
    room.apiKey.mockResolvedValue(undefined);
    await nothingSent(room, { reason: 'unlinked' });
    expect(room.rental.profile).not.toHaveBeenCalled();
  });

  test('refuses an operation whose key belongs to another account', async () => {
    const room = openRoom();
    room.rental.profile.mockResolvedValue(profileOf('1000.00', ACCOUNT + 1));
    await nothingSent(room, { reason: 'unlinked' });
  });

  test.each([
    ['refused', rejected(401, 'HTTP_401'), { reason: 'key' }],
    ['limited', rejected(429, 'HTTP_429', 4_000), { reason: 'limited', seconds: 4 }],
    ['offline', OFFLINE, { reason: 'offline' }],
    ['without a clear response', CUT, { reason: 'offline' }],
  ])('refuses an operation if the profile request is %s', async (_, outcome, refusal) => {
    const room = openRoom();
    room.rental.profile.mockResolvedValue(outcome);
    await nothingSent(room, refusal);
  });

  test('refuses a claim that waited for more than five minutes', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    room.clock.now += 5 * 60_000 + 1;
    await room.advance(operation);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'expired' } });
  });

  test('executes a claim that waited for five minutes', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    room.clock.now += 5 * 60_000;
    await room.advance(operation);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

test('applies a report that arrived before the response', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.rental.buyEnergy.mockImplementation(async (_key, purchase) => {
    await room.operations.settlement.report(ACCOUNT, FILLED);
    return {
      kind: 'accepted',
      value: { order_id: ORDER, price_trx: '2.32', status: 'pending', ...purchase },
    };
  });
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({
    state: 'done',
    result: { status: 'filled', price: '2.32' },
  });
});

test('does not read the remaining balance before the outcome was shown', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'later', afterMs: 5_000 });
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done', notified: 0 });
  expect(room.rental.profile).toHaveBeenCalledOnce();
});

test('a claim that is restored after its attempt becomes unknown and is not sent again', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const key = `operation:{${operation.user}}:${operation.id}`;
  const before = (await room.storage.get(key)) ?? '';
  await room.advance(operation);
  await room.storage.set(key, before);
  await room.storage.index.putIn('operations:dueIndex', `${operation.user}/${operation.id}`, 0);
  await room.pass(30_000, room.replica({ ...room.storage, secure: async () => false }).reconciler);
  expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
});

test('sends one request when a restored card is confirmed again before the first claim is sent', async () => {
  const room = openRoom();
  const operation = await room.draft();
  const key = `operation:{${operation.user}}:${operation.id}`;
  const drafted = (await room.storage.get(key)) ?? '';
  await room.confirm(operation);
  let second: Promise<void> | undefined;
  room.rental.profile.mockImplementationOnce(async () => {
    room.clock.now += 1_000;
    await room.storage.set(key, drafted);
    expect(await room.confirm(operation)).toBe('committed');
    second = room.carryOut(operation);
    await eventually(() => expect(room.rental.buyEnergy).toHaveBeenCalledOnce());
    return profileOf('1000.00');
  });
  room.rental.buyEnergy.mockImplementationOnce(async () => {
    await first;
    return orderOf();
  });
  const first = room.carryOut(operation, room.replica());
  await first;
  await second;
  expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
});

test('searches for a delivery if events were on during the purchase, although they are off now', async () => {
  const room = openRoom();
  room.reported.mockResolvedValue(true);
  const operation = await room.claimed();
  await room.advance(operation);
  room.reported.mockResolvedValue(false);
  room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
  await room.pass(40_000);
  expect(await room.read(operation)).toMatchObject({ reported: true, result: { status: 'filled' } });
});

test('starts the heartbeat before the operation is marked as sent', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  let beat: (() => void) | undefined;
  const storage: Storage = {
    ...room.storage,
    async set(...given) {
      if (given[0].startsWith('heartbeat:'))
        await new Promise<void>((resolve) => {
          beat = resolve;
        });
      return room.storage.set(...given);
    },
  };
  const sent = room.carryOut(operation, room.replica(storage));
  await eventually(() => expect(room.rental.profile).toHaveBeenCalled());
  await new Promise(setImmediate);
  expect(await room.read(operation)).toMatchObject({ state: 'claimed' });
  beat?.();
  await sent;
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
});

test('shows the outcome within two seconds and schedules nothing if the balance read hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const room = openRoom();
  const operation = await room.claimed();
  const known = await room.rental.profile('any');
  room.rental.profile.mockReset();
  room.rental.profile.mockResolvedValueOnce(known).mockImplementationOnce(() => new Promise(() => {}));
  const sending = room.advance(operation);
  await vi.advanceTimersByTimeAsync(2_000);
  await sending;
  const { notified, revision, state } = await room.read(operation);
  expect({ state, isTold: notified === revision }).toEqual({ state: 'done', isTold: true });
  expect(await room.storage.index.upTo('operations:dueIndex', Number.MAX_VALUE, 10)).toEqual([]);
});

test('schedules an operation at once if its record vanishes before the notification', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockImplementation(async ({ state }) => {
    if (state === 'done') await room.storage.delete(`operation:{${operation.user}}:${operation.id}`);
    return SHOWN;
  });
  await room.advance(operation);
  expect(await room.storage.index.due('operations:dueIndex', 10)).toEqual([
    `${operation.user}/${operation.id}`,
  ]);
});

test('keeps a sent operation longer than the TTL of its draft', async () => {
  const room = openRoom();
  const operation = await room.orphaned();
  room.clock.now += 2 * 3600_000;
  expect(await room.read(operation)).toMatchObject({ state: 'sent' });
});

describe('an attempt that another process considered lost', () => {
  /** Marks the operation as unknown elsewhere, as after a rollback of the storage. */
  async function giveUp(room: ReturnType<typeof openRoom>, operation: OperationRef): Promise<void> {
    await room.store.change(operation, (present) => ({
      ...present,
      state: 'unknown',
      sentAt: room.clock.now,
    }));
  }

  test('does not overwrite the unknown outcome with a refusal', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    room.apiKey.mockImplementationOnce(async () => {
      await giveUp(room, operation);
      return undefined;
    });
    await room.carryOut(operation);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    expect(room.shown()).not.toContain('refused');
  });

  test('keeps the account locked, because the outcome is unknown', async () => {
    const room = openRoom();
    room.rental.profile.mockResolvedValue(profileOf('1000.00'));
    room.rental.subscriptions.mockResolvedValue(accepted([]));
    const operation = await room.claimed({ request: SMART_MODE });
    room.rental.subscriptions.mockImplementationOnce(async () => {
      await giveUp(room, operation);
      return accepted([]);
    });
    await room.carryOut(operation);
    const other = await room.claimed({ request: SMART_MODE, user: operation.user + 1 });
    await room.carryOut(other);
    expect(room.rental.activateSmartMode).not.toHaveBeenCalled();
    expect(await room.read(other)).toMatchObject({ state: 'refused', refusal: { reason: 'locked' } });
  });
});
