import { afterEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { CARD, OUTCOME_THEN_BALANCE, openOn, openRoom, SHOWN, START } from './operations-setup.ts';
import { accepted, CUT, logged, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

afterEach(() => void vi.useRealTimers());

const DAY = 24 * 3600_000;

describe('a confirmed operation', () => {
  test('is refused within fifteen seconds if it was never executed, and its user is notified', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    await room.pass(15_000, room.replica().reconciler);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(room.show).toHaveBeenLastCalledWith(
      expect.objectContaining({
        id: operation.id,
        refusal: expect.objectContaining({ reason: 'interrupted' }),
      }),
    );
  });

  test('is scheduled until its card has expired if its claim was not committed', async () => {
    const room = openRoom();
    const draft = await room.draft();
    await room.operations.decisions.confirm(draft, CARD, openOn(draft));
    await room.pass(4 * 60_000);
    expect(await room.storage.index.upTo('operations:dueIndex', START + DAY, 10)).toHaveLength(1);
    await room.pass(3 * 60_000);
    expect(await room.storage.index.upTo('operations:dueIndex', START + DAY, 10)).toEqual([]);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(room.show).not.toHaveBeenCalled();
  });
});

describe('an attempt whose process died', () => {
  test('is shown as unknown within fifteen seconds and not sent again', async () => {
    const room = openRoom();
    const operation = await room.orphaned();
    await room.pass(15_000);
    expect(room.shown()).toContain('unknown');
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START + 1_000)]));
    await room.pass(30_000);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

describe('an attempt whose process is alive', () => {
  test('is not touched by other replicas, however long the response takes', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    const other = room.replica();
    vi.useFakeTimers();
    let answer = (_: Awaited<ReturnType<typeof room.rental.buyEnergy>>) => {};
    room.rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const attended = room.advance(operation);
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      room.clock.now += 1_000;
      if (second % 3 === 0) await other.reconciler.run();
    }
    expect(room.shown()).toEqual(['claimed']);
    answer(orderOf());
    await attended;
    expect(room.shown()).toEqual(OUTCOME_THEN_BALANCE);
  });

  test('is not touched by a second run of its job', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    let answer = (_: Awaited<ReturnType<typeof room.rental.buyEnergy>>) => {};
    room.rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const attended = room.advance(operation);
    await eventually(() => expect(room.rental.buyEnergy).toHaveBeenCalled());
    await room.replica().reconciler.advance(operation);
    await room.pass(3_000);
    expect(await room.read(operation)).toMatchObject({ state: 'sent' });
    expect(room.shown()).toEqual(['claimed']);
    answer(orderOf());
    await attended;
    expect(room.shown()).toEqual(OUTCOME_THEN_BALANCE);
  });
});

describe.each([
  ['ahead', 30_000],
  ['behind', -30_000],
])('a replica whose clock is half a minute %s', (_, ms) => {
  test('does not touch an attempt of another replica that is alive', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    const other = room.replica(undefined, undefined, undefined, { now: () => room.clock.now + ms });
    vi.useFakeTimers();
    room.rental.buyEnergy.mockImplementationOnce(() => new Promise(() => {}));
    void room.advance(operation);
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      room.clock.now += 1_000;
      await other.reconciler.run();
    }
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await room.read(operation)).toMatchObject({ state: 'sent' });
    expect(room.shown()).toEqual(['claimed']);
  });

  test('shows an orphan of another replica as unknown within fifteen seconds', async () => {
    const room = openRoom();
    const operation = await room.orphaned();
    const other = room.replica(undefined, undefined, undefined, { now: () => room.clock.now + ms });
    await room.pass(15_000, other.reconciler);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
    expect(room.shown()).toContain('unknown');
  });

  test('does not touch a claim whose process is alive', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    await room.storage.set(`heartbeat:{${operation.user}}:${operation.id}`, '');
    const other = room.replica(undefined, undefined, undefined, { now: () => room.clock.now + ms });
    await room.pass(60_000, other.reconciler);
    expect(await room.read(operation)).toMatchObject({ state: 'claimed' });
  });
});

