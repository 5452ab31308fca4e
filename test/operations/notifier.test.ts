import { expect, test } from 'vitest';
import type { Show } from '../../src/operations/receipt.ts';
import { eventually } from '../support/eventually.ts';
import { CARD, FILLED, OUTCOME_THEN_BALANCE, openRoom, type Room, SHOWN } from './operations-setup.ts';
import { ACCOUNT, CUT } from './rental-stand-in.ts';

test('does not repeat a notification', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  for (let again = 0; again < 5; again++) await room.advance(operation);
  await room.pass(60_000);
  expect(room.shown()).toEqual(OUTCOME_THEN_BALANCE);
  const { notified, revision } = await room.read(operation);
  expect(notified).toBe(revision);
});

test('retries a notification after the delay that Telegram demanded', async () => {
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

test('retries it after that delay also while a delivery is pending', async () => {
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

test('shows a claim only by an edit and sends its outcome as a new message', async () => {
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

test('removes a notified operation without pending work from the due index', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  expect(await scheduled(room)).toHaveLength(1);
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
  expect(await scheduled(room)).toEqual([]);
});

test('schedules an operation with a pending delivery for when that is overdue', async () => {
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

test('stores the remaining balance only if it could be shown, and never retries that', async () => {
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

/** Calls `happen` during the balance read after the next purchase. The read fails. */
async function whileBalanceIsRead({ rental: { profile } }: Room, happen: () => Promise<void>): Promise<void> {
  const known = await profile('any');
  profile.mockReset();
  profile.mockResolvedValueOnce(known).mockImplementationOnce(async () => {
    await happen();
    return { ...CUT };
  });
}

test('shows a status that another replica failed to show during a failed balance read', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  const other = room.replica();
  await whileBalanceIsRead(room, () => {
    room.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
    return other.settlement.report(ACCOUNT, FILLED);
  });
  await room.advance(operation);
  // The other replica fails to show it. Then the first replica shows it before it records its notification.
  expect(room.show.mock.calls.map(([{ result }]) => result?.status)).toEqual([
    undefined,
    'pending',
    'filled',
    'filled',
  ]);
  const { notified, revision } = await room.read(operation);
  expect(notified).toBe(revision);
});

test('leaves nothing to notify if another replica notified during the balance read', async () => {
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

test('shows a newer status again after a receipt with the balance has overwritten it', async () => {
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

test('does not retry if the user cannot be notified', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'impossible' });
  await room.advance(operation);
  room.show.mockClear();
  await room.pass(60_000);
  expect(room.show).not.toHaveBeenCalled();
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
});

test('notifies of a change that happens during a notification', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  const { settlement } = room.operations;
  let failed: Promise<void> | undefined;
  room.show.mockImplementationOnce(async () => {
    // The report waits for the current notification, which doesn't wait for the report.
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

test('shows a newer status again if an older notification has overwritten it', async () => {
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

test('notifies once when two runs find the same pending notification', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'later', afterMs: 60_000 });
  await room.advance(operation);
  room.show.mockReset();
  room.show.mockResolvedValue(SHOWN);
  await Promise.all([room.advance(operation), room.advance(operation)]);
  expect(room.shown()).toEqual(['done']);
});

test('retries the notification of the end of a search if Telegram delays it', async () => {
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

test('keeps a follow-up marked as late until it was shown', async () => {
  const room = openRoom();
  const operation = await room.lost();
  room.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  expect(await room.read(operation)).toMatchObject({ late: true });
  await room.pass(20_000);
  expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
  expect(await room.read(operation)).toMatchObject({ late: false });
});

test('leaves the notification to the reconciler if the process dies before it', async () => {
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

test('uses the new message after a card was replaced', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'shown', card: 77 });
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ card: 77 });
  await room.operations.settlement.report(ACCOUNT, FILLED);
  expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ card: 77 }));
});

test('keeps a newer follow-up marked as late until it is shown itself', async () => {
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

test('keeps the message ID of a follow-up, also after an update without one', async () => {
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
  'does not mark the first notification as late: %s',
  async (state) => {
    const room = openRoom();
    if (state === 'unknown') await room.lost();
    else await room.advance(await room.claimed());
    const first = room.show.mock.calls.map(([operation]) => operation).find((one) => one.state === state);
    expect(first).toMatchObject({ late: false });
  },
);

test('marks a delivery as late only if it is reported after the outcome was shown', async () => {
  const room = openRoom();
  await room.operations.settlement.report(ACCOUNT, FILLED);
  await room.advance(await room.claimed());
  expect(room.show.mock.calls.some(([{ late }]) => late)).toBe(false);
  await room.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  expect(room.show).toHaveBeenLastCalledWith(
    expect.objectContaining({ late: true, result: expect.objectContaining({ status: 'failed' }) }),
  );
});

test('sends a follow-up once when two replicas notify at once', async () => {
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

test('replaces a deleted receipt once when several replicas show the operation at once', async () => {
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

test('does not retry within the minute that Telegram demanded', async () => {
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
  'sends a follow-up for a %s order, also during the balance read, and keeps the balance',
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
        // In the same process, the report waits for its turn. Another replica shows it at once.
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
