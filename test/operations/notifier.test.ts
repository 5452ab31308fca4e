import { expect, test } from 'vitest';
import type { Show } from '../../src/operations/notifier.ts';
import { eventually } from '../support/eventually.ts';
import { ACCOUNT, CUT } from './rental-stand-in.ts';
import { CARD, FILLED, OUTCOME_THEN_BALANCE, openRoom, type Room, SHOWN } from './room.ts';

test('what was told is not told again', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  for (let again = 0; again < 5; again++) await room.advance(operation);
  await room.pass(60_000);
  expect(room.shown()).toEqual(OUTCOME_THEN_BALANCE);
  const { notified, revision } = await room.read(operation);
  expect(notified).toBe(revision);
});

test('what could not be told is told later, as soon as was said', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'later', afterMs: 5_000 });
  await room.advance(operation);
  await room.pass(3_000);
  expect(await room.read(operation)).toMatchObject({ state: 'done', notified: 0 });
  room.show.mockClear();
  room.show.mockResolvedValue(SHOWN);
  await room.pass(6_000);
  expect(room.shown()).toEqual(['done']);
});

test('what waits for its delivery and could not be told is told as soon as was said, too', async () => {
  const room = openRoom();
  room.reported.mockResolvedValue(true);
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'later', afterMs: 5_000 });
  await room.advance(operation);
  await room.pass(3_000);
  room.show.mockClear();
  room.show.mockResolvedValue(SHOWN);
  await room.pass(9_000);
  expect(room.shown()).toEqual(['done']);
});

test('that it is under way is told by an edit or not at all, and its outcome in a message of its own', async () => {
  const room = openRoom();
  const told: string[] = [];
  const show: Show = async ({ state, card }, may) => {
    told.push(`${may} ${state}`);
    return may === 'edit' && card === CARD ? { kind: 'unplaced' } : { kind: 'shown', card: 77 };
  };
  const process = room.replica(room.storage, show);
  await room.carryOut(await room.claimed(), process);
  await room.pass(15_000, process.reconciler);
  expect(told[0]).toBe('edit claimed');
  expect(told.filter((how) => how.startsWith('send'))).toEqual(['send done']);
});

const scheduled = ({ storage }: Room) => storage.index.upTo('operations:dueIndex', Number.MAX_VALUE, 10);

test('an operation whose outcome was told and that waits for nothing is looked at no more', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  expect(await scheduled(room)).toHaveLength(1);
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
  expect(await scheduled(room)).toEqual([]);
});

test('one that waits for its delivery is looked at when that is overdue', async () => {
  const room = openRoom();
  room.reported.mockResolvedValue(true);
  const { user, id } = await room.claimed();
  await room.advance({ user, id });
  expect(await scheduled(room)).toEqual([`${user}/${id}`]);
  room.clock.now += 29_000;
  expect(await room.storage.index.due('operations:dueIndex', 10)).toEqual([]);
  room.clock.now += 2_000;
  expect(await room.storage.index.due('operations:dueIndex', 10)).toHaveLength(1);
});

test('the balance left is kept once it is shown; where it can not be shown, nobody is told later', async () => {
  const room = openRoom();
  const shown = await room.claimed();
  await room.advance(shown);
  expect(await room.read(shown)).toMatchObject({ result: { balanceLeft: expect.any(String) }, late: false });
  const other = await room.claimed();
  room.show.mockImplementation(async ({ result }) =>
    result?.balanceLeft === undefined ? SHOWN : { kind: 'later', afterMs: 1_000 },
  );
  await room.advance(other);
  room.show.mockClear();
  await room.pass(60_000);
  expect(room.show).not.toHaveBeenCalled();
  const { result, notified, revision } = await room.read(other);
  expect(result).not.toHaveProperty('balanceLeft');
  expect(notified).toBe(revision);
});

/** Has `happen` while the balance that the next purchase leaves is read, in vain. */
async function whileBalanceIsRead({ rental: { profile } }: Room, happen: () => Promise<void>): Promise<void> {
  const known = await profile('any');
  profile.mockReset();
  profile.mockResolvedValueOnce(known).mockImplementationOnce(async () => {
    await happen();
    return { ...CUT };
  });
}

test('news that could not be told while the balance was read, in vain, are told with the outcome', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const other = room.replica();
  await whileBalanceIsRead(room, () => {
    room.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
    return other.settlement.report(ACCOUNT, FILLED);
  });
  await room.advance(operation);
  // By the other in vain, and then by the one who was about to write down what was told.
  expect(room.show.mock.calls.map(([{ result }]) => result?.status)).toEqual([
    undefined,
    'pending',
    'filled',
    'filled',
  ]);
  const { notified, revision } = await room.read(operation);
  expect(notified).toBe(revision);
});