describe('an attempt that is being marked as sent', () => {
  test('is not touched by a second run of its job', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    const { replace } = room.storage;
    const own = room.replica({
      ...room.storage,
      async replace(key, expected, value, lifetime) {
        const replaced = await replace(key, expected, value, lifetime);
        if (value.includes('"state":"sent"')) await room.operations.reconciler.advance(operation);
        return replaced;
      },
    });
    await room.carryOut(operation, own);
    expect(room.shown()).toEqual(OUTCOME_THEN_BALANCE);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

describe('an unknown outcome', () => {
  test('is searched for at growing intervals, and its user sees the number of checks', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.pass(60_000);
    const { search } = await room.read(operation);
    expect(search).toMatchObject({ balance: 'same' });
    expect(search?.count).toBeGreaterThan(3);
    expect(search?.count).toBeLessThan(8);
    expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ search }));
  });

  test('is searched for during one day', async () => {
    const room = openRoom();
    await room.lost();
    room.clock.now = START + DAY - 3_600_000;
    await room.pass(3 * 3_600_000);
    room.rental.webhookLogs.mockClear();
    await room.pass(3 * 3_600_000);
    expect(room.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('is shown before the search starts', async () => {
    const room = openRoom();
    const operation = await room.claimed();
    room.rental.buyEnergy.mockResolvedValueOnce(CUT);
    room.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
    await room.advance(operation);
    await room.pass(30_000);
    expect(room.rental.webhookLogs).not.toHaveBeenCalled();
    room.show.mockResolvedValue(SHOWN);
    await room.pass(15_000);
    expect(room.shown().at(-1)).toBe('unknown');
    expect(room.rental.webhookLogs).toHaveBeenCalled();
  });

  test('stays unknown and is not searched for after the account was unlinked', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.apiKey.mockResolvedValue(undefined);
    await room.pass(60_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'unread' } });
    expect(room.show.mock.calls.length).toBeLessThan(12);
    expect(room.rental.webhookLogs).not.toHaveBeenCalled();
  });
});

test.each(['not JSON', '{"state":"of a later version"}', 'null'])(
  'skips the invalid record %j, logs it once and lets the next process retry',
  async (text) => {
    const room = openRoom();
    const orphan = await room.orphaned();
    const claimed = await room.claimed();
    const key = `operation:{${claimed.user}}:${claimed.id}`;
    const before = (await room.storage.get(key)) ?? '';
    await signedRecords(room.storage).set(key, text);
    const { log, lines } = recordingLog();
    const own = room.replica(undefined, undefined, undefined, { log });
    await room.pass(60_000, own.reconciler);
    expect(lines().filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ operation: claimed.id }),
    ]);
    expect(await room.read(orphan)).toMatchObject({ state: 'unknown' });
    await room.storage.set(key, before);
    await room.pass(6_000, room.replica().reconciler);
    expect(await room.read(claimed)).toMatchObject({ state: 'refused' });
  },
);

test('a notified operation that is done is not scheduled any more', async () => {
  const room = openRoom();
  room.rental.profile.mockResolvedValue(profileOf('1000.00'));
  await room.advance(await room.claimed());
  await room.pass(20_000);
  expect(await room.storage.index.upTo('operations:dueIndex', START + DAY, 10)).toEqual([]);
});

test('delivers a follow-up that arrives while its operation leaves the due index', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const { index } = room.storage;
  let hasNews = false;
  const own = room.replica({
    ...room.storage,
    index: {
      ...index,
      async remove(name, ...members) {
        if (name === 'operations:dueIndex' && !hasNews) {
          hasNews = true;
          await room.store.change(operation, (present) => ({
            ...present,
            revision: present.revision + 1,
            late: true,
          }));
        }
        await index.remove(name, ...members);
      },
    },
  });
  await room.pass(30_000, own.reconciler);
  expect(hasNews).toBe(true);
  expect(room.shown()).toEqual(['refused', 'refused']);
});
