import { describe, expect, test } from 'vitest';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { invoiceStateOf } from '../../src/invoices/invoice.ts';
import { ACCOUNT, accepted, HASH, profileOf, rejected } from '../operations/rental-stand-in.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import {
  type InvoicesSetup,
  MAKER,
  MINUTE,
  openInvoice,
  openInvoices,
  RUN_INTERVAL_MS,
} from './invoices-setup.ts';

const LINK = { user: MAKER, account: ACCOUNT };
const HOUR = 60 * MINUTE;
const [PAID, DELIVERED] = [{ status: 'paid' }, { status: 'delegated', tx_hash: HASH }];

const isMarked = async (setup: InvoicesSetup, invoice: Invoice) =>
  (await setup.present(invoice)).unchecked === true;
const stateOf = async (setup: InvoicesSetup, invoice: Invoice) =>
  invoiceStateOf(await setup.present(invoice), setup.clock.now);

/** Removes the user's key for the account. */
async function removeKey({ apiKey }: InvoicesSetup): Promise<void> {
  apiKey.mockImplementation(async (user, account) =>
    user === MAKER && account === ACCOUNT ? undefined : 'a key',
  );
}
const unlink = (setup: InvoicesSetup) => setup.invoices.linkChanges.endLink(LINK, () => removeKey(setup));

/** Restores a key and links the account again. */
async function link(setup: InvoicesSetup): Promise<void> {
  setup.apiKey.mockResolvedValue('a key');
  await setup.invoices.linkChanges.resumeTracking(LINK);
}

/** Sets what the service reports and runs the next read. */
async function reportAndPoll(setup: InvoicesSetup, invoice: Invoice, told: object): Promise<void> {
  setup.report(invoice, told);
  await setup.invoices.checkPayment(invoice);
  await setup.pass(RUN_INTERVAL_MS);
}

