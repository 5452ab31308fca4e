import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Invoice, InvoiceCard } from '../../src/invoices/invoice.ts';
import { shownStandingOf } from '../../src/invoices/invoice.ts';
import { HASH, OFFLINE } from '../operations/rental-stand-in.ts';
import { MAKER, MINUTE, mostInAMinute, openInvoices, PACE_MS } from './room.ts';

type Room = ReturnType<typeof openInvoices>;

const keyOf = ({ user, id }: Invoice) => `invoice:{${user}}:${id}`;
const markOf = ({ user, id }: Invoice) => `invoice-paid:{${user}}:${id}`;

/** Returns the standing that a page shows if the invoice is opened now. */
async function opened(room: Room, invoice: Invoice, own = room.invoices): Promise<string> {
  return shownStandingOf(await own.checkBeforePayment(await room.present(invoice)), room.clock.now);
}

/** Restores an earlier text of the record and deletes the read schedule. */
async function putBack({ storage }: Room, invoice: Invoice, text: string): Promise<void> {
  await storage.set(keyOf(invoice), text);
  await storage.delete(`invoices:soon:${invoice.account}`);
  await storage.delete(`invoices:due:${invoice.account}`);
  await storage.delete('invoices:accounts');
}

/** Delays the service's responses. Returns a function that releases them. */
function holdReads(room: Room): () => void {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  room.read.mockImplementation(async (number) => {
    await held;
    return { kind: 'accepted', value: room.toldOf(number) };
  });
  return () => release();
}

/** Creates an invoice that reached this status. Also returns the record's text from before. */
async function paidInvoice(room: Room, status = 'paid') {
  const invoice = await room.open();
  await room.pass(PACE_MS);
  const earlier = (await room.storage.get(keyOf(invoice))) ?? '';
  room.says(invoice, { status, tx_hash: HASH });
  await room.pass(MINUTE);
  expect(await room.present(invoice)).toMatchObject({ status });
  return { invoice, earlier };
}

test('rechecks an invoice before payment if Redis was rolled back after its last check', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  room.says(invoice, { status: 'paid', tx_hash: HASH });
  expect(await opened(room, invoice)).toBe('open');
  const since = room.clock.now + 1;
  const restarted = room.replica(room.storage, { dataSince: async () => since });
  expect(await opened(room, invoice, restarted)).toBe('paid');
});

describe('a restored earlier record of a paid invoice', () => {
  test.each([
    ['paid', 'paid'],
    ['delegated', 'delivered'],
    ['failed', 'failed'],
  ])('does not become payable: %s', async (status, standing) => {
    const room = openInvoices();
    const { invoice, earlier } = await paidInvoice(room, status);
    await putBack(room, invoice, earlier);
    expect(await room.present(invoice)).toMatchObject({ status, txHash: HASH });
    expect(await opened(room, invoice)).toBe(standing);
    // The next write updates the record.
    await room.invoices.opened(invoice);
    await room.storage.delete(markOf(invoice));
    expect(await room.present(invoice)).toMatchObject({ status });
  });

  test('is shown as paid although the record says that it had expired before', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.says(invoice, { status: 'expired' });
    room.clock.now = invoice.expiresAt;
    await room.pass(MINUTE);
    const earlier = (await room.storage.get(keyOf(invoice))) ?? '';
    expect(earlier).toContain('"status":"expired"');
    room.says(invoice, { status: 'paid', tx_hash: HASH });
    await room.invoices.expect(invoice);
    await room.pass(MINUTE);
    expect(await room.present(invoice)).toMatchObject({ status: 'paid' });
    await putBack(room, invoice, earlier);
    expect(await room.present(invoice)).toMatchObject({ status: 'paid', txHash: HASH });
  });

  test('is not payable if the process died before it wrote the payment to the record', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    const dying = room.replica({
      ...room.storage,
      async replace(key, expected, value, lifetime) {
        if (key === keyOf(invoice) && value.includes('"paid"')) throw new Error('killed');
        return room.storage.replace(key, expected, value, lifetime);
      },
    });
    room.says(invoice, { status: 'paid' });
    await room.pass(PACE_MS, [dying]);
    expect(await room.storage.get(keyOf(invoice))).not.toContain('"paid"');
    expect(await room.present(invoice)).toMatchObject({ status: 'paid' });
  });

  test('is corrected by a read after a minute, even without the payment mark', async () => {
    const room = openInvoices();
    const { invoice, earlier } = await paidInvoice(room);
    await putBack(room, invoice, earlier);
    await room.storage.delete(markOf(invoice));
    room.clock.now += MINUTE;
    expect(await opened(room, invoice)).toBe('paid');
    // Scheduled reads continue.
    room.says(invoice, { status: 'delegated' });
    await room.pass(MINUTE);
    expect(await room.present(invoice)).toMatchObject({ status: 'delegated' });
  });

  test('does not make a card payable again', async () => {
    const room = openInvoices();
    const { invoice, earlier } = await paidInvoice(room);
    await putBack(room, invoice, earlier);
    await room.storage.delete(markOf(invoice));
    room.read.mockResolvedValue(OFFLINE);
    room.shown.length = 0;
    await room.storage.index.putIn('invoices:shown', `${invoice.user}/${invoice.id}`, 0);
    await room.pass(29 * MINUTE);
    expect(room.shown.filter(({ at }) => at < invoice.expiresAt)).toEqual([]);
  });
});

