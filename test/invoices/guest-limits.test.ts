import { expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { type InvoicesSetup, MINUTE, maxPerMinute, openInvoices } from './invoices-setup.ts';

const GUEST = 501;
/** Requests an invoice for a guest and opens it if it is admitted. */
async function requestInvoice(setup: InvoicesSetup, user = GUEST, own = setup.invoices) {
  const operation = setup.operation({ user, account: setup.OPERATORS });
  const refusal = await own.applyGuestLimits(operation);
  const invoice = refusal === undefined ? await setup.open(operation, own) : undefined;
  return { operation, refusal, invoice };
}

const only = (setup: InvoicesSetup, operation: Operation) => setup.invoices.applyGuestLimits(operation);

test('allows three open invoices and rejects the fourth with the remaining wait', async () => {
  const setup = openInvoices();
  for (let at = 0; at < 3; at++) {
    expect((await requestInvoice(setup)).refusal).toBeUndefined();
    setup.clock.now += MINUTE;
  }
  expect((await requestInvoice(setup)).refusal).toEqual({
    reason: 'guest-open',
    code: 'GUEST-OPEN',
    seconds: 27 * 60,
  });
  expect((await requestInvoice(setup, GUEST + 1)).refusal).toBeUndefined();
  setup.clock.now += 27 * MINUTE;
  expect((await requestInvoice(setup)).refusal).toBeUndefined();
});

test.each(['paid', 'failed', 'expired', 'delegated'])(
  'frees the slot of an invoice that is %s',
  async (status) => {
    const setup = openInvoices();
    const [first] = [await requestInvoice(setup), await requestInvoice(setup), await requestInvoice(setup)];
    expect((await requestInvoice(setup)).refusal?.reason).toBe('guest-open');
    setup.report({ number: first.invoice?.number ?? 0 }, { status });
    await setup.pass(MINUTE);
    expect((await requestInvoice(setup)).refusal).toBeUndefined();
    expect((await requestInvoice(setup)).refusal?.reason).toBe('guest-open');
  },
);

test('frees the slot of an invoice that was not created when the next one is requested', async () => {
  const setup = openInvoices();
  const [, lost] = [await requestInvoice(setup), await requestInvoice(setup), await requestInvoice(setup)];
  setup.isNotMade.mockImplementation(async ({ user, id }) => user === GUEST && id === lost.operation.id);
  expect((await requestInvoice(setup)).refusal).toBeUndefined();
  expect((await requestInvoice(setup)).refusal?.reason).toBe('guest-open');
});

test('takes no open slot when the limit of all guests rejects a request', async () => {
  const setup = openInvoices();
  for (let user = 0; user < 12; user++) await requestInvoice(setup, 1_000 + user);
  for (let at = 0; at < 9; at++) expect((await requestInvoice(setup)).refusal?.reason).toBe('guest-all');
  setup.clock.now += MINUTE;
  for (let at = 0; at < 3; at++) expect((await requestInvoice(setup)).refusal).toBeUndefined();
});

test('allows six per hour, even if they are paid soon', async () => {
  const setup = openInvoices();
  for (let at = 0; at < 6; at++) {
    const { refusal, invoice } = await requestInvoice(setup);
    expect(refusal).toBeUndefined();
    setup.report({ number: invoice?.number ?? 0 }, { status: 'delegated' });
    await setup.pass(MINUTE);
  }
  expect((await requestInvoice(setup)).refusal).toEqual({
    reason: 'guest-hour',
    code: 'GUEST-HOUR',
    seconds: 54 * 60,
  });
  // A request rejected for this limit takes no open slot.
  setup.clock.now += 54 * MINUTE - 1;
  expect((await requestInvoice(setup)).refusal).toMatchObject({ reason: 'guest-hour', seconds: 1 });
  setup.clock.now += 1;
  expect((await requestInvoice(setup)).refusal).toBeUndefined();
});

test('allows twelve per minute for all guests on three replicas and notifies admins', async () => {
  const setup = openInvoices();
  const replicas = [setup.replica(), setup.replica(), setup.replica()];
  const refusals = await Promise.all(
    Array.from({ length: 300 }, (_, at) =>
      replicas[at % 3]?.applyGuestLimits(setup.operation({ user: 1_000 + at, account: setup.OPERATORS })),
    ),
  );
  expect(refusals.filter((one) => one === undefined)).toHaveLength(12);
  for (const refusal of refusals)
    if (refusal) expect(refusal).toEqual({ reason: 'guest-all', code: 'GUEST-ALL', seconds: 60 });
  expect(setup.notifyGuestLimitReached).toHaveBeenCalled();
});

test('allows at most twelve in any minute of an hour', async () => {
  const setup = openInvoices();
  const passed: number[] = [];
  for (let user = 0; user < 900; user++) {
    setup.clock.now += 4_000;
    const first = await only(setup, setup.operation({ user, account: setup.OPERATORS }));
    if (first === undefined) passed.push(setup.clock.now);
  }
  expect(passed.length).toBeGreaterThan(600);
  expect(maxPerMinute(passed)).toBe(12);
});

test('rejects the guest normally if the admins cannot be notified', async () => {
  const setup = openInvoices();
  setup.notifyGuestLimitReached.mockRejectedValue(new Error('the queue is away'));
  for (let user = 0; user < 12; user++) await requestInvoice(setup, 1_000 + user);
  expect((await requestInvoice(setup)).refusal?.reason).toBe('guest-all');
});

test("does not notify admins of a single guest's limit", async () => {
  const setup = openInvoices();
  for (let at = 0; at < 4; at++) await requestInvoice(setup);
  expect(setup.notifyGuestLimitReached).not.toHaveBeenCalled();
});

test('counts an operation once, even if it is executed repeatedly', async () => {
  const setup = openInvoices();
  const operation = setup.operation({ user: GUEST, account: setup.OPERATORS });
  for (let at = 0; at < 20; at++) expect(await setup.invoices.applyGuestLimits(operation)).toBeUndefined();
  expect((await requestInvoice(setup)).refusal).toBeUndefined();
  expect((await requestInvoice(setup)).refusal).toBeUndefined();
  expect((await requestInvoice(setup)).refusal?.reason).toBe('guest-open');
});

test('does not limit admins, even during a flood', async () => {
  const setup = openInvoices();
  setup.admins.add(504);
  for (let user = 0; user < 12; user++) await requestInvoice(setup, 1_000 + user);
  for (let at = 0; at < 30; at++) expect((await requestInvoice(setup, 504)).refusal).toBeUndefined();
});
