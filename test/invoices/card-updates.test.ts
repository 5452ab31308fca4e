import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { UpdateCard } from '../../src/invoices/card-updates.ts';
import type { Invoice, InvoiceCard } from '../../src/invoices/invoice.ts';
import { cardFingerprint, displayedStateOf } from '../../src/invoices/invoice.ts';
import { failing } from '../operations/operations-setup.ts';
import { HASH } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import {
  type InvoicesSetup,
  MAKER,
  MINUTE,
  openInvoice,
  openInvoices,
  RUN_INTERVAL_MS,
} from './invoices-setup.ts';

/** Returns the card of a payer's chat. */
const payersCard = (chat: number, more: Partial<InvoiceCard> = {}): InvoiceCard => ({
  ...{ chat, language: 'en', isForMaker: false, message: 1_000 + chat, notifiedStatus: 'pending' },
  ...more,
});

/** Adds the card of a payer's chat, which shows the invoice. */
async function addPayersCard(setup: InvoicesSetup, invoice: Invoice, chat: number): Promise<void> {
  const fingerprint = cardFingerprint(invoice, setup.clock.now, { isForMaker: false });
  await setup.invoices.setCard(invoice, payersCard(chat, { fingerprint }));
}

const statusesInChat = ({ updates }: InvoicesSetup, chat: number) =>
  updates.filter((one) => one.chat === chat).map(({ status }) => status);

test('updates a card at creation, near its end and at its end only', async () => {
  const { setup, invoice } = await openInvoice();
  const faces = () => setup.updates.map(({ at }) => Math.round((at - invoice.createdAt) / 1000));
  expect(faces()).toEqual([0]);
  await setup.pass(22 * MINUTE);
  expect(faces()).toHaveLength(1);
  await setup.pass(MINUTE);
  expect(faces()).toEqual([0, 22.5 * 60]);
  await setup.pass(7 * MINUTE);
  expect(faces()).toEqual([0, 22.5 * 60, 30 * 60]);
  await setup.pass(60 * MINUTE);
  expect(faces()).toHaveLength(3);
  expect(await setup.storage.index.last('invoice-card-updates', 10)).toEqual([]);
});

test('updates the cards of the maker and a hundred payers', async () => {
  const { setup, invoice } = await openInvoice();
  for (let chat = 1; chat <= 100; chat++) await addPayersCard(setup, invoice, chat);
  setup.report(invoice, { status: 'delegated', tx_hash: HASH });
  await setup.pass(MINUTE);
  for (let chat = 1; chat <= 100; chat++) expect(statusesInChat(setup, chat)).toEqual(['delegated']);
  expect(statusesInChat(setup, MAKER).at(-1)).toBe('delegated');
});

test("keeps the maker's card and returns the dropped cards when many open the link", async () => {
  const { setup, invoice } = await openInvoice();
  const left: InvoiceCard[] = [];
  for (let chat = 1; chat <= 130; chat++) {
    left.push(...(await setup.invoices.setCard(invoice, payersCard(chat, { fingerprint: '' }))));
  }
  expect(left.map(({ message }) => message)).toEqual(Array.from({ length: 30 }, (_, at) => 1_001 + at));
  setup.report(invoice, { status: 'delegated' });
  await setup.pass(MINUTE);
  expect(statusesInChat(setup, MAKER).at(-1)).toBe('delegated');
  const { cards } = await setup.present(invoice);
  for (const { chat } of cards) expect(statusesInChat(setup, chat).at(-1)).toBe('delegated');
});

test('records every card when many chats open a link at once', async () => {
  const { setup, invoice } = await openInvoice();
  const [here, there] = [setup.invoices, setup.replica()];
  const left = await Promise.all(
    Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? here : there).setCard(invoice, payersCard(at + 1))),
  );
  expect(left.flat()).toEqual([]);
  expect((await setup.present(invoice)).cards).toHaveLength(81);
});

test("keeps one card per chat, and the replacement remains the maker's", async () => {
  const { setup, invoice } = await openInvoice();
  const card = payersCard(MAKER, { language: 'ru', message: 900 });
  const [before] = await setup.invoices.setCard(invoice, card);
  expect(before).toMatchObject({ chat: MAKER, message: 101 });
  const { cards } = await setup.present(invoice);
  expect(cards).toMatchObject([{ chat: MAKER, message: 900, isForMaker: true, language: 'ru' }]);
});