describe('when an account is unlinked', () => {
  test("marks the user's payable and undelivered invoices of that account as unchecked", async () => {
    const setup = openInvoices();
    const old = await setup.open();
    setup.clock.now += 20 * HOUR;
    const over = await setup.open();
    setup.clock.now += HOUR;
    const [open, paid, delivered] = [await setup.open(), await setup.open(), await setup.open()];
    await reportAndPoll(setup, paid, PAID);
    await reportAndPoll(setup, delivered, DELIVERED);
    const others = [
      await setup.open({ user: MAKER + 1 }),
      await setup.open({ account: ACCOUNT + 1 }),
      await setup.open({ account: setup.OPERATORS }),
    ];
    setup.clock.now = old.expiresAt + 24 * HOUR;
    expect((await setup.invoices.linkChanges.trackedInvoices(LINK)).map(({ id }) => id)).toEqual(
      [paid, open, over].map(({ id }) => id),
    );
    expect(await unlink(setup)).toMatchObject({ unchecked: 3 });
    for (const one of [over, open, paid]) expect(await isMarked(setup, one)).toBe(true);
    for (const one of [old, delivered, ...others]) expect(await isMarked(setup, one)).toBe(false);
    expect(await stateOf(setup, over)).toBe('unchecked');
    expect(await stateOf(setup, paid)).toBe('paid');
  });

  test('leaves an invoice expired whose expiry the service has reported, and does not count it', async () => {
    const { setup, invoice } = await openInvoice();
    setup.clock.now = invoice.expiresAt;
    await reportAndPoll(setup, invoice, { status: 'expired' });
    expect(await unlink(setup)).toMatchObject({ unchecked: 0 });
    expect(await stateOf(setup, invoice)).toBe('over');
  });

  test('makes a payable invoice not payable and updates its cards', async () => {
    const { setup, invoice } = await openInvoice();
    await setup.invoices.setCard(invoice, { chat: 601, language: 'en', isForMaker: false, message: 7 });
    await settled();
    const shownBefore = setup.updates.length;
    await unlink(setup);
    await settled();
    expect(await stateOf(setup, invoice)).toBe('unchecked');
    expect(setup.updates.slice(shownBefore).map(({ chat }) => chat)).toEqual([MAKER, 601]);
    // The end of its time changes nothing any more.
    await setup.pass(40 * MINUTE);
    expect(await stateOf(setup, invoice)).toBe('unchecked');
    expect(setup.updates).toHaveLength(shownBefore + 2);
  });

  test('reads each invoice once when the account is linked again after a day', async () => {
    const setup = openInvoices();
    const [over, delivered] = [await setup.open(), await setup.open()];
    await unlink(setup);
    await setup.pass(27 * HOUR, undefined, MINUTE);
    setup.report(over, { status: 'expired' });
    setup.report(delivered, DELIVERED);
    await link(setup);
    await setup.pass(RUN_INTERVAL_MS);
    expect(await stateOf(setup, over)).toBe('over');
    expect(await stateOf(setup, delivered)).toBe('delivered');
  });

  test('marks invoices as unchecked if the key is rejected, until the next key', async () => {
    const { setup, invoice } = await openInvoice();
    setup.read.mockResolvedValue({ kind: 'rejected', status: 401, code: 'HTTP_401', message: 'no such key' });
    await setup.pass(RUN_INTERVAL_MS);
    expect(await stateOf(setup, invoice)).toBe('unchecked');
    const asked = setup.reads.length;
    await setup.pass(9 * MINUTE);
    expect(setup.reads.length).toBe(asked);
    setup.read.mockImplementation(setup.respond);
    await link(setup);
    await setup.pass(RUN_INTERVAL_MS);
    expect(await stateOf(setup, invoice)).toBe('open');
  });

  test('marks invoices as unchecked if the service has moved the key to another account, until it is back', async () => {
    const { setup, invoice } = await openInvoice();
    setup.read.mockResolvedValue(rejected(404, 'INVOICE_NOT_FOUND'));
    await setup.pass(2 * MINUTE);
    expect(await stateOf(setup, invoice)).toBe('open');
    setup.profile.mockResolvedValue(profileOf('1.00', ACCOUNT + 1));
    await setup.pass(2 * MINUTE);
    expect(await stateOf(setup, invoice)).toBe('unchecked');
    setup.read.mockImplementation(setup.respond);
    await setup.pass(10 * MINUTE);
    expect(await stateOf(setup, invoice)).toBe('open');
  });

  test('returns the result of the callback that ends the link', async () => {
    const setup = openInvoices();
    const ended = setup.invoices.linkChanges.endLink(LINK, async () => 'an answer');
    expect(await ended).toEqual({ result: 'an answer', unchecked: 0 });
  });

  test.each(['open', 'over'])(
    'marks invoices within ten minutes if the process died before: %s',
    async (state) => {
      const { setup, invoice } = await openInvoice();
      if (state === 'over') await setup.pass(20 * HOUR, undefined, MINUTE);
      const ended = setup.invoices.linkChanges.endLink(LINK, async () => {
        await removeKey(setup);
        throw new Error('killed');
      });
      await expect(ended).rejects.toThrow('killed');
      expect(await isMarked(setup, invoice)).toBe(false);
      await setup.pass(10 * MINUTE);
      expect(await isMarked(setup, invoice)).toBe(true);
    },
    60_000,
  );

  /** Unlinks the account while a response of the service is in flight. */
  async function unlinkDuringPoll(setup: InvoicesSetup, invoice: Invoice, told: object): Promise<void> {
    setup.report(invoice, told);
    const { raised: held, raise: answer } = createSignal();
    setup.read.mockImplementationOnce((number) => held.then(() => accepted(setup.reportedInvoice(number))));
    setup.clock.now += RUN_INTERVAL_MS;
    await setup.poll();
    await expect.poll(() => setup.read.mock.calls.length).toBe(1);
    await unlink(setup);
    answer();
    await settled();
  }

  test.each([
    ['pending', {}],
    ['paid', PAID],
  ])('applies a response in flight and keeps the mark: %s', async (status, told) => {
    const { setup, invoice } = await openInvoice();
    await unlinkDuringPoll(setup, invoice, told);
    expect(await setup.present(invoice)).toMatchObject({ status, unchecked: true });
  });

  test('applies a delivery from a response in flight and sets no mark', async () => {
    const { setup, invoice } = await openInvoice();
    await unlinkDuringPoll(setup, invoice, DELIVERED);
    expect(await stateOf(setup, invoice)).toBe('delivered');
    expect(await isMarked(setup, invoice)).toBe(false);
  });
});

