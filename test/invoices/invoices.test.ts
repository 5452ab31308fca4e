import { expect, test } from 'vitest';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { createInvoiceStore, createUserInvoices } from '../../src/invoices/invoice-store.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';
import { type InvoicesSetup, MINUTE, openInvoices } from './invoices-setup.ts';

const GUEST = 501;
/** Requests an invoice for a guest and opens it if it is admitted. */
async function requestInvoice(setup: InvoicesSetup, user = GUEST, own = setup.invoices) {
  const operation = setup.operation({ user, account: setup.OPERATORS });
  const refusal = await own.applyGuestLimits(operation);
  const invoice = refusal === undefined ? await setup.open(operation, own) : undefined;
  return { operation, refusal, invoice };
}

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
    Array.from({ length: 60 }, (_, at) =>
      replicas[at % 3]?.applyGuestLimits(setup.operation({ user: 1_000 + at, account: setup.OPERATORS })),
    ),
  );
  expect(refusals.filter((one) => one === undefined)).toHaveLength(12);
  for (const refusal of refusals)
    if (refusal) expect(refusal).toEqual({ reason: 'guest-all', code: 'GUEST-ALL', seconds: 60 });
  expect(setup.notifyGuestLimitReached).toHaveBeenCalled();
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

const DAY = 24 * 3600_000;

test('counts each payment once, of guests apart, and takes failed ones out again', async () => {
  const setup = openInvoices();
  const ofGuest = await setup.open({ account: setup.OPERATORS });
  const own = await setup.open();
  const figures = async (days: number) => {
    const of = await setup.invoices.paymentsDuring(setup.clock.now, days);
    return (['guest', 'account'] as const).map((maker) =>
      (['paid', 'sun', 'failed'] as const).map((figure) => of(maker, figure)),
    );
  };
  expect(await figures(1)).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
  for (const invoice of [ofGuest, own]) setup.report(invoice, { status: 'paid' });
  await setup.pass(60_000, [setup.invoices, setup.replica()]);
  expect(await figures(1)).toEqual([
    [1, 4_640_000, 0],
    [1, 4_640_000, 0],
  ]);
  setup.clock.now += DAY;
  setup.report(ofGuest, { status: 'failed' });
  setup.report(own, { status: 'delegated' });
  await setup.pass(60_000, [setup.invoices, setup.replica()]);
  expect(await figures(1)).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
  expect(await figures(2)).toEqual([
    [0, 0, 1],
    [1, 4_640_000, 0],
  ]);
});

function openList() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const store = createInvoiceStore({ records: signedRecords(storage), storage, now });
  const list = createUserInvoices({ storage, store, now });
  let number = 0;

  async function add(more: Partial<Invoice> = {}): Promise<string> {
    number += 1;
    const id = `N${number}`;
    const about = { id, user: USER, account: 1001, number, paymentAddress: ADDRESS, address: ADDRESS };
    const terms = { energy: 65_000, hours: 1, priceTrx: '1.00', priceUsdt: '0.30' };
    const times = { createdAt: clock.now, expiresAt: clock.now + 1_800_000 };
    const stands = { status: 'delegated', shared: true, language: 'en' as const, pollCount: 0, cards: [] };
    await list.add(await store.create({ ...about, ...terms, ...times, ...stands, ...more }));
    return id;
  }
  return { clock, storage, list, add };
}

test('returns all invoices, latest first, or as many as needed', async () => {
  const { clock, list, add } = openList();
  for (let made = 0; made < 120; made++) {
    clock.now += 1;
    await add();
  }
  const all = await list.list(USER);
  expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at));
  expect((await list.list(USER, (read) => read.length > 10)).length).toBeLessThan(120);
  expect(await list.list(USER + 1)).toEqual([]);
});

test('pages through matching invoices, and ends a page after 500 that do not match', async () => {
  const { clock, list, add } = openList();
  for (let made = 0; made < 560; made++) {
    clock.now += 1;
    await add();
  }
  const matches = ({ number }: Invoice) => number > 555 || number <= 5;
  const pages: number[][] = [];
  let after: string | undefined;
  do {
    const { invoices, older } = await list.page(USER, { size: 3, after, matches });
    pages.push(invoices.map(({ number }) => number));
    after = older;
  } while (after !== undefined && pages.length < 9);
  expect(pages).toEqual([
    [560, 559, 558],
    [557, 556],
    [5, 4, 3],
    [2, 1],
  ]);
});

test('totals the latest 2,000 and reports that the totals are partial', async () => {
  const { clock, list, add } = openList();
  for (let made = 0; made < 2_050; made++) {
    clock.now += 1;
    await add();
  }
  const { today, partial } = await list.totals(USER, () => true);
  expect(partial).toBe(true);
  expect(today).toEqual({ count: 2_000, trx: '2000' });
  clock.now += 40 * DAY;
  expect(await list.totals(USER, () => true)).toMatchObject({
    partial: false,
    month: { count: 0, trx: '0' },
  });
});

test('removes members without a record when others are added', async () => {
  const { clock, storage, list, add } = openList();
  for (let made = 0; made < 3; made++) await add();
  for (let day = 0; day < 100; day += 50) {
    clock.now += 50 * DAY;
    await add();
  }
  expect(await list.list(USER)).toHaveLength(2);
  expect(await storage.index.last(`invoices-of-user:{${USER}}`, 10)).toHaveLength(3);
  await add();
  expect(await storage.index.last(`invoices-of-user:{${USER}}`, 10)).toHaveLength(3);
});

test('totals payments of the day, of the week since Monday and of the month, in UTC', async () => {
  const { clock, list, add } = openList();
  clock.now = Date.parse('2025-08-06T12:00:00Z');
  for (const end of ['2025-08-01', '2025-08-04', '2025-08-06'])
    for (const paidAt of [Date.parse(end) - 1, Date.parse(end)]) await add({ createdAt: paidAt, paidAt });
  const totalOf = (count: number) => ({ count, trx: String(count) });
  const totals = { today: totalOf(1), week: totalOf(3), month: totalOf(5) };
  expect(await list.totals(USER, () => true)).toEqual({ ...totals, partial: false });
});

test('counts an invoice of last month that was paid this month', async () => {
  const { clock, list, add } = openList();
  clock.now = Date.parse('2025-07-31T00:00:00Z');
  const paidAt = Date.parse('2025-08-01T00:10:00Z');
  await add({ paidAt });
  clock.now = Date.parse('2025-08-31T23:59:59Z');
  expect((await list.totals(USER, () => true)).month.count).toBe(1);
});
