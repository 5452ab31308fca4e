import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import { FILLED, failing, SHOWN, setUpOperations } from './operations-setup.ts';
import { CUT, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

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
  const setup = setUpOperations();
  let away = (_call: { method: string; key: string }) => false;
  const own = setup.replica(failing(setup.storage, (call) => away(call)));
  return {
    ...setup,
    other: setup.operations,
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
    const setup = openAway();
    const operation = await setup.claimed();
    setup.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
    setup.fail(away);
    await setup.executeClaim(operation, setup.own);
    expect(await setup.read(operation)).toMatchObject({ state: 'claimed' });
    setup.back();
    setup.show.mockResolvedValue(SHOWN);
    await setup.pass(30_000);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('interrupted');
    expect(setup.shown().at(-1)).toBe('refused');
  });

  test('prevents the request forever if the response to the sent mark was lost', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    const own = setup.replica({
      ...setup.storage,
      async replaceAndAdd(...step) {
        await setup.storage.replaceAndAdd(...step);
        throw new Error('the answer was lost');
      },
    });
    await setup.executeClaim(operation, own);
    await setup.pass(60_000);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.shown()).toContain('unknown');
  });

  test('fails only the attempt, without an unhandled rejection', async () => {
    const setup = openAway();
    const operation = await setup.claimed();
    setup.show.mockRejectedValue(new Error('the storage is away'));
    setup.rental.profile.mockImplementation(async () => {
      await vi.advanceTimersByTimeAsync(1);
      return CUT;
    });
    await setup.advance(operation).catch(() => undefined);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });
});

/** Carries out an operation in the process that loses the storage during the request. */
function loseDuringRequest(setup: ReturnType<typeof openAway>, operation: OperationRef): Promise<void> {
  setup.rental.buyEnergy.mockImplementationOnce(async (_key, purchase) => {
    setup.fail(() => true);
    return orderOf(purchase);
  });
  return setup.executeClaim(operation, setup.own);
}

describe('a storage outage after the request', () => {
  test('delays the outcome, which is written and shown after the outage', async () => {
    const setup = openAway();
    const operation = await setup.claimed();
    const attended = loseDuringRequest(setup, operation);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'sent' });
    setup.back();
    await vi.advanceTimersByTimeAsync(60_000);
    await attended;
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.shown().at(-1)).toBe('done');
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('is followed by the response as a follow-up if another process reported unknown', async () => {
    const setup = openAway();
    // Without a change of the balance, the other process knows nothing of the outcome.
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    const operation = await setup.claimed();
    const attended = loseDuringRequest(setup, operation);
    await vi.advanceTimersByTimeAsync(2_000);
    await setup.pass(15_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.shown().at(-1)).toBe('unknown');
    setup.back();
    await vi.advanceTimersByTimeAsync(60_000);
    await attended;
    const told = setup.show.mock.calls.map(([shown]) => shown).filter(({ state }) => state === 'done');
    expect(told[0]).toMatchObject({ receipt: { late: true }, result: { order: ORDER } });
    expect(told.filter(({ receipt }) => receipt.late)).toHaveLength(1);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('does not prevent binding the order if the first try fails', async () => {
    const setup = openAway();
    const operation = await setup.claimed();
    let refused = 0;
    setup.fail(({ key }) => key.startsWith('order:') && refused++ === 0);
    const attended = setup.executeClaim(operation, setup.own);
    await vi.advanceTimersByTimeAsync(1_000);
    await attended;
    expect(refused).toBeGreaterThan(0);
    await setup.other.settlement.report(operation.account, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  });
});
