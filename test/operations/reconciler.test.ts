import { afterEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { CARD, OUTCOME_THEN_BALANCE, openOn, SHOWN, START, setUpOperations } from './operations-setup.ts';
import { accepted, CUT, logged, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

afterEach(() => void vi.useRealTimers());

const DAY = 24 * 3600_000;

describe('a confirmed operation', () => {
  test('is refused within fifteen seconds if it was never executed, and its user is notified', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    await setup.pass(15_000, setup.replica().reconciler);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(setup.show).toHaveBeenLastCalledWith(
      expect.objectContaining({
        id: operation.id,
        refusal: expect.objectContaining({ reason: 'interrupted' }),
      }),
    );
  });

  test('is scheduled until its card has expired if its claim was not committed', async () => {
    const setup = setUpOperations();
    const draft = await setup.draft();
    await setup.operations.decisions.confirm(draft, CARD, openOn(draft));
    await setup.pass(4 * 60_000);
    expect(await setup.storage.index.upTo('operations:due', START + DAY, 10)).toHaveLength(1);
    await setup.pass(3 * 60_000);
    expect(await setup.storage.index.upTo('operations:due', START + DAY, 10)).toEqual([]);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(setup.show).not.toHaveBeenCalled();
  });
});

describe('an attempt whose process died', () => {
  test('is shown as unknown within fifteen seconds and not sent again', async () => {
    const setup = setUpOperations();
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    expect(setup.shown()).toContain('unknown');
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START + 1_000)]));
    await setup.pass(30_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

describe('an attempt whose process is alive', () => {
  test('is not touched by other replicas, however long the response takes', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    const other = setup.replica();
    vi.useFakeTimers();
    let answer = (_: Awaited<ReturnType<typeof setup.rental.buyEnergy>>) => {};
    setup.rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const attended = setup.advance(operation);
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      setup.clock.now += 1_000;
      if (second % 3 === 0) await other.reconciler.run();
    }
    expect(setup.shown()).toEqual(['claimed']);
    answer(orderOf());
    await attended;
    expect(setup.shown()).toEqual(OUTCOME_THEN_BALANCE);
  });

  test('is not touched by a second run of its job', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    let answer = (_: Awaited<ReturnType<typeof setup.rental.buyEnergy>>) => {};
    setup.rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const attended = setup.advance(operation);
    await eventually(() => expect(setup.rental.buyEnergy).toHaveBeenCalled());
    await setup.replica().reconciler.advance(operation);
    await setup.pass(3_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'sent' });
    expect(setup.shown()).toEqual(['claimed']);
    answer(orderOf());
    await attended;
    expect(setup.shown()).toEqual(OUTCOME_THEN_BALANCE);
  });
});

describe.each([
  ['ahead', 30_000],
  ['behind', -30_000],
])('a replica whose clock is half a minute %s', (_, ms) => {
  test('does not touch an attempt of another replica that is alive', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    const other = setup.replica(undefined, undefined, undefined, { now: () => setup.clock.now + ms });
    vi.useFakeTimers();
    setup.rental.buyEnergy.mockImplementationOnce(() => new Promise(() => {}));
    void setup.advance(operation);
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      setup.clock.now += 1_000;
      await other.reconciler.run();
    }
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await setup.read(operation)).toMatchObject({ state: 'sent' });
    expect(setup.shown()).toEqual(['claimed']);
  });

  test('shows an orphan of another replica as unknown within fifteen seconds', async () => {
    const setup = setUpOperations();
    const operation = await setup.orphaned();
    const other = setup.replica(undefined, undefined, undefined, { now: () => setup.clock.now + ms });
    await setup.pass(15_000, other.reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.shown()).toContain('unknown');
  });

  test('does not touch a claim whose process is alive', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    await setup.storage.set(`heartbeat:{${operation.user}}:${operation.id}`, '');
    const other = setup.replica(undefined, undefined, undefined, { now: () => setup.clock.now + ms });
    await setup.pass(60_000, other.reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'claimed' });
  });
});

