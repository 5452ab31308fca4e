import { expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { MINUTE, mostInAMinute, openInvoices } from './room.ts';

const GUEST = 501;
type Room = ReturnType<typeof openInvoices>;

/** Requests an invoice for a guest and opens it if it is admitted. */
async function wants(room: Room, user = GUEST, own = room.invoices) {
  const operation = room.operation({ user, account: room.OPERATORS });
  const refusal = await own.admit(operation);
  const invoice = refusal === undefined ? await room.open(operation, own) : undefined;
  return { operation, refusal, invoice };
}

const only = (room: Room, operation: Operation) => room.invoices.admit(operation);

test('allows three open invoices and rejects the fourth with the remaining wait', async () => {
  const room = openInvoices();
  for (let at = 0; at < 3; at++) {
    expect((await wants(room)).refusal).toBeUndefined();
    room.clock.now += MINUTE;
  }
  expect((await wants(room)).refusal).toEqual({ reason: 'guest-open', code: 'GUEST-OPEN', seconds: 27 * 60 });
  expect((await wants(room, GUEST + 1)).refusal).toBeUndefined();
  room.clock.now += 27 * MINUTE;
  expect((await wants(room)).refusal).toBeUndefined();
});

test.each(['paid', 'failed', 'expired', 'delegated'])(
  'frees the slot of an invoice that is %s',
  async (status) => {
    const room = openInvoices();
    const [first] = [await wants(room), await wants(room), await wants(room)];
    expect((await wants(room)).refusal?.reason).toBe('guest-open');
    room.says({ number: first.invoice?.number ?? 0 }, { status });
    await room.pass(MINUTE);
    expect((await wants(room)).refusal).toBeUndefined();
    expect((await wants(room)).refusal?.reason).toBe('guest-open');
  },
);

test('frees the slot of an invoice that was not created when the next one is requested', async () => {
  const room = openInvoices();
  const [, lost] = [await wants(room), await wants(room), await wants(room)];
  room.isNotMade.mockImplementation(async ({ user, id }) => user === GUEST && id === lost.operation.id);
  expect((await wants(room)).refusal).toBeUndefined();
  expect((await wants(room)).refusal?.reason).toBe('guest-open');
});

test('takes no open slot when the limit of all guests rejects a request', async () => {
  const room = openInvoices();
  for (let user = 0; user < 12; user++) await wants(room, 1_000 + user);
  for (let at = 0; at < 9; at++) expect((await wants(room)).refusal?.reason).toBe('guest-all');
  room.clock.now += MINUTE;
  for (let at = 0; at < 3; at++) expect((await wants(room)).refusal).toBeUndefined();
});

test('allows six per hour, even if they are paid soon', async () => {
  const room = openInvoices();
  for (let at = 0; at < 6; at++) {
    const { refusal, invoice } = await wants(room);
    expect(refusal).toBeUndefined();
    room.says({ number: invoice?.number ?? 0 }, { status: 'delegated' });
    await room.pass(MINUTE);
  }
  expect((await wants(room)).refusal).toEqual({ reason: 'guest-hour', code: 'GUEST-HOUR', seconds: 54 * 60 });
  // A request rejected for this limit takes no open slot.
  room.clock.now += 54 * MINUTE - 1;
  expect((await wants(room)).refusal).toMatchObject({ reason: 'guest-hour', seconds: 1 });
  room.clock.now += 1;
  expect((await wants(room)).refusal).toBeUndefined();
});

test('allows twelve per minute for all guests on three replicas and notifies admins', async () => {
  const room = openInvoices();
  const replicas = [room.replica(), room.replica(), room.replica()];
  const refusals = await Promise.all(
    Array.from({ length: 300 }, (_, at) =>
      replicas[at % 3]?.admit(room.operation({ user: 1_000 + at, account: room.OPERATORS })),
    ),
  );
  expect(refusals.filter((one) => one === undefined)).toHaveLength(12);
  for (const refusal of refusals)
    if (refusal) expect(refusal).toEqual({ reason: 'guest-all', code: 'GUEST-ALL', seconds: 60 });
  expect(room.tellAdmins).toHaveBeenCalled();
});

test('allows at most twelve in any minute of an hour', async () => {
  const room = openInvoices();
  const passed: number[] = [];
  for (let user = 0; user < 900; user++) {
    room.clock.now += 4_000;
    const first = await only(room, room.operation({ user, account: room.OPERATORS }));
    if (first === undefined) passed.push(room.clock.now);
  }
  expect(passed.length).toBeGreaterThan(600);
  expect(mostInAMinute(passed)).toBe(12);
});

test('rejects the guest normally if the admins cannot be notified', async () => {
  const room = openInvoices();
  room.tellAdmins.mockRejectedValue(new Error('the queue is away'));
  for (let user = 0; user < 12; user++) await wants(room, 1_000 + user);
  expect((await wants(room)).refusal?.reason).toBe('guest-all');
});

test("does not notify admins of a single guest's limit", async () => {
  const room = openInvoices();
  for (let at = 0; at < 4; at++) await wants(room);
  expect(room.tellAdmins).not.toHaveBeenCalled();
});

test('counts an operation once, even if it is executed repeatedly', async () => {
  const room = openInvoices();
  const operation = room.operation({ user: GUEST, account: room.OPERATORS });
  for (let at = 0; at < 20; at++) expect(await room.invoices.admit(operation)).toBeUndefined();
  expect((await wants(room)).refusal).toBeUndefined();
  expect((await wants(room)).refusal).toBeUndefined();
  expect((await wants(room)).refusal?.reason).toBe('guest-open');
});

test('does not limit admins, even during a flood', async () => {
  const room = openInvoices();
  room.admins.add(504);
  for (let user = 0; user < 12; user++) await wants(room, 1_000 + user);
  for (let at = 0; at < 30; at++) expect((await wants(room, 504)).refusal).toBeUndefined();
});
