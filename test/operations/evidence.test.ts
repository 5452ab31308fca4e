import { describe, expect, test } from 'vitest';
import { FILLED, openRoom, START } from './operations-setup.ts';
import { ACCOUNT, accepted, CUT, logged, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

describe('a report of a matching order', () => {
  test('settles an unknown outcome and sends a follow-up', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT, FILLED);
    expect(await room.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, status: 'filled' },
      settledAt: START,
    });
    expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
  });

  test('settles it from the webhook logs if its event is missing', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.shown().at(-1)).toBe('done');
  });

  test('settles a likely outcome', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'likely' });
    await room.operations.settlement.report(ACCOUNT, FILLED);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('settles a failed order too', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { status: 'failed' } });
  });

  test('settles only one operation', async () => {
    const room = openRoom();
    const first = await room.lost();
    const second = await room.lost();
    await room.operations.settlement.report(ACCOUNT, FILLED);
    await room.operations.settlement.report(ACCOUNT, FILLED);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await room.pass(60_000);
    const states = [await room.read(first), await room.read(second)].map(({ state }) => state);
    expect(states.sort()).toEqual(['done', 'unknown']);
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, order: ORDER + 1 });
    expect([await room.read(first), await room.read(second)]).toMatchObject([
      { state: 'done' },
      { state: 'done' },
    ]);
  });

  test('settles one operation when two find it at once', async () => {
    const room = openRoom();
    const [first, second] = [await room.lost(), await room.lost()];
    const found = { kind: 'strong', result: { order: ORDER, status: 'filled' } } as const;
    const { conclude } = room.operations.settlement;
    const known = [await room.stored(first), await room.stored(second)];
    await Promise.all(known.map((stored) => conclude(stored, found, false)));
    const states = [await room.read(first), await room.read(second)].map(({ state }) => state);
    expect(states.sort()).toEqual(['done', 'unknown']);
  });

  test('does not settle another operation if its own one has a response', async () => {
    const room = openRoom();
    const unknown = await room.lost();
    const done = await room.claimed();
    await room.advance(done);
    await room.operations.settlement.report(ACCOUNT, FILLED);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await room.pass(60_000);
    expect(await room.read(unknown)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    expect(await room.read(done)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  });

  test('settles its operation after a lost response if it arrived during the request', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    room.rental.buyEnergy.mockImplementationOnce(async () => {
      await room.operations.settlement.report(ACCOUNT, FILLED);
      return CUT;
    });
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    await room.pass(6_000);
    expect(room.rental.webhookLogs).toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: FILLED.order } });
  });

  test('does not settle an operation sent after it if it has no time', async () => {
    const room = openRoom();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, at: undefined });
    room.clock.now += 60_000;
    const operation = await room.lost();
    await room.pass(60_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('settles nothing if its record was forged', async () => {
    const room = openRoom();
    const operation = await room.lost();
    const key = `order-report:${ACCOUNT}:energy:${FILLED.order}`;
    await room.storage.set(key, JSON.stringify(FILLED));
    await room.storage.index.put(`reports-of-account:${ACCOUNT}`, key, room.clock.now);
    await room.pass(60_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('finds the latest operation of an account with hundreds of earlier attempts', async () => {
    const room = openRoom();
    for (let n = 0; n < 600; n++) {
      await room.storage.index.put(`sent-of-account:${ACCOUNT}`, `999/${n}`, START - 600 + n);
    }
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT, FILLED);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: FILLED.order } });
  });

  test('does not settle another operation while its own one waits for the response', async () => {
    const room = openRoom();
    const unknown = await room.lost();
    const going = await room.claimed();
    room.rental.buyEnergy.mockImplementationOnce(async () => {
      await room.operations.settlement.report(ACCOUNT, FILLED);
      return orderOf();
    });
    await room.advance(going);
    expect(await room.read(going)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.show.mock.calls.filter(([{ id, state }]) => id === unknown.id && state === 'done')).toEqual(
      [],
    );
    expect(await room.read(unknown)).toMatchObject({ state: 'unknown' });
  });
});

describe('a report proves nothing', () => {
  const reports: [string, object][] = [
    ['another address', { address: OTHER_ADDRESS }],
    ['another amount', { amount: 131_000 }],
    ['no address', { address: undefined }],
    ['a time before the request', { at: START - 30_001 }],
  ];
  test.each(reports)('with %s', async (_, other) => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, ...other });
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('from another account', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT + 1, FILLED);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test.each([
    ['another address', logged(ORDER, START, { data: { address: OTHER_ADDRESS } })],
    ['another amount', logged(ORDER, START, { data: { energy_amount: 64_999 } })],
    ['a time before the request', logged(ORDER, START - 30_001)],
    ['another event type', logged(ORDER, START, { type: 'deposit.confirmed' })],
  ])('in the logs with %s', async (_, entry) => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.webhookLogs.mockResolvedValue(accepted([entry]));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });
});

test('a report within the clock tolerance matches', async () => {
  const room = openRoom();
  const operation = await room.lost();
  await room.operations.settlement.report(ACCOUNT, { ...FILLED, at: START - 30_000 });
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
});
