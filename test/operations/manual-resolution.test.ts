import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ManualResolution } from '../../src/operations/operation.ts';
import { eventually } from '../support/eventually.ts';
import { killedAfter } from '../support/killed.ts';
import { FILLED, START, setUpOperations, USER } from './operations-setup.ts';
import { ACCOUNT, accepted, profileOf, rejected } from './rental-stand-in.ts';

const WENT: Omit<ManualResolution, 'at'> = { outcome: 'done', reason: 'seen on the chain', admin: 7 };
const FAILED: Omit<ManualResolution, 'at'> = { outcome: 'not-done', reason: 'asked the service', admin: 8 };
const DAY_MS = 24 * 3600_000;

type OperationsSetup = ReturnType<typeof setUpOperations>;

const moneyCalls = ({ rental }: OperationsSetup) =>
  [rental.buyEnergy, rental.buyBandwidth, rental.withdraw, rental.activateAddress].reduce(
    (count, call) => count + call.mock.calls.length,
    0,
  );

/** Creates an operation with an unknown outcome whose attempt has surely ended. */
async function lostFor(setup: OperationsSetup, more: Parameters<OperationsSetup['lost']>[0] = {}) {
  const operation = await setup.lost(more);
  setup.clock.now += 8_000;
  return operation;
}

