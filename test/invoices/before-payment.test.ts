import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Invoice, InvoiceCard } from '../../src/invoices/invoice.ts';
import { displayedStateOf } from '../../src/invoices/invoice.ts';
import { HASH, OFFLINE } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import {
  type InvoicesSetup,
  MAKER,
  MINUTE,
  maxPerMinute,
  openInvoice,
  openInvoices,
  RUN_INTERVAL_MS,
} from './invoices-setup.ts';

const keyOf = ({ user, id }: Invoice) => `invoice:{${user}}:${id}`;
const paymentKeyOf = ({ user, id }: Invoice) => `invoice-paid:{${user}}:${id}`;

/** Returns the state that a page shows if the invoice is opened now. */
async function openedState(setup: InvoicesSetup, invoice: Invoice, own = setup.invoices): Promise<string> {
  return displayedStateOf(await own.checkBeforePayment(await setup.present(invoice)), setup.clock.now);
}

/** Restores an earlier text of the record and deletes the read schedule. */
async function restoreRecord({ storage }: InvoicesSetup, invoice: Invoice, text: string): Promise<void> {
  await storage.set(keyOf(invoice), text);
  for (const key of await storedKeys(storage, 'invoice-poll')) await storage.delete(key);
}

/** Delays the service's responses. Returns a function that releases them. */
function holdReads(setup: InvoicesSetup): () => void {
  const { raised: held, raise } = createSignal();
  setup.read.mockImplementation((number) => held.then(() => setup.respond(number)));
  return raise;
}

/** Creates an invoice that reached this status. Also returns the record's text from before. */
async function paidInvoice(setup: InvoicesSetup, status = 'paid') {
  const invoice = await setup.open();
  await setup.pass(RUN_INTERVAL_MS);
  const earlier = (await setup.storage.get(keyOf(invoice))) ?? '';
  setup.report(invoice, { status, tx_hash: HASH });
  await setup.pass(MINUTE);
  expect(await setup.present(invoice)).toMatchObject({ status });
  return { invoice, earlier };
}

test('rechecks an invoice before payment if Redis was rolled back after its last check', async () => {
  const { setup, invoice } = await openInvoice();
  setup.report(invoice, { status: 'paid', tx_hash: HASH });
  expect(await openedState(setup, invoice)).toBe('open');
  const since = setup.clock.now + 1;
  const restarted = setup.replica(setup.storage, { dataSince: async () => since });
  expect(await openedState(setup, invoice, restarted)).toBe('paid');
});

describe('a restored earlier record of a paid invoice', () => {
  test.each([
    ['paid', 'paid'],
    ['delegated', 'delivered'],
    ['failed', 'failed'],
  ])('does not become payable: %s', async (status, state) => {
    const setup = openInvoices();
    const { invoice, earlier } = await paidInvoice(setup, status);
    await restoreRecord(setup, invoice, earlier);
    expect(await setup.present(invoice)).toMatchObject({ status, txHash: HASH });
    expect(await openedState(setup, invoice)).toBe(state);
    // The next write updates the record.
    await setup.invoices.recordOpened(invoice);
    await setup.storage.delete(paymentKeyOf(invoice));
    expect(await setup.present(invoice)).toMatchObject({ status });
  });

  test('is not payable if the process died before it wrote the payment to the record', async () => {
    const { setup, invoice } = await openInvoice();
    const dying = setup.replica({
      ...setup.storage,
      async replace(...given) {
        const [key, , value] = given;
        if (key === keyOf(invoice) && value.includes('"paid"')) throw new Error('killed');
        return setup.storage.replace(...given);
      },
    });
    setup.report(invoice, { status: 'paid' });
    await setup.pass(RUN_INTERVAL_MS, [dying]);
    expect(await setup.storage.get(keyOf(invoice))).not.toContain('"paid"');
    expect(await setup.present(invoice)).toMatchObject({ status: 'paid' });
    // Another process counts the payment when it continues.
    const paid = async () => (await setup.invoices.paymentsDuring(setup.clock.now, 1))('account', 'paid');
    expect(await paid()).toBe(0);
    await setup.pass(MINUTE);
    expect(await paid()).toBe(1);
  });

  test('is corrected by a read after a minute, even without the payment mark', async () => {
    const setup = openInvoices();
    const { invoice, earlier } = await paidInvoice(setup);
    await restoreRecord(setup, invoice, earlier);
    await setup.storage.delete(paymentKeyOf(invoice));
    setup.clock.now += MINUTE;
    expect(await openedState(setup, invoice)).toBe('paid');
    // Scheduled reads continue.
    setup.report(invoice, { status: 'delegated' });
    await setup.pass(MINUTE);
    expect(await setup.present(invoice)).toMatchObject({ status: 'delegated' });
  });

  test('does not make a card payable again', async () => {
    const setup = openInvoices();
    const { invoice, earlier } = await paidInvoice(setup);
    await restoreRecord(setup, invoice, earlier);
    await setup.storage.delete(paymentKeyOf(invoice));
    setup.read.mockResolvedValue(OFFLINE);
    setup.updates.length = 0;
    await setup.storage.index.scheduleIn('invoice-card-updates', `${invoice.user}/${invoice.id}`, 0);
    await setup.pass(29 * MINUTE);
    expect(setup.updates.filter(({ at }) => at < invoice.expiresAt)).toEqual([]);
  });
});

