import { describe, expect, test } from 'vitest';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { standingOf } from '../../src/invoices/invoice.ts';
import { ACCOUNT, accepted, HASH } from '../operations/rental-stand-in.ts';
import { MAKER, MINUTE, openInvoices, PACE_MS } from './room.ts';

type Room = ReturnType<typeof openInvoices>;

const OF_LINK = { user: MAKER, account: ACCOUNT };
const HOUR = 60 * MINUTE;
const [PAID, DELIVERED] = [{ status: 'paid' }, { status: 'delegated', tx_hash: HASH }];

const isMarked = async (room: Room, invoice: Invoice) => (await room.present(invoice)).unchecked === true;
const standing = async (room: Room, invoice: Invoice) =>
  standingOf(await room.present(invoice), room.clock.now);

/** Removes the user's key for the account. */
async function erase({ apiKey }: Room): Promise<void> {
  apiKey.mockImplementation(async (user, account) =>
    user === MAKER && account === ACCOUNT ? undefined : 'a key',
  );
}
const unlink = (room: Room) => room.invoices.linkChanges.ended(OF_LINK, () => erase(room));

/** Restores a key and links the account again. */
async function link(room: Room): Promise<void> {
  room.apiKey.mockResolvedValue('a key');
  await room.invoices.linkChanges.made(OF_LINK);
}

/** Sets what the service reports and runs the next read. */
async function learn(room: Room, invoice: Invoice, told: object): Promise<void> {
  room.says(invoice, told);
  await room.invoices.expect(invoice);
  await room.pass(PACE_MS);
}

describe('when an account is unlinked', () => {
  test("marks the user's payable and undelivered invoices of that account as unchecked", async () => {
    const room = openInvoices();
    const old = await room.open();
    room.clock.now += 20 * HOUR;
    const over = await room.open();
    room.clock.now += HOUR;
    const [open, paid, delivered] = [await room.open(), await room.open(), await room.open()];
    await learn(room, paid, PAID);
    await learn(room, delivered, DELIVERED);
    const others = [
      await room.open({ user: MAKER + 1 }),
      await room.open({ account: ACCOUNT + 1 }),
      await room.open({ account: room.OPERATORS }),
    ];
    room.clock.now = old.expiresAt + 24 * HOUR;
    expect((await room.invoices.linkChanges.followed(OF_LINK)).map(({ id }) => id)).toEqual(
      [paid, open, over].map(({ id }) => id),
    );
    expect(await unlink(room)).toMatchObject({ unchecked: 3 });
    for (const one of [over, open, paid]) expect(await isMarked(room, one)).toBe(true);
    for (const one of [old, delivered, ...others]) expect(await isMarked(room, one)).toBe(false);
    expect(await standing(room, over)).toBe('unchecked');
    expect(await standing(room, paid)).toBe('paid');
  });

  test('makes a payable invoice not payable and updates its cards', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    await room.invoices.placed(invoice, { chat: 601, language: 'en', own: false, message: 7 });
    const shownBefore = room.shown.length;
    await unlink(room);
    expect(await standing(room, invoice)).toBe('unchecked');
    expect(room.shown.slice(shownBefore).map(({ chat }) => chat)).toEqual([MAKER, 601]);
    // The end of its time changes nothing any more.
    await room.pass(40 * MINUTE);
    expect(await standing(room, invoice)).toBe('unchecked');
    expect(room.shown).toHaveLength(shownBefore + 2);
  });

  test('reads each invoice once when the account is linked again after a day', async () => {
    const room = openInvoices();
    const [over, delivered] = [await room.open(), await room.open()];
    await unlink(room);
    await room.pass(27 * HOUR);
    room.says(over, { status: 'expired' });
    room.says(delivered, DELIVERED);
    await link(room);
    await room.pass(PACE_MS);
    expect(await standing(room, over)).toBe('over');
    expect(await standing(room, delivered)).toBe('delivered');
  });

  test('marks invoices as unchecked if the key is rejected, until the next key', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.read.mockResolvedValue({ kind: 'rejected', status: 401, code: 'HTTP_401', message: 'no such key' });
    await room.pass(PACE_MS);
    expect(await standing(room, invoice)).toBe('unchecked');
    const asked = room.reads.length;
    await room.pass(9 * MINUTE);
    expect(room.reads.length).toBe(asked);
    room.read.mockImplementation(async (number) => accepted(room.toldOf(number)));
    await link(room);
    await room.pass(PACE_MS);
    expect(await standing(room, invoice)).toBe('open');
  });

  test('updates the cards when they are checked again', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    await unlink(room);
    const shownBefore = room.shown.length;
    await link(room);
    await room.pass(PACE_MS);
    expect(await standing(room, invoice)).toBe('open');
    expect(room.shown.slice(shownBefore).map(({ chat }) => chat)).toEqual([MAKER]);
  });

  test('returns the result of the callback that ends the link', async () => {
    const room = openInvoices();
    const ended = room.invoices.linkChanges.ended(OF_LINK, async () => 'an answer');
    expect(await ended).toEqual({ result: 'an answer', unchecked: 0 });
  });

  test.each(['open', 'over'])(
    'marks invoices within ten minutes if the process died before: %s',
    async (standing) => {
      const room = openInvoices();
      const invoice = await room.open();
      if (standing === 'over') await room.pass(20 * HOUR);
      const ended = room.invoices.linkChanges.ended(OF_LINK, async () => {
        await erase(room);
        throw new Error('killed');
      });
      await expect(ended).rejects.toThrow('killed');
      expect(await isMarked(room, invoice)).toBe(false);
      await room.pass(10 * MINUTE);
      expect(await isMarked(room, invoice)).toBe(true);
    },
    60_000,
  );

  /** Unlinks the account while a response of the service is in flight. */
  async function endAmidAnswer(room: Room, invoice: Invoice, told: object): Promise<void> {
    room.says(invoice, told);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    room.read.mockImplementationOnce(async (number) => {
      await held;
      return accepted(room.toldOf(number));
    });
    room.clock.now += PACE_MS;
    const look = room.invoices.looks.run();
    await expect.poll(() => room.read.mock.calls.length).toBe(1);
    await unlink(room);
    answer();
    await look;
  }

  test.each([
    ['pending', {}],
    ['paid', PAID],
  ])('applies a response in flight and keeps the mark: %s', async (status, told) => {
    const room = openInvoices();
    const invoice = await room.open();
    await endAmidAnswer(room, invoice, told);
    expect(await room.present(invoice)).toMatchObject({ status, unchecked: true });
  });

  test('applies a delivery from a response in flight and sets no mark', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    await endAmidAnswer(room, invoice, DELIVERED);
    expect(await standing(room, invoice)).toBe('delivered');
    expect(await isMarked(room, invoice)).toBe(false);
  });
});