describe('a manual resolution', () => {
  test.each([
    [WENT, { state: 'done', settledAt: START + 8_000, result: {} }],
    [FAILED, { state: 'refused', refusal: { reason: 'by-hand' }, settledAt: START + 8_000 }],
  ])('%j settles an unknown outcome without a request and sends a follow-up', async (decision, ended) => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    const sent = moneyCalls(setup);
    const decided = await setup.operations.resolveManually(operation, decision);
    expect(decided).toMatchObject({ kind: 'decided', operation: { id: operation.id } });
    expect(await setup.read(operation)).toMatchObject({
      ...ended,
      decided: { ...decision, at: START + 8_000 },
    });
    const [shown] = setup.show.mock.lastCall ?? [];
    expect(shown).toMatchObject({ state: ended.state, late: true, decided: decision });
    await setup.pass(DAY_MS);
    expect(moneyCalls(setup)).toBe(sent);
    expect(setup.show.mock.lastCall?.[0]).toBe(shown);
  });

  test('returns although its user cannot be notified yet', async () => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    setup.show.mockReturnValueOnce(new Promise(() => undefined));
    const deciding = setup.operations.resolveManually(operation, WENT);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await deciding).toMatchObject({ kind: 'decided' });
  });

  test('settles a likely outcome a day after its user was notified', async () => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(DAY_MS);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely' });
    expect(await setup.operations.resolveManually(operation, FAILED)).toMatchObject({ kind: 'decided' });
    expect(await setup.read(operation)).toMatchObject({ state: 'refused' });
  });

  test('is sent as a separate message, also if the user received a follow-up before', async () => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    setup.show.mockResolvedValue({ kind: 'shown', card: 77, followUp: 78 });
    await setup.pass(DAY_MS);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely', followUp: 78 });
    setup.show.mockResolvedValue({ kind: 'shown', card: 77, followUp: 79 });
    await setup.operations.resolveManually(operation, FAILED);
    const [first] = setup.show.mock.calls.flat().filter(({ state }) => state === 'refused');
    expect(first).toMatchObject({ late: true });
    expect(first?.followUp).toBeUndefined();
    expect(await setup.read(operation)).toMatchObject({ state: 'refused', followUp: 79 });
  });

  test('is applied and shown once, even if it is repeated', async () => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    const own = [setup.operations, setup.replica()];
    const twice = await Promise.all(own.map(({ resolveManually }) => resolveManually(operation, WENT)));
    expect(twice.map(({ kind }) => kind)).toEqual(['decided', 'decided']);
    const stood = await setup.read(operation);
    setup.clock.now += 1_000;
    expect(await setup.operations.resolveManually(operation, WENT)).toMatchObject({ kind: 'decided' });
    expect(await setup.read(operation)).toEqual(stood);
    expect(setup.shown().filter((state) => state === 'done')).toHaveLength(1);
  });

  test('counts for the first of two admins and returns the current state to the other', async () => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    const decided = await Promise.all([
      setup.operations.resolveManually(operation, WENT),
      setup.replica().resolveManually(operation, FAILED),
    ]);
    expect(decided.map(({ kind }) => kind).sort()).toEqual(['decided', 'late']);
    const stands = await setup.read(operation);
    for (const one of decided) expect(one).toMatchObject({ operation: { state: stands.state } });
    expect(stands.decided).toMatchObject(decided[0]?.kind === 'decided' ? WENT : FAILED);
  });

  test('or the event of the order takes effect, whichever is written first', async () => {
    for (const order of ['decision first', 'event first']) {
      const setup = setUpOperations();
      const operation = await lostFor(setup);
      const decide = () => setup.operations.resolveManually(operation, FAILED);
      const report = () => setup.replica().settlement.report(ACCOUNT, FILLED);
      const [decided] = await (order === 'decision first'
        ? Promise.all([decide(), report()])
        : report().then(async () => [await decide()] as const));
      const stands = await setup.read(operation);
      if (decided.kind === 'decided') expect(stands).toMatchObject({ state: 'refused', decided: FAILED });
      else expect(stands).toMatchObject({ state: 'done', result: { order: 7, status: 'filled' } });
      expect('decided' in stands).toBe(decided.kind === 'decided');
      if (order === 'event first') expect(decided.kind).toBe('late');
    }
  });

  test('is rejected during an attempt, or while its process may still receive the response', async () => {
    const setup = setUpOperations();
    const confirmed = await setup.claimed();
    expect(await setup.operations.resolveManually(confirmed, WENT)).toMatchObject({ kind: 'in-progress' });
    const lost = await lostFor(setup, { user: USER + 1 });
    await setup.storage.set(`heartbeat:{${USER + 1}}:${lost.id}`, '', { ttlMs: 8_000 });
    expect(await setup.operations.resolveManually(lost, WENT)).toMatchObject({ kind: 'in-progress' });
    expect(await setup.read(lost)).toMatchObject({ state: 'unknown' });
    setup.clock.now += 8_000;
    expect(await setup.operations.resolveManually(lost, WENT)).toMatchObject({ kind: 'decided' });
  });

  test.each(['done', 'refused', 'draft'])('does not change an operation in state %s', async (state) => {
    const setup = setUpOperations();
    if (state === 'refused') setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'NO'));
    const operation = await (state === 'draft' ? setup.draft() : setup.claimed());
    if (state !== 'draft') await setup.advance(operation);
    const before = await setup.read(operation);
    expect(before.state).toBe(state);
    expect(await setup.operations.resolveManually(operation, WENT)).toMatchObject({ kind: 'late' });
    expect(await setup.read(operation)).toEqual(before);
  });

  test('finds no operation with an unknown ID', async () => {
    const setup = setUpOperations();
    expect(await setup.operations.resolveManually({ user: USER, id: 'none' }, WENT)).toEqual({
      kind: 'none',
    });
  });

  test('is replaced by a late response of the service', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    let answer: (() => void) | undefined;
    setup.rental.buyEnergy.mockImplementationOnce(
      (_key, purchase) =>
        new Promise((resolve) => {
          answer = () =>
            resolve(accepted({ ...purchase, order_id: 7, price_trx: '2.32', status: 'pending' }));
        }),
    );
    const going = setup.advance(operation);
    await eventually(() => expect(answer).toBeDefined());
    // The process hung for longer than its heartbeat lasts.
    setup.clock.now += 9_000;
    await setup.replica().reconciler.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(await setup.operations.resolveManually(operation, FAILED)).toMatchObject({ kind: 'decided' });
    answer?.();
    await going;
    const stands = await setup.read(operation);
    expect(stands).toMatchObject({ state: 'done', settledBy: 'reply', result: { order: 7 } });
    expect(stands).not.toHaveProperty('decided');
  });

  test('is shown after a restart, whenever its process died', async () => {
    let decidedAt = 0;
    for (let calls = 1; ; calls += 1) {
      const setup = setUpOperations();
      const operation = await lostFor(setup);
      // The search for traces has ended.
      setup.clock.now += DAY_MS;
      await setup.pass(6_000);
      const dying = killedAfter(calls, setup.storage);
      const own = setup.replica(dying.storage, async () => {
        if (dying.wasKilled()) throw new Error('the process has ended');
        return { kind: 'shown', card: 40 };
      });
      const decided = await own.resolveManually(operation, WENT).catch(() => undefined);
      if (!dying.wasKilled()) {
        expect(decided).toMatchObject({ kind: 'decided' });
        break;
      }
      const { state } = await setup.read(operation);
      if (state !== 'done') continue;
      decidedAt += 1;
      setup.show.mockClear();
      // A process that died during a notification held its lease.
      await setup.pass(20_000);
      const { notified, revision } = await setup.read(operation);
      expect(notified, `after ${calls} calls`).toBe(revision);
    }
    expect(decidedAt).toBeGreaterThan(0);
  });

  test('applies although the user blocked the bot, and is shown after their return', async () => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    setup.show.mockResolvedValue({ kind: 'impossible' });
    expect(await setup.operations.resolveManually(operation, FAILED)).toMatchObject({ kind: 'decided' });
    expect(await setup.operations.undelivered.of(USER)).toEqual([{ user: USER, id: operation.id }]);
  });
});