test.each(['a forged mark', 'the mark of another invoice'])('ignores %s', async (what) => {
  const setup = openInvoices();
  const { invoice: other } = await paidInvoice(setup);
  const invoice = await setup.open();
  const mark = (await setup.storage.get(paymentKeyOf(other))) ?? '';
  await setup.storage.set(paymentKeyOf(invoice), what === 'a forged mark' ? '{"status":"paid"}' : mark);
  expect(await setup.present(invoice)).toMatchObject({ status: 'pending' });
  // A real payment overwrites the mark.
  setup.report(invoice, { status: 'paid' });
  await setup.pass(MINUTE);
  expect(await setup.present(invoice)).toMatchObject({ status: 'paid' });
});

describe('before an invoice is shown as payable', () => {
  test('reads it from the service unless that responded within the last minute', async () => {
    const { setup, invoice } = await openInvoice();
    setup.clock.now += MINUTE - 1;
    expect(await openedState(setup, invoice)).toBe('open');
    expect(setup.reads).toHaveLength(0);
    setup.clock.now += 1;
    for (let time = 0; time < 5; time++) expect(await openedState(setup, invoice)).toBe('open');
    expect(setup.reads).toHaveLength(1);
    setup.clock.now += MINUTE;
    setup.report(invoice, { status: 'paid' });
    expect(await openedState(setup, invoice)).toBe('paid');
    expect(setup.reads).toHaveLength(2);
    // The service isn't asked about an invoice that can't be paid.
    setup.clock.now += MINUTE;
    expect(await openedState(setup, invoice)).toBe('paid');
    expect(setup.reads).toHaveLength(2);
  });

  test('shows it as stale while the service does not respond, and retries after ten seconds', async () => {
    const { setup, invoice } = await openInvoice();
    setup.clock.now += MINUTE;
    setup.read.mockResolvedValue(OFFLINE);
    for (let time = 0; time < 5; time++) expect(await openedState(setup, invoice)).toBe('stale');
    expect(setup.reads).toHaveLength(1);
    setup.clock.now += 10_000;
    expect(await openedState(setup, invoice)).toBe('stale');
    expect(setup.reads).toHaveLength(2);
    setup.read.mockImplementation(setup.respond);
    setup.clock.now += 10_000;
    expect(await openedState(setup, invoice)).toBe('open');
    setup.read.mockResolvedValue(OFFLINE);
    setup.clock.now = invoice.expiresAt;
    expect(await openedState(setup, invoice)).toBe('unreported');
    setup.read.mockImplementation(setup.respond);
    setup.clock.now += 10_000;
    expect(await openedState(setup, invoice)).toBe('over');
  });

  test('shows it as stale if the response is about another invoice', async () => {
    const { setup, invoice } = await openInvoice();
    setup.report(invoice, { invoice_id: 999 });
    setup.clock.now += MINUTE;
    expect(await openedState(setup, invoice)).toBe('stale');
  });

  test('waits 2.5 seconds at most and uses a late response afterwards', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { setup, invoice } = await openInvoice();
    setup.clock.now += MINUTE;
    const answer = holdReads(setup);
    const first = openedState(setup, invoice);
    await eventually(() => expect(setup.reads).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await first).toBe('stale');
    // A later request doesn't wait at all.
    expect(await openedState(setup, invoice)).toBe('stale');
    answer();
    await eventually(async () => expect(await openedState(setup, invoice)).toBe('open'));
    expect(setup.reads).toHaveLength(1);
  });

  test('waits for a read in flight, also when a scheduled read is due', async () => {
    const { setup, invoice } = await openInvoice();
    setup.clock.now += MINUTE;
    const answer = holdReads(setup);
    const first = openedState(setup, invoice);
    await eventually(() => expect(setup.reads).toHaveLength(1));
    await setup.poll();
    const second = openedState(setup, invoice);
    await new Promise(setImmediate);
    answer();
    expect([await first, await second]).toEqual(['open', 'open']);
    expect(setup.reads).toHaveLength(1);
  });

  test('reads it once for many concurrent requests on several replicas', async () => {
    const { setup, invoice } = await openInvoice();
    setup.clock.now += MINUTE;
    const replicas = [setup.invoices, setup.replica(), setup.replica()];
    const looks = replicas.map(({ poller: looks }) => looks.pollDue());
    const states = await Promise.all(
      Array.from({ length: 30 }, (_, at) => openedState(setup, invoice, replicas[at % 3])),
    );
    await Promise.all(looks);
    expect(setup.reads).toHaveLength(1);
    expect(states.filter((one) => one === 'open').length).toBeGreaterThanOrEqual(10);
    expect(new Set(states)).toEqual(new Set(states.includes('stale') ? ['open', 'stale'] : ['open']));
  });

  test('makes at most 58 reads per minute and account and continues with scheduled reads', async () => {
    const setup = openInvoices();
    const invoices: Invoice[] = [];
    for (let at = 0; at < 100; at++) invoices.push(await setup.open());
    await setup.pass(5 * MINUTE);
    const before = setup.reads.length;
    for (let at = 0; at < 60; at++) {
      await Promise.all(invoices.map((one) => openedState(setup, one)));
      await setup.pass(RUN_INTERVAL_MS);
    }
    const times = setup.reads.map(({ at }) => at);
    expect(maxPerMinute(times)).toBeLessThanOrEqual(58);
    expect(setup.reads.length - before).toBeGreaterThan(3 * 40);
    expect(new Set(setup.reads.slice(before).map(({ number }) => number)).size).toBe(100);
  });
});

