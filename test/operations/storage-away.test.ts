import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { FILLED, failing, openRoom, SHOWN, START } from './operations-setup.ts';
import { CUT, ORDER } from './rental-stand-in.ts';

vi.mock('node:timers/promises', () => import('./promised-timers.ts'));

const unhandled = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  process.on('unhandledRejection', unhandled);
});

afterEach(() => {
  vi.useRealTimers();
  process.off('unhandledRejection', unhandled);
});

/** Opens two processes. `own` loses the storage while the callback of `fail` returns true, `other` never does. */
function openAway() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const room = openRoom(storage, clock);
  let away = (_call: { method: string; key: string }) => false;
  const own = room.replica(failing(storage, (call) => away(call)));
  return {
    ...room,
    other: room.operations,
    own,
    fail: (how: typeof away) => {
      away = how;
    },
    back: () => {
      away = () => false;
    },
  };
}

describe('a storage outage before the request', () => {
  test.each([
    ['at once', ({ key }: { key: string }) => key.startsWith('heartbeat')],
    ['when the attempt is listed', ({ key }: { key: string }) => key.startsWith('sent-of-account')],
    ['when the attempt is marked', ({ method }: { method: string }) => method === 'replaceAndAdd'],
  ])('%s: sends nothing and refuses the claim once the storage is back', async (_, away) => {
    const room = openAway();
    const operation = await room.claimed();
    room.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
    room.fail(away);
    await room.carryOut(operation, room.own);
    expect(await room.read(operation)).toMatchObject({ state: 'claimed' });
    room.back();
    room.show.mockResolvedValue(SHOWN);
    await room.pass(30_000);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'interrupted' },
    });
    expect(room.shown().at(-1)).toBe('refused');
  });

  test('prevents the request forever if the response to the sent mark was lost', async () => {
    const clock = { now: START };
    const storage = createMemoryStorage({ now: () => clock.now });
    const room = openRoom(storage, clock);
    const operation = await room.claimed();
    const own = room.replica({
      ...storage,
      async replaceAndAdd(...step) {
        await storage.replaceAndAdd(...step);
        throw new Error('the answer was lost');
      },
    });
    await room.carryOut(operation, own);
    await room.pass(60_000);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    expect(room.shown()).toContain('unknown');
  });

  test('fails only the attempt, without an unhandled rejection', async () => {
    const room = openAway();
    const operation = await room.claimed();
    room.show.mockRejectedValue(new Error('the storage is away'));
    room.rental.profile.mockImplementation(async () => {
      await vi.advanceTimersByTimeAsync(1);
      return CUT;
    });
    await room.advance(operation).catch(() => undefined);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a storage outage after the request', () => {
  test('delays the outcome, which is written and shown after the outage', async () => {
    const room = openAway();
    const operation = await room.claimed();
    room.rental.buyEnergy.mockImplementationOnce(async (_key, purchase) => {
      room.fail(() => true);
      return {
        kind: 'accepted',
        value: { order_id: ORDER, price_trx: '2.32', status: 'pending', ...purchase },
      };
    });
    const attended = room.carryOut(operation, room.own);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(await room.read(operation)).toMatchObject({ state: 'sent' });
    room.back();
    await vi.advanceTimersByTimeAsync(60_000);
    await attended;
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.shown().at(-1)).toBe('done');
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('is followed by the response as a follow-up if another process reported unknown', async () => {
    const room = openAway();
    const operation = await room.claimed();
    room.rental.buyEnergy.mockImplementationOnce(async (_key, purchase) => {
      room.fail(() => true);
      return {
        kind: 'accepted',
        value: { order_id: ORDER, price_trx: '2.32', status: 'pending', ...purchase },
      };
    });
    const attended = room.carryOut(operation, room.own);
    await vi.advanceTimersByTimeAsync(2_000);
    await room.pass(15_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    expect(room.shown().at(-1)).toBe('unknown');
    room.back();
    await vi.advanceTimersByTimeAsync(60_000);
    await attended;
    const told = room.show.mock.calls.map(([shown]) => shown).filter(({ state }) => state === 'done');
    expect(told[0]).toMatchObject({ late: true, result: { order: ORDER } });
    expect(told.filter(({ late }) => late)).toHaveLength(1);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('is followed by the response also if another process reported likely', async () => {
    const room = openAway();
    const operation = await room.claimed({ estimate: '0.00' });
    room.rental.buyEnergy.mockImplementationOnce(async (_key, purchase) => {
      room.fail(() => true);
      return {
        kind: 'accepted',
        value: { order_id: ORDER, price_trx: '2.32', status: 'pending', ...purchase },
      };
    });
    const attended = room.carryOut(operation, room.own);
    await vi.advanceTimersByTimeAsync(2_000);
    await room.store.change(operation, (present) => ({ ...present, state: 'likely', revision: 3 }));
    room.back();
    await vi.advanceTimersByTimeAsync(60_000);
    await attended;
    expect(await room.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, price: '2.32' },
    });
  });

  test('does not prevent binding the order if the first try fails', async () => {
    const room = openAway();
    const operation = await room.claimed();
    let refused = 0;
    room.fail(({ key }) => key.startsWith('order:') && refused++ === 0);
    const attended = room.carryOut(operation, room.own);
    await vi.advanceTimersByTimeAsync(1_000);
    await attended;
    expect(refused).toBeGreaterThan(0);
    await room.other.settlement.report(operation.account, FILLED);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  });
});