describe('an attempt that is being marked as sent', () => {
  test('is not touched by a second run of its job', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    const { replace } = setup.storage;
    const own = setup.replica({
      ...setup.storage,
      async replace(key, expected, value, lifetime) {
        const replaced = await replace(key, expected, value, lifetime);
        if (value.includes('"state":"sent"')) await setup.operations.reconciler.advance(operation);
        return replaced;
      },
    });
    await setup.carryOut(operation, own);
    expect(setup.shown()).toEqual(OUTCOME_THEN_BALANCE);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });
});

describe('an unknown outcome', () => {
  test('is searched for at growing intervals, and its user sees the number of checks', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.pass(60_000);
    const { search } = await setup.read(operation);
    expect(search).toMatchObject({ balance: 'same' });
    expect(search?.count).toBeGreaterThan(3);
    expect(search?.count).toBeLessThan(8);
    expect(setup.show).toHaveBeenLastCalledWith(expect.objectContaining({ search }));
  });

  test('is searched for during one day', async () => {
    const setup = setUpOperations();
    await setup.lost();
    setup.clock.now = START + DAY - 3_600_000;
    await setup.pass(3 * 3_600_000);
    setup.rental.webhookLogs.mockClear();
    await setup.pass(3 * 3_600_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('is shown before the search starts', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    setup.rental.buyEnergy.mockResolvedValueOnce(CUT);
    setup.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
    await setup.advance(operation);
    await setup.pass(30_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
    setup.show.mockResolvedValue(SHOWN);
    await setup.pass(15_000);
    expect(setup.shown().at(-1)).toBe('unknown');
    expect(setup.rental.webhookLogs).toHaveBeenCalled();
  });

  test('stays unknown and is not searched for after the account was unlinked', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.apiKey.mockResolvedValue(undefined);
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'unread' } });
    expect(setup.show.mock.calls.length).toBeLessThan(12);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });
});

test.each(['not JSON', '{"state":"of a later version"}', 'null'])(
  'skips the invalid record %j, logs it once and lets the next process retry',
  async (text) => {
    const setup = setUpOperations();
    const orphan = await setup.orphaned();
    const claimed = await setup.claimed();
    const key = `operation:{${claimed.user}}:${claimed.id}`;
    const before = (await setup.storage.get(key)) ?? '';
    await signedRecords(setup.storage).set(key, text);
    const { log, lines } = recordingLog();
    const own = setup.replica(undefined, undefined, undefined, { log });
    await setup.pass(60_000, own.reconciler);
    expect(lines().filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ operation: claimed.id }),
    ]);
    expect(await setup.read(orphan)).toMatchObject({ state: 'unknown' });
    await setup.storage.set(key, before);
    await setup.pass(6_000, setup.replica().reconciler);
    expect(await setup.read(claimed)).toMatchObject({ state: 'refused' });
  },
);

test('a notified operation that is done is not scheduled any more', async () => {
  const setup = setUpOperations();
  setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
  await setup.advance(await setup.claimed());
  await setup.pass(20_000);
  expect(await setup.storage.index.upTo('operations:due', START + DAY, 10)).toEqual([]);
});

test('delivers a follow-up that arrives while its operation leaves the due index', async () => {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  const { index } = setup.storage;
  let hasNews = false;
  const own = setup.replica({
    ...setup.storage,
    index: {
      ...index,
      async remove(name, ...members) {
        if (name === 'operations:due' && !hasNews) {
          hasNews = true;
          await setup.store.change(operation, (present) => ({
            ...present,
            revision: present.revision + 1,
            late: true,
          }));
        }
        await index.remove(name, ...members);
      },
    },
  });
  await setup.pass(30_000, own.reconciler);
  expect(hasNews).toBe(true);
  expect(setup.shown()).toEqual(['refused', 'refused']);
});