test('news that come while the balance is read, and are told elsewhere, leave nothing to tell later', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const other = room.replica();
  await whileBalanceIsRead(room, () => other.settlement.report(ACCOUNT, FILLED));
  await room.advance(operation);
  const { notified, revision, result } = await room.read(operation);
  expect({ isTold: notified === revision, status: result?.status }).toEqual({
    isTold: true,
    status: 'filled',
  });
  room.show.mockClear();
  await room.pass(60_000);
  expect(room.show).not.toHaveBeenCalled();
});

test('a balance left that lands on top of newer news is followed by these once more', async () => {
  const room = openRoom();
  const other = room.replica();
  room.show.mockImplementation(async ({ result }) => {
    if (result?.balanceLeft !== undefined && result.status === 'pending')
      await other.settlement.report(ACCOUNT, FILLED);
    return SHOWN;
  });
  const operation = await room.claimed();
  await room.advance(operation);
  const statuses = room.show.mock.calls.map(([{ result }]) => result?.status);
  expect(statuses.slice(-2)).toEqual(['filled', 'filled']);
  const { notified, revision, result } = await room.read(operation);
  expect({ isTold: notified === revision, status: result?.status }).toEqual({
    isTold: true,
    status: 'filled',
  });
});

test('whom nothing can be told is not tried again', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'impossible' });
  await room.advance(operation);
  room.show.mockClear();
  await room.pass(60_000);
  expect(room.show).not.toHaveBeenCalled();
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
});

test('what changes while it is told is told too', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  const { settlement } = room.operations;
  let failed: Promise<void> | undefined;
  room.show.mockImplementationOnce(async () => {
    // It is told in its turn: what is being told doesn't wait for it.
    failed = settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    await eventually(async () =>
      expect(await room.read(operation)).toMatchObject({ result: { status: 'failed' } }),
    );
    return SHOWN;
  });
  await settlement.report(ACCOUNT, FILLED);
  await failed;
  await room.pass(15_000);
  const statuses = room.show.mock.calls.map(([{ result }]) => result?.status);
  expect(statuses.slice(0, 5)).toEqual([undefined, 'pending', 'pending', 'filled', 'failed']);
  expect(statuses.at(-1)).toBe('failed');
  const { notified, revision } = await room.read(operation);
  expect(notified).toBe(revision);
});

test('what is shown after something newer, told elsewhere meanwhile, is followed by the newer once more', async () => {
  const room = openRoom();
  const operation = await room.lost();
  room.show.mockResolvedValueOnce({ kind: 'shown', card: CARD, news: 90 });
  const { settlement } = room.operations;
  await settlement.report(ACCOUNT, FILLED);
  const other = room.replica();
  room.show.mockClear();
  room.show.mockImplementationOnce(async () => {
    await other.settlement.report(ACCOUNT, FILLED);
    return SHOWN;
  });
  await settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  const statuses = room.show.mock.calls.map(([{ result }]) => result?.status);
  expect(statuses).toEqual(['failed', 'filled', 'filled']);
  const { notified, revision } = await room.read(operation);
  expect(notified).toBe(revision);
});

test('what two find untold at once is told once', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'later', afterMs: 60_000 });
  await room.advance(operation);
  room.show.mockReset();
  room.show.mockResolvedValue(SHOWN);
  await Promise.all([room.advance(operation), room.advance(operation)]);
  expect(room.shown()).toEqual(['done']);
});

test('that nothing more is looked for is told later, where Telegram refuses it for now', async () => {
  const room = openRoom();
  await room.lost();
  room.show.mockClear();
  room.clock.now += 24 * 3600_000 + 1;
  room.show.mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
  await room.pass(20_000);
  const [first, second] = room.show.mock.calls.map(([shown]) => shown);
  expect(first).toMatchObject({ late: true, search: { over: true } });
  expect(second).toMatchObject({ late: true, search: { over: true } });
});

test('late news stay late until they were told, and no longer', async () => {
  const room = openRoom();
  const operation = await room.lost();
  room.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  expect(await room.read(operation)).toMatchObject({ late: true });
  await room.pass(20_000);
  expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
  expect(await room.read(operation)).toMatchObject({ late: false });
});

test('a process that ends between an outcome and its telling leaves that to the watch', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockRejectedValue(new Error('the process ends'));
  await room.advance(operation).catch(() => undefined);
  expect(await room.read(operation)).toMatchObject({ state: 'done', notified: 0 });
  room.show.mockReset();
  room.show.mockResolvedValue(SHOWN);
  await room.pass(12_000);
  expect(room.shown()).toEqual(['done']);
});

test('a card that took the place of another is the one from then on', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'shown', card: 77 });
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ card: 77 });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ card: 77 }));
});

test('news that comes while older news is told stays news until it is told itself', async () => {
  const room = openRoom();
  const operation = await room.lost();
  room.show.mockClear();
  room.show.mockImplementationOnce(async () => {
    await room.store.change(operation, (present) => ({
      ...present,
      result: { ...present.result, status: 'failed' },
      revision: present.revision + 1,
      late: true,
    }));
    return { ...SHOWN, news: 90 };
  });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  const told = room.show.mock.calls.map(([{ late, result }]) => ({ late, status: result?.status }));
  expect(told).toEqual([
    { late: true, status: 'filled' },
    { late: true, status: 'failed' },
  ]);
  expect(await room.read(operation)).toMatchObject({ late: false });
});