describe('cards', () => {
  const payable = ({ updateCard: showCard }: InvoicesSetup) =>
    showCard.mock.calls.map(([one]) => one.isStale !== true);

  test('checks a card that is sent late and makes it payable when the service responds', async () => {
    const setup = openInvoices();
    const invoice = await setup.open({}, setup.replicaWithoutUpdates());
    setup.clock.now += 2 * MINUTE;
    setup.read.mockResolvedValue(OFFLINE);
    await setup.pass(MINUTE);
    expect(payable(setup)).toEqual([false]);
    setup.read.mockImplementation(setup.respond);
    await setup.pass(MINUTE);
    expect(payable(setup)).toEqual([false, true]);
    const { cards } = await setup.present(invoice);
    expect(cards).toMatchObject([{ chat: MAKER, message: 101 }]);
  });

  test('keeps a card payable during an outage of the service until it expires', async () => {
    const setup = openInvoices();
    await setup.open();
    setup.read.mockResolvedValue(OFFLINE);
    await setup.pass(29 * MINUTE);
    expect(payable(setup)).toEqual([true]);
    await setup.pass(2 * MINUTE);
    const lastState = () => displayedStateOf(setup.updateCard.mock.lastCall?.[0] as Invoice, setup.clock.now);
    expect(lastState()).toBe('unreported');
    setup.read.mockImplementation(setup.respond);
    await setup.pass(2 * MINUTE);
    expect(lastState()).toBe('over');
  });

  test('does not replace a payable card with a stale one', async () => {
    const { setup, invoice } = await openInvoice();
    const card: InvoiceCard = { chat: 601, language: 'en', isForMaker: false };
    setup.clock.now += 2 * MINUTE;
    setup.read.mockResolvedValue(OFFLINE);
    await setup.invoices.setCard(invoice, card);
    await setup.pass(MINUTE);
    const shownIn = (chat: number) => setup.updateCard.mock.calls.filter(([, one]) => one.chat === chat);
    expect(shownIn(601)).toHaveLength(1);
    expect(shownIn(MAKER)).toHaveLength(1);
  });
});