test('remembers the reply below a card for the next update, also of a later card in its chat', async () => {
  const { setup, invoice } = await openInvoice();
  setup.updateCard.mockImplementation(async (one, card) => ({
    ...(await setup.showCard(one, card)),
    ...(card.notifiedStatus !== one.status && { followUp: 77 }),
  }));
  setup.report(invoice, { status: 'paid' });
  await setup.pass(MINUTE);
  await setup.invoices.setCard(invoice, payersCard(MAKER, { message: 900, notifiedStatus: 'paid' }));
  setup.report(invoice, { status: 'delegated' });
  await setup.pass(MINUTE);
  const shown = { message: 900, followUp: 77, notifiedStatus: 'paid' };
  expect(setup.updateCard.mock.lastCall?.[1]).toMatchObject(shown);
});

test('retries a card when Telegram allows it and shows the others immediately', async () => {
  const { setup, invoice } = await openInvoice();
  await addPayersCard(setup, invoice, 1);
  await addPayersCard(setup, invoice, 2);
  setup.report(invoice, { status: 'delegated' });
  let until = Number.POSITIVE_INFINITY;
  setup.updateCard.mockImplementation(async (one, card) => {
    if (card.chat === 1 && setup.clock.now < until) {
      until = Math.min(until, setup.clock.now + 40_000);
      return { kind: 'later', afterMs: until - setup.clock.now };
    }
    return setup.showCard(one, card);
  });
  await setup.pass(30_000);
  expect(statusesInChat(setup, 2)).toEqual(['delegated']);
  expect(statusesInChat(setup, MAKER).at(-1)).toBe('delegated');
  expect(statusesInChat(setup, 1)).toEqual([]);
  await setup.pass(MINUTE);
  expect(statusesInChat(setup, 1)).toEqual(['delegated']);
  expect(statusesInChat(setup, 2)).toEqual(['delegated']);
});

test.each(['throws', 'hangs'])('a card that %s does not delay the others', async (how) => {
  const { setup, invoice } = await openInvoice();
  for (let chat = 1; chat <= 9; chat++) await addPayersCard(setup, invoice, chat);
  setup.updateCard.mockImplementation(async (one, card) => {
    const isTrouble = how === 'throws' ? card.chat <= 6 : card.chat === 2;
    if (!isTrouble) return setup.showCard(one, card);
    if (how === 'throws') throw new Error('this card cannot be shown');
    return new Promise(() => {});
  });
  setup.report(invoice, { status: 'delegated' });
  const own = setup.replicaWithoutUpdates();
  setup.clock.now += 20_000;
  await setup.poll(own);
  void own.cards.update(invoice).catch(() => undefined);
  await eventually(() => {
    for (const chat of [7, 8, 9, MAKER]) expect(statusesInChat(setup, chat).at(-1)).toBe('delegated');
  });
});

test('drops a card that Telegram refuses for good and updates the others', async () => {
  const { setup, invoice } = await openInvoice();
  await addPayersCard(setup, invoice, 1);
  setup.updateCard.mockImplementation(async (one, card) =>
    card.chat === 1 ? { kind: 'gone' } : setup.showCard(one, card),
  );
  for (const status of ['paid', 'delegated']) {
    setup.report(invoice, { status });
    await setup.pass(MINUTE);
  }
  expect(statusesInChat(setup, MAKER)).toEqual(['pending', 'paid', 'delegated']);
  expect((await setup.present(invoice)).cards).toHaveLength(1);
  expect(setup.updateCard.mock.calls.filter(([, { chat }]) => chat === 1)).toHaveLength(1);
});

test('retries a card without its QR code each minute while it is payable', async () => {
  const setup = openInvoices();
  setup.updateCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'updated', message: message ?? 101, notifiedStatus: status, isText: true },
  }));
  const invoice = await setup.open();
  await setup.pass(5 * MINUTE);
  const tries = () => setup.updateCard.mock.calls.length;
  expect(tries()).toBeGreaterThanOrEqual(5);
  expect(tries()).toBeLessThanOrEqual(6);
  expect((await setup.present(invoice)).cards).toMatchObject([{ message: 101, isText: true }]);
  const before = tries();
  setup.updateCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'updated', message: message ?? 102, notifiedStatus: status },
  }));
  await setup.pass(5 * MINUTE);
  expect(tries()).toBe(before + 1);
  expect((await setup.present(invoice)).cards[0]).not.toHaveProperty('isText');
});

test('does not retry a card without its QR code once it is paid', async () => {
  const setup = openInvoices();
  setup.updateCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'updated', message: message ?? 101, notifiedStatus: status, isText: true },
  }));
  const invoice = await setup.open();
  setup.report(invoice, { status: 'paid' });
  await setup.pass(2 * MINUTE);
  const before = setup.updateCard.mock.calls.length;
  await setup.pass(60 * MINUTE);
  expect(setup.updateCard.mock.calls.length).toBe(before);
});