test.each(['a forged mark', 'the mark of another invoice'])('ignores %s', async (what) => {
  const room = openInvoices();
  const { invoice: other } = await paidInvoice(room);
  const invoice = await room.open();
  const mark = (await room.storage.get(markOf(other))) ?? '';
  await room.storage.set(markOf(invoice), what === 'a forged mark' ? '{"status":"paid"}' : mark);
  expect(await room.present(invoice)).toMatchObject({ status: 'pending' });
  // A real payment overwrites the mark.
  room.says(invoice, { status: 'paid' });
  await room.pass(MINUTE);
  expect(await room.present(invoice)).toMatchObject({ status: 'paid' });
});

describe('before an invoice is shown as payable', () => {
  test('reads it from the service unless that responded within the last minute', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.clock.now += MINUTE - 1;
    expect(await opened(room, invoice)).toBe('open');
    expect(room.reads).toHaveLength(0);
    room.clock.now += 1;
    for (let time = 0; time < 5; time++) expect(await opened(room, invoice)).toBe('open');
    expect(room.reads).toHaveLength(1);
    room.clock.now += MINUTE;
    room.says(invoice, { status: 'paid' });
    expect(await opened(room, invoice)).toBe('paid');
    expect(room.reads).toHaveLength(2);
    // The service isn't asked about an invoice that can't be paid.
    room.clock.now += MINUTE;
    expect(await opened(room, invoice)).toBe('paid');
    expect(room.reads).toHaveLength(2);
  });

  test('shows it as stale while the service does not respond, and retries after ten seconds', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.clock.now += MINUTE;
    room.read.mockResolvedValue(OFFLINE);
    for (let time = 0; time < 5; time++) expect(await opened(room, invoice)).toBe('stale');
    expect(room.reads).toHaveLength(1);
    room.clock.now += 10_000;
    expect(await opened(room, invoice)).toBe('stale');
    expect(room.reads).toHaveLength(2);
    room.read.mockImplementation(async (number) => ({ kind: 'accepted', value: room.toldOf(number) }));
    room.clock.now += 10_000;
    expect(await opened(room, invoice)).toBe('open');
    room.read.mockResolvedValue(OFFLINE);
    room.clock.now = invoice.expiresAt;
    expect(await opened(room, invoice)).toBe('over');
  });

  test('shows it as stale if the response is about another invoice', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.says(invoice, { invoice_id: 999 });
    room.clock.now += MINUTE;
    expect(await opened(room, invoice)).toBe('stale');
  });

  test('waits 2.5 seconds at most and uses a late response afterwards', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const room = openInvoices();
    const invoice = await room.open();
    room.clock.now += MINUTE;
    const answer = holdReads(room);
    const first = opened(room, invoice);
    await vi.waitFor(() => expect(room.reads).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await first).toBe('stale');
    // A later request doesn't wait at all.
    expect(await opened(room, invoice)).toBe('stale');
    answer();
    await vi.waitFor(async () => expect(await opened(room, invoice)).toBe('open'));
    expect(room.reads).toHaveLength(1);
  });

  test('waits for a read in flight, also when a scheduled read is due', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.clock.now += MINUTE;
    const answer = holdReads(room);
    const first = opened(room, invoice);
    await vi.waitFor(() => expect(room.reads).toHaveLength(1));
    await room.invoices.looks.run();
    const second = opened(room, invoice);
    await new Promise(setImmediate);
    answer();
    expect([await first, await second]).toEqual(['open', 'open']);
    expect(room.reads).toHaveLength(1);
  });

  test('reads it once for many concurrent requests on several replicas', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.clock.now += MINUTE;
    const replicas = [room.invoices, room.replica(), room.replica()];
    const looks = replicas.map(({ looks }) => looks.run());
    const standings = await Promise.all(
      Array.from({ length: 30 }, (_, at) => opened(room, invoice, replicas[at % 3])),
    );
    await Promise.all(looks);
    expect(room.reads).toHaveLength(1);
    expect(standings.filter((one) => one === 'open').length).toBeGreaterThanOrEqual(10);
    expect(new Set(standings)).toEqual(new Set(standings.includes('stale') ? ['open', 'stale'] : ['open']));
  });

  test('makes at most 55 reads per minute and account and continues with scheduled reads', async () => {
    const room = openInvoices();
    const invoices: Invoice[] = [];
    for (let at = 0; at < 100; at++) invoices.push(await room.open());
    await room.pass(5 * MINUTE);
    const before = room.reads.length;
    for (let at = 0; at < 60; at++) {
      await Promise.all(invoices.map((one) => opened(room, one)));
      await room.pass(PACE_MS);
    }
    const times = room.reads.map(({ at }) => at);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(55);
    expect(room.reads.length - before).toBeGreaterThan(3 * 40);
    expect(new Set(room.reads.slice(before).map(({ number }) => number)).size).toBe(100);
  });
});