test('the reply that told news is known from then on, also where something is told without one', async () => {
  const room = openRoom();
  const operation = await room.lost();
  room.show.mockResolvedValueOnce({ kind: 'shown', card: CARD, news: 90 });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  expect(await room.read(operation)).toMatchObject({ card: CARD, news: 90 });
  await room.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ news: 90 }));
  expect(await room.read(operation)).toMatchObject({ card: CARD, news: 90 });
});

test.each(['claimed', 'unknown', 'done'] as const)(
  'what is first told of what is %s is no news',
  async (state) => {
    const room = openRoom();
    if (state === 'unknown') await room.lost();
    else await room.advance(await room.claimed());
    const first = room.show.mock.calls.map(([operation]) => operation).find((one) => one.state === state);
    expect(first).toMatchObject({ late: false });
  },
);

test('a delivery that is reported after the outcome was told is news, and one before it is not', async () => {
  const room = openRoom();
  await room.operations.settlement.report(ACCOUNT, FILLED);
  await room.advance(await room.claimed());
  expect(room.show.mock.calls.some(([{ late }]) => late)).toBe(false);
  await room.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  expect(room.show).toHaveBeenLastCalledWith(
    expect.objectContaining({ late: true, result: expect.objectContaining({ status: 'failed' }) }),
  );
});

test('of two replicas that tell the same news at once only one sends the reply; the other finds it told', async () => {
  const room = openRoom();
  const operation = await room.lost();
  const other = room.replica();
  let release = () => {};
  room.show.mockClear();
  room.show.mockImplementationOnce(async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return { kind: 'shown', card: CARD, news: 90 };
  });
  const first = room.operations.settlement.report(ACCOUNT, FILLED);
  await eventually(() => expect(room.show).toHaveBeenCalledTimes(1));
  await other.reconciler.advance(operation);
  expect(room.show).toHaveBeenCalledTimes(1);
  release();
  await first;
  await room.pass(15_000);
  expect(room.show).toHaveBeenCalledTimes(1);
  expect(await room.read(operation)).toMatchObject({ news: 90, late: false });
});

test('a receipt that is gone is sent anew by one replica alone, however many show the operation at once', async () => {
  const room = openRoom();
  let card = CARD + 10;
  const sent: number[] = [];
  const show: Show = async (operation, may) => {
    if (operation.card !== CARD) return { kind: 'shown', card: operation.card };
    if (may === 'edit') return { kind: 'unplaced' };
    sent.push(++card);
    await new Promise((resolve) => setImmediate(resolve));
    return { kind: 'shown', card };
  };
  const operation = await room.claimed();
  await room.advance(operation);
  await room.store.change(operation, (present) => ({ ...present, revision: present.revision + 1 }));
  const replicas = Array.from({ length: 5 }, () => room.replica(room.storage, show));
  await Promise.all(replicas.map(({ reconciler }) => reconciler.advance(operation)));
  await room.pass(15_000, room.replica(room.storage, show).reconciler);
  expect(sent).toHaveLength(1);
  const { notified, revision, ...told } = await room.read(operation);
  expect({ isTold: notified === revision, card: told.card }).toEqual({ isTold: true, card });
});

test('an outcome that Telegram refuses for a minute is not tried before', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockImplementation(async ({ state }) =>
    state === 'claimed' ? SHOWN : { kind: 'later', afterMs: 60_000 },
  );
  await room.advance(operation);
  room.show.mockClear();
  await room.pass(30_000);
  expect(room.show).not.toHaveBeenCalled();
});

test.each(['filled', 'failed'] as const)(
  'an order that is %s after its user saw the outcome is news, also while the balance is read; which is kept',
  async (status) => {
    for (const elsewhere of [true, false]) {
      const room = openRoom();
      const operation = await room.claimed();
      const { profile } = room.rental;
      const known = await profile('any');
      profile.mockReset();
      profile.mockResolvedValueOnce(known).mockImplementationOnce(async () => {
        const { settlement } = elsewhere ? room.replica() : room.operations;
        const reported = settlement.report(ACCOUNT, { ...FILLED, status });
        // Here it waits for its turn; elsewhere it shows it by an edit at once.
        if (elsewhere) await reported;
        return known;
      });
      await room.advance(operation);
      await room.pass(1_000);
      const lates = room.show.mock.calls.filter(([{ late, result }]) => late && result?.status === status);
      expect(lates.length).toBeGreaterThan(0);
      const { notified, revision, result } = await room.read(operation);
      expect({ isTold: notified === revision, result }).toMatchObject({
        isTold: true,
        result: { status, balanceLeft: '1000.00' },
      });
    }
  },
);
