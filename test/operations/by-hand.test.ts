import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ByHand } from '../../src/operations/operation.ts';
import { eventually } from '../support/eventually.ts';
import { killedAfter } from '../support/killed.ts';
import { ACCOUNT, accepted, profileOf, rejected } from './rental-stand-in.ts';
import { FILLED, openRoom, START, USER } from './room.ts';

const WENT: Omit<ByHand, 'at'> = { outcome: 'done', reason: 'seen on the chain', admin: 7 };
const FAILED: Omit<ByHand, 'at'> = { outcome: 'not-done', reason: 'asked the service', admin: 8 };
const DAY_MS = 24 * 3600_000;

type Room = ReturnType<typeof openRoom>;

const moneyCalls = ({ rental }: Room) =>
  [rental.buyEnergy, rental.buyBandwidth, rental.withdraw, rental.activateAddress].reduce(
    (count, call) => count + call.mock.calls.length,
    0,
  );

/** One of unknown outcome, whose attempt is surely over. */
async function lostFor(room: Room, more: Parameters<Room['lost']>[0] = {}) {
  const operation = await room.lost(more);
  room.clock.now += 8_000;
  return operation;
}

describe('a decision by hand', () => {
  test.each([
    [WENT, { state: 'done', settledAt: START + 8_000, result: {} }],
    [FAILED, { state: 'refused', refusal: { reason: 'by-hand' }, settledAt: START + 8_000 }],
  ])('%j ends an unknown outcome, sends nothing and is told as news', async (decision, ended) => {
    const room = openRoom();
    const operation = await lostFor(room);
    const sent = moneyCalls(room);
    const decided = await room.operations.decideByHand(operation, decision);
    expect(decided).toMatchObject({ kind: 'decided', operation: { id: operation.id } });
    expect(await room.read(operation)).toMatchObject({
      ...ended,
      decided: { ...decision, at: START + 8_000 },
    });
    const [shown] = room.show.mock.lastCall ?? [];
    expect(shown).toMatchObject({ state: ended.state, late: true, decided: decision });
    await room.pass(DAY_MS);
    expect(moneyCalls(room)).toBe(sent);
    expect(room.show.mock.lastCall?.[0]).toBe(shown);
  });

  test('is answered although its user can not be notified yet', async () => {
    const room = openRoom();
    const operation = await lostFor(room);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    room.show.mockReturnValueOnce(new Promise(() => undefined));
    const deciding = room.operations.decideByHand(operation, WENT);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await deciding).toMatchObject({ kind: 'decided' });
  });

  test('ends a likely one too, a day after it was told', async () => {
    const room = openRoom();
    const operation = await lostFor(room);
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(DAY_MS);
    expect(await room.read(operation)).toMatchObject({ state: 'likely' });
    expect(await room.operations.decideByHand(operation, FAILED)).toMatchObject({ kind: 'decided' });
    expect(await room.read(operation)).toMatchObject({ state: 'refused' });
  });

  test('is told in a message of its own, also to who had a reply before', async () => {
    const room = openRoom();
    const operation = await lostFor(room);
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    room.show.mockResolvedValue({ kind: 'shown', card: 77, news: 78 });
    await room.pass(DAY_MS);
    expect(await room.read(operation)).toMatchObject({ state: 'likely', news: 78 });
    room.show.mockResolvedValue({ kind: 'shown', card: 77, news: 79 });
    await room.operations.decideByHand(operation, FAILED);
    const [first] = room.show.mock.calls.flat().filter(({ state }) => state === 'refused');
    expect(first).toMatchObject({ late: true });
    expect(first?.news).toBeUndefined();
    expect(await room.read(operation)).toMatchObject({ state: 'refused', news: 79 });
  });

  test('is one decision, however often it is made, and told once', async () => {
    const room = openRoom();
    const operation = await lostFor(room);
    const own = [room.operations, room.replica()];
    const twice = await Promise.all(own.map(({ decideByHand }) => decideByHand(operation, WENT)));
    expect(twice.map(({ kind }) => kind)).toEqual(['decided', 'decided']);
    const stood = await room.read(operation);
    room.clock.now += 1_000;
    expect(await room.operations.decideByHand(operation, WENT)).toMatchObject({ kind: 'decided' });
    expect(await room.read(operation)).toEqual(stood);
    expect(room.shown().filter((state) => state === 'done')).toHaveLength(1);
  });

  test('of two admins at once one counts, and the other is told how it stands', async () => {
    const room = openRoom();
    const operation = await lostFor(room);
    const decided = await Promise.all([
      room.operations.decideByHand(operation, WENT),
      room.replica().decideByHand(operation, FAILED),
    ]);
    expect(decided.map(({ kind }) => kind).sort()).toEqual(['decided', 'late']);
    const stands = await room.read(operation);
    for (const one of decided) expect(one).toMatchObject({ operation: { state: stands.state } });
    expect(stands.decided).toMatchObject(decided[0]?.kind === 'decided' ? WENT : FAILED);
  });

  test('and the event of its order, at once: whoever writes first stands, and the other changes nothing', async () => {
    for (const order of ['decision first', 'event first']) {
      const room = openRoom();
      const operation = await lostFor(room);
      const decide = () => room.operations.decideByHand(operation, FAILED);
      const report = () => room.replica().settlement.report(ACCOUNT, FILLED);
      const [decided] = await (order === 'decision first'
        ? Promise.all([decide(), report()])
        : report().then(async () => [await decide()] as const));
      const stands = await room.read(operation);
      if (decided.kind === 'decided') expect(stands).toMatchObject({ state: 'refused', decided: FAILED });
      else expect(stands).toMatchObject({ state: 'done', result: { order: 7, status: 'filled' } });
      expect('decided' in stands).toBe(decided.kind === 'decided');
      if (order === 'event first') expect(decided.kind).toBe('late');
    }
  });

  test('is refused while it is on its way, or its process may still hear the answer', async () => {
    const room = openRoom();
    const confirmed = await room.claimed();
    expect(await room.operations.decideByHand(confirmed, WENT)).toMatchObject({ kind: 'under way' });
    const lost = await lostFor(room, { user: USER + 1 });
    await room.storage.set(`heartbeat:{${USER + 1}}:${lost.id}`, '', { ttlMs: 8_000 });
    expect(await room.operations.decideByHand(lost, WENT)).toMatchObject({ kind: 'under way' });
    expect(await room.read(lost)).toMatchObject({ state: 'unknown' });
    room.clock.now += 8_000;
    expect(await room.operations.decideByHand(lost, WENT)).toMatchObject({ kind: 'decided' });
  });

  test.each(['done', 'refused', 'draft'])('changes nothing about one that is %s', async (state) => {
    const room = openRoom();
    if (state === 'refused') room.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'NO'));
    const operation = await (state === 'draft' ? room.draft() : room.claimed());
    if (state !== 'draft') await room.advance(operation);
    const before = await room.read(operation);
    expect(before.state).toBe(state);
    expect(await room.operations.decideByHand(operation, WENT)).toMatchObject({ kind: 'late' });
    expect(await room.read(operation)).toEqual(before);
  });

  test('knows none that is not there', async () => {
    const room = openRoom();
    expect(await room.operations.decideByHand({ user: USER, id: 'none' }, WENT)).toEqual({ kind: 'none' });
  });

  test('gives way to the service’s own answer, should that come all the same', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    let answer: (() => void) | undefined;
    room.rental.buyEnergy.mockImplementationOnce(
      (_key, purchase) =>
        new Promise((resolve) => {
          answer = () =>
            resolve(accepted({ ...purchase, order_id: 7, price_trx: '2.32', status: 'pending' }));
        }),
    );
    const going = room.advance(operation);
    await eventually(() => expect(answer).toBeDefined());
    // Its process hung for longer than it may be silent.
    room.clock.now += 9_000;
    await room.replica().reconciler.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    expect(await room.operations.decideByHand(operation, FAILED)).toMatchObject({ kind: 'decided' });
    answer?.();
    await going;
    const stands = await room.read(operation);
    expect(stands).toMatchObject({ state: 'done', settledBy: 'answer', result: { order: 7 } });
    expect(stands).not.toHaveProperty('decided');
  });

  test('is told after a restart, wherever its process ended', async () => {
    let decidedAt = 0;
    for (let calls = 1; ; calls += 1) {
      const room = openRoom();
      const operation = await lostFor(room);
      // Nobody looks for its traces any more.
      room.clock.now += DAY_MS;
      await room.pass(6_000);
      const dying = killedAfter(calls, room.storage);
      const own = room.replica(dying.storage, async () => {
        if (dying.wasKilled()) throw new Error('the process has ended');
        return { kind: 'shown', card: 40 };
      });
      const decided = await own.decideByHand(operation, WENT).catch(() => undefined);
      if (!dying.wasKilled()) {
        expect(decided).toMatchObject({ kind: 'decided' });
        break;
      }
      const { state } = await room.read(operation);
      if (state !== 'done') continue;
      decidedAt += 1;
      room.show.mockClear();
      // Whoever died while telling held its turn.
      await room.pass(20_000);
      const { notified, revision } = await room.read(operation);
      expect(notified, `after ${calls} calls`).toBe(revision);
    }
    expect(decidedAt).toBeGreaterThan(0);
  });

  test('is made for a user who has blocked the bot just the same: they are told when they are back', async () => {
    const room = openRoom();
    const operation = await lostFor(room);
    room.show.mockResolvedValue({ kind: 'impossible' });
    expect(await room.operations.decideByHand(operation, FAILED)).toMatchObject({ kind: 'decided' });
    expect(await room.operations.missed.of(USER)).toEqual([{ user: USER, id: operation.id }]);
  });
});