test('sends a card once when two replicas show it at once', async () => {
  const setup = openInvoices();
  const invoice = await setup.open({}, setup.replicaWithoutUpdates());
  const [one, other] = [setup.replica(), setup.replica()];
  await Promise.all([one.cards.update(invoice), other.cards.update(invoice), one.cards.update(invoice)]);
  await setup.pass(MINUTE, [one, other]);
  expect(statusesInChat(setup, MAKER)).toEqual(['pending']);
});

test('shows a change that happens at any step of another update', async () => {
  for (let moment = 0; moment < 12; moment++) {
    const { setup, invoice } = await openInvoice();
    setup.report(invoice, { status: 'paid' });
    await setup.pass(MINUTE);
    setup.report(invoice, { status: 'delegated' });
    let steps = 0;
    // At this storage call of the update, another process detects the delivery but can't show it.
    const step = async () => {
      if (steps++ !== moment) return;
      await setup.invoices.checkPayment(invoice);
      await setup.poll();
    };
    const stepping =
      <Args extends unknown[], Answer>(run: (...args: Args) => Promise<Answer>) =>
      async (...args: Args) => {
        await step();
        return run(...args);
      };
    const own = {
      ...setup.storage,
      get: stepping(setup.storage.get),
      replace: stepping(setup.storage.replace),
      index: {
        ...setup.storage.index,
        scheduleIn: stepping(setup.storage.index.scheduleIn),
        remove: stepping(setup.storage.index.remove),
      },
    };
    await setup.replica(own).cards.update(invoice);
    await setup.pass(2 * MINUTE);
    expect(statusesInChat(setup, MAKER), `at step ${moment}`).toEqual(['pending', 'paid', 'delegated']);
  }
});

test.each(['the earlier', 'the later'])(
  'shows the present status again if two processes edit a card and %s one stores its result last',
  async (last) => {
    const { setup, invoice } = await openInvoice();
    setup.report(invoice, { status: 'paid' });
    await setup.poll(setup.replicaWithoutUpdates());
    const [isShown, isStored] = [new EventEmitter(), new EventEmitter()];
    let later: Promise<void> | undefined;
    const other = setup.replicaWithoutUpdates({
      async updateCard(...args) {
        const result = await setup.updateCard(...args);
        isShown.emit('now');
        if (last === 'the later') await once(isStored, 'now');
        return result;
      },
    });
    const slow = setup.replicaWithoutUpdates({
      async updateCard(...args) {
        // The lease expires, and another process shows the delivery.
        setup.clock.now += 8_000;
        setup.report(invoice, { status: 'delegated' });
        await other.checkPayment(invoice);
        const shown = once(isShown, 'now');
        later = other.cards.update(invoice);
        await (last === 'the later' ? shown : later);
        await setup.updateCard(...args);
        // Telegram's response took too long.
        return { kind: 'later', afterMs: 3_000, isUnclear: true };
      },
    });
    await slow.cards.update(invoice);
    isStored.emit('now');
    await later;
    expect(statusesInChat(setup, MAKER)).toEqual(['pending', 'delegated', 'paid']);
    await setup.pass(MINUTE);
    expect(statusesInChat(setup, MAKER).slice(3)).toEqual(['delegated']);
  },
);

/** Returns the state and message of each update in the maker's chat. Message `undefined` means a new message. */
const updatesOfMaker = ({ updateCard: showCard, clock }: InvoicesSetup) =>
  showCard.mock.calls
    .filter(([, { chat }]) => chat === MAKER)
    .map(([invoice, { message }]) => [displayedStateOf(invoice, clock.now), message]);