describe('when a key is available again', () => {
  test('reads unchecked invoices in the next run, makes them payable again and updates their cards', async () => {
    const { setup, invoice } = await openInvoice();
    await unlink(setup);
    await setup.pass(MINUTE);
    const shownBefore = setup.updates.length;
    await link(setup);
    await setup.pass(RUN_INTERVAL_MS);
    expect(await isMarked(setup, invoice)).toBe(false);
    expect(await stateOf(setup, invoice)).toBe('open');
    expect(setup.updates.slice(shownBefore).map(({ chat }) => chat)).toEqual([MAKER]);
  });

  test('keeps the mark if a read fails or returns another invoice', async () => {
    const setup = openInvoices();
    const [failing, other] = [await setup.open(), await setup.open()];
    await unlink(setup);
    setup.report(other, { payment_address: failing.paymentAddress });
    const answer = setup.read.getMockImplementation();
    setup.read.mockImplementation(async (number) => {
      if (number !== failing.number && answer) return answer(number);
      return { kind: 'rejected', status: 401, code: 'UNAUTHORIZED', message: 'no' };
    });
    await link(setup);
    await setup.pass(MINUTE);
    expect([await isMarked(setup, failing), await isMarked(setup, other)]).toEqual([true, true]);
  });

  test('uses a key that arrives while a read finds none', async () => {
    const { setup, invoice } = await openInvoice();
    setup.apiKey.mockImplementationOnce(async () => {
      // Links the account before the read continues without a key.
      await setup.invoices.linkChanges.resumeTracking(LINK);
      return undefined;
    });
    await setup.pass(2 * RUN_INTERVAL_MS);
    expect(await isMarked(setup, invoice)).toBe(false);
    expect(setup.reads).toHaveLength(1);
  });
});

test('reads nothing without a key and leaves no schedule after a day', async () => {
  const { setup, invoice } = await openInvoice();
  await unlink(setup);
  while (setup.clock.now < invoice.expiresAt + 25 * HOUR) {
    setup.clock.now += 10 * MINUTE;
    await setup.poll();
  }
  expect(setup.reads).toEqual([]);
  expect(await storedKeys(setup.storage, 'invoice-poll')).toEqual([]);
  expect(await stateOf(setup, invoice)).toBe('unchecked');
});

test("marks guests' invoices without the operator key and frees their open slots", async () => {
  const setup = openInvoices();
  const keyless = setup.replica(undefined, { operatorInvoices: undefined });
  const made: Invoice[] = [];
  for (let at = 0; at < 3; at++) {
    const operation = setup.operation({ account: setup.OPERATORS });
    expect(await setup.invoices.applyGuestLimits(operation)).toBeUndefined();
    made.push(await setup.open(operation));
  }
  const next = setup.operation({ account: setup.OPERATORS });
  expect(await setup.invoices.applyGuestLimits(next)).toMatchObject({ reason: 'guest-open' });
  await setup.pass(MINUTE, [keyless]);
  for (const one of made) expect(await stateOf(setup, one)).toBe('unchecked');
  expect(await setup.invoices.applyGuestLimits(next)).toBeUndefined();
  // The operator key is available again.
  await setup.pass(10 * MINUTE);
  for (const one of made) expect(await stateOf(setup, one)).toBe('open');
});

test('marks more than a hundred invoices', async () => {
  const setup = openInvoices();
  const made: Invoice[] = [];
  for (let at = 0; at < 120; at++) {
    setup.clock.now += 1_000;
    made.push(await setup.open());
  }
  expect(await unlink(setup)).toMatchObject({ unchecked: 120 });
  await expect
    .poll(async () => (await Promise.all(made.map((one) => isMarked(setup, one)))).every(Boolean))
    .toBe(true);
});