describe('cards', () => {
  const payable = ({ showCard }: Room) => showCard.mock.calls.map(([one]) => one.isStale !== true);

  test('checks a card that is sent late and makes it payable when the service responds', async () => {
    const room = openInvoices();
    const hold = room.replica(room.storage, { hand: async () => undefined });
    const invoice = await room.open({}, hold);
    room.clock.now += 2 * MINUTE;
    room.read.mockResolvedValue(OFFLINE);
    await room.pass(MINUTE);
    expect(payable(room)).toEqual([false]);
    room.read.mockImplementation(async (number) => ({ kind: 'accepted', value: room.toldOf(number) }));
    await room.pass(MINUTE);
    expect(payable(room)).toEqual([false, true]);
    const { cards } = await room.present(invoice);
    expect(cards).toMatchObject([{ chat: MAKER, message: 101 }]);
  });

  test('keeps a card payable during an outage of the service until it expires', async () => {
    const room = openInvoices();
    await room.open();
    room.read.mockResolvedValue(OFFLINE);
    await room.pass(29 * MINUTE);
    expect(payable(room)).toEqual([true]);
    await room.pass(2 * MINUTE);
    const standings = room.showCard.mock.calls.map(([one]) => shownStandingOf(one, room.clock.now));
    expect(standings.at(-1)).toBe('over');
  });

  test('does not replace a payable card with a stale one', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    const card: InvoiceCard = { chat: 601, language: 'en', own: false };
    room.clock.now += 2 * MINUTE;
    room.read.mockResolvedValue(OFFLINE);
    await room.invoices.placed(invoice, card);
    await room.pass(MINUTE);
    const shownIn = (chat: number) => room.showCard.mock.calls.filter(([, one]) => one.chat === chat);
    expect(shownIn(601)).toHaveLength(1);
    expect(shownIn(MAKER)).toHaveLength(1);
  });
});