describe('a payable card without a recorded message ID', () => {
  /** Runs a process that is killed right after it has sent a card. */
  async function sendAndDie(setup: InvoicesSetup, invoice: Invoice): Promise<void> {
    let sent = false;
    const updateCard: UpdateCard = async (...args) => {
      sent = true;
      return setup.updateCard(...args);
    };
    const dying = setup.replicaWithoutUpdates(
      { updateCard },
      failing(setup.storage, ({ method }) => sent && method !== 'get'),
    );
    await dying.cards.update(invoice).catch(() => undefined);
    // The lease expires.
    setup.clock.now += 8_000;
  }

  async function unsent(setup: InvoicesSetup): Promise<Invoice> {
    return setup.open({}, setup.replicaWithoutUpdates());
  }

  test('is followed by one that becomes payable only after its message ID is recorded', async () => {
    const setup = openInvoices();
    const invoice = await unsent(setup);
    await sendAndDie(setup, invoice);
    await setup.pass(RUN_INTERVAL_MS);
    expect(updatesOfMaker(setup)).toEqual([
      ['open', undefined],
      ['stale', undefined],
      ['open', 102],
    ]);
    const present = await setup.present(invoice);
    expect(present.cards).toMatchObject([{ chat: MAKER, message: 102 }]);
    expect(present).not.toHaveProperty('sending');
    await setup.pass(MINUTE);
    expect(updatesOfMaker(setup)).toHaveLength(3);
  });

  test('stays the only payable one even if the next processes are killed too', async () => {
    const setup = openInvoices();
    const invoice = await unsent(setup);
    for (let time = 0; time < 4; time++) await sendAndDie(setup, invoice);
    await setup.pass(RUN_INTERVAL_MS);
    const asking = updatesOfMaker(setup).filter(([state]) => state === 'open');
    expect(asking).toEqual([
      ['open', undefined],
      ['open', 105],
    ]);
  });

  test.each([
    ['once', 0],
    ['by a process that was killed', 1],
  ])(
    'is not updated while it is not sent again, and stays possible if the user asks for the invoice (begun %s)',
    async (_how, killed) => {
      const setup = openInvoices();
      const invoice = await unsent(setup);
      for (let time = 0; time < killed; time++) await sendAndDie(setup, invoice);
      setup.updateCard.mockResolvedValue({ kind: 'exhausted', notifiedStatus: 'pending' });
      setup.updateCard.mockClear();
      await setup.pass(MINUTE);
      expect(setup.updateCard).toHaveBeenCalledOnce();
      // The QR code may still be in the chat, so the next card becomes payable by an edit.
      expect(await setup.invoices.cards.beginSend(invoice, MAKER)).toBe(true);
    },
  );

  test('is sent again unchanged if Telegram delayed it', async () => {
    const setup = openInvoices();
    setup.updateCard.mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
    await setup.open();
    await setup.pass(MINUTE);
    expect(updatesOfMaker(setup)).toEqual([
      ['open', undefined],
      ['open', undefined],
    ]);
  });

  test('has no effect once the invoice is no longer payable', async () => {
    const setup = openInvoices();
    const invoice = await unsent(setup);
    await sendAndDie(setup, invoice);
    setup.report(invoice, { status: 'paid' });
    await setup.poll();
    await setup.pass(RUN_INTERVAL_MS);
    expect(updatesOfMaker(setup)).toEqual([
      ['open', undefined],
      ['paid', undefined],
    ]);
  });
});

test('is shown by another process within ten seconds if its own one dies', async () => {
  const setup = openInvoices();
  await setup.open({}, setup.replicaWithoutUpdates());
  expect(setup.updates).toEqual([]);
  await setup.pass(12_000);
  expect(statusesInChat(setup, MAKER)).toEqual(['pending']);
});

test('shows the maker once that the link was opened, and no payer', async () => {
  const { setup, invoice } = await openInvoice();
  await addPayersCard(setup, invoice, 1);
  for (let time = 0; time < 3; time++) await setup.invoices.recordOpened(invoice);
  await setup.pass(MINUTE);
  expect(statusesInChat(setup, MAKER)).toEqual(['pending', 'pending']);
  expect(statusesInChat(setup, 1)).toEqual([]);
});

test('opens an invoice once per operation and keeps its status', async () => {
  const setup = openInvoices();
  const operation = setup.operation();
  for (let time = 0; time < 5; time++) await setup.invoices.track(operation);
  expect(statusesInChat(setup, MAKER)).toEqual(['pending']);
  const invoice = await setup.present(operation);
  setup.report(invoice, { status: 'delegated' });
  await setup.pass(MINUTE);
  await setup.invoices.track(operation);
  await setup.pass(MINUTE);
  expect(await setup.present(operation)).toMatchObject({ status: 'delegated' });
  expect(statusesInChat(setup, MAKER)).toEqual(['pending', 'delegated']);
});

test('stores the record before a card is shown, whatever call fails', async () => {
  const setup = openInvoices();
  const seen: (Invoice | undefined)[] = [];
  const showCard: UpdateCard = async (invoice) => {
    seen.push(await setup.invoices.read(invoice));
    return { kind: 'later', afterMs: 1 };
  };
  const operation = setup.operation();
  let left = 0;
  for (let allowed = 0; allowed < 24; allowed++) {
    left = allowed;
    const dying = setup.replica(
      failing(setup.storage, ({ method }) => method !== 'get' && left-- <= 0),
      { updateCard: showCard },
    );
    await dying.track(operation).catch(() => undefined);
    setup.clock.now += MINUTE;
  }
  await setup.invoices.track(operation);
  const { number, paymentAddress } = await setup.present(operation);
  expect(seen).not.toEqual([]);
  for (const one of seen) expect(one).toMatchObject({ number, paymentAddress });
  setup.report({ number }, { status: 'delegated' });
  await setup.pass(MINUTE);
  expect(statusesInChat(setup, MAKER).at(-1)).toBe('delegated');
});