describe('when a key is available again', () => {
  test('reads unchecked invoices in the next run and makes them payable again', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    await unlink(room);
    await room.pass(MINUTE);
    await link(room);
    await room.pass(PACE_MS);
    expect(await isMarked(room, invoice)).toBe(false);
    expect(await standing(room, invoice)).toBe('open');
  });

  test('shows an expired invoice as over and a paid one as paid', async () => {
    const room = openInvoices();
    const [over, paid] = [await room.open(), await room.open()];
    await unlink(room);
    room.says(paid, PAID);
    await room.pass(40 * MINUTE);
    await link(room);
    await room.pass(PACE_MS);
    expect([await standing(room, over), await standing(room, paid)]).toEqual(['over', 'paid']);
  });

  test('keeps the mark if a read fails or returns another invoice', async () => {
    const room = openInvoices();
    const [failing, other] = [await room.open(), await room.open()];
    await unlink(room);
    room.says(other, { payment_address: failing.paymentAddress });
    const answer = room.read.getMockImplementation();
    room.read.mockImplementation(async (number) => {
      if (number !== failing.number && answer) return answer(number);
      return { kind: 'rejected', status: 401, code: 'UNAUTHORIZED', message: 'no' };
    });
    await link(room);
    await room.pass(MINUTE);
    expect([await isMarked(room, failing), await isMarked(room, other)]).toEqual([true, true]);
  });

  test('uses a key that arrives while a read finds none', async () => {
    const room = openInvoices();
    const invoice = await room.open();
    room.apiKey.mockImplementationOnce(async () => {
      // Links the account before the read continues without a key.
      await room.invoices.linkChanges.made(OF_LINK);
      return undefined;
    });
    await room.pass(2 * PACE_MS);
    expect(await isMarked(room, invoice)).toBe(false);
    expect(room.reads).toHaveLength(1);
  });
});

test('reads nothing without a key and leaves no schedule after a day', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await unlink(room);
  while (room.clock.now < invoice.expiresAt + 25 * HOUR) {
    room.clock.now += 10 * MINUTE;
    await room.invoices.looks.run();
  }
  expect(room.reads).toEqual([]);
  expect(await room.storage.index.last('invoices:accounts', 10)).toEqual([]);
  expect(await standing(room, invoice)).toBe('unchecked');
});

test("marks guests' invoices without the operator key and frees their open slots", async () => {
  const room = openInvoices();
  const keyless = room.replica(undefined, { operatorInvoices: undefined });
  const made: Invoice[] = [];
  for (let at = 0; at < 3; at++) {
    const operation = room.operation({ account: room.OPERATORS });
    expect(await room.invoices.admit(operation)).toBeUndefined();
    made.push(await room.open(operation));
  }
  const next = room.operation({ account: room.OPERATORS });
  expect(await room.invoices.admit(next)).toMatchObject({ reason: 'guest-open' });
  await room.pass(MINUTE, [keyless]);
  for (const one of made) expect(await standing(room, one)).toBe('unchecked');
  expect(await room.invoices.admit(next)).toBeUndefined();
  // The operator key is available again.
  await room.pass(10 * MINUTE);
  for (const one of made) expect(await standing(room, one)).toBe('open');
});

test('marks hundreds of invoices', async () => {
  const room = openInvoices();
  const made: Invoice[] = [];
  for (let at = 0; at < 300; at++) {
    room.clock.now += 1_000;
    made.push(await room.open());
  }
  expect(await unlink(room)).toMatchObject({ unchecked: 300 });
  await expect
    .poll(async () => (await Promise.all(made.map((one) => isMarked(room, one)))).every(Boolean))
    .toBe(true);
});
