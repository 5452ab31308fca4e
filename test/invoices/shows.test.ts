import { describe, expect, test, vi } from 'vitest';
import type { ShowInvoice } from '../../src/invoices/cards.ts';
import type { Invoice, InvoiceCard } from '../../src/invoices/invoice.ts';
import { faceOf, shownStandingOf } from '../../src/invoices/invoice.ts';
import { failing } from '../operations/operations-setup.ts';
import { HASH } from '../operations/rental-stand-in.ts';
import { MAKER, MINUTE, openInvoices, PACE_MS } from './room.ts';

type InvoicesSetup = ReturnType<typeof openInvoices>;

/** Adds the card of a payer's chat. */
async function payer(setup: InvoicesSetup, invoice: Invoice, chat: number): Promise<void> {
  const shown = faceOf(invoice, setup.clock.now, { own: false });
  const card: InvoiceCard = { chat, language: 'en', own: false, message: 1, shown, told: invoice.status };
  await setup.invoices.placed(invoice, card);
}

const inChat = ({ shown }: InvoicesSetup, chat: number) =>
  shown.filter((one) => one.chat === chat).map(({ status }) => status);

test('updates a card at creation, near its end and at its end only', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  const faces = () => setup.shown.map(({ at }) => Math.round((at - invoice.createdAt) / 1000));
  expect(faces()).toEqual([0]);
  await setup.pass(22 * MINUTE);
  expect(faces()).toHaveLength(1);
  await setup.pass(MINUTE);
  expect(faces()).toEqual([0, 22.5 * 60]);
  await setup.pass(7 * MINUTE);
  expect(faces()).toEqual([0, 22.5 * 60, 30 * 60]);
  await setup.pass(60 * MINUTE);
  expect(faces()).toHaveLength(3);
  expect(await setup.storage.index.last('invoices:shown', 10)).toEqual([]);
});

test('updates the cards of the maker and a hundred payers', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  for (let chat = 1; chat <= 100; chat++) await payer(setup, invoice, chat);
  setup.says(invoice, { status: 'delegated', tx_hash: HASH });
  await setup.pass(MINUTE);
  for (let chat = 1; chat <= 100; chat++) expect(inChat(setup, chat)).toEqual(['delegated']);
  expect(inChat(setup, MAKER).at(-1)).toBe('delegated');
});

test("keeps the maker's card and returns the dropped cards when many open the link", async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  const left: InvoiceCard[] = [];
  for (let chat = 1; chat <= 130; chat++) {
    const card = {
      chat,
      language: 'en',
      own: false,
      message: 1_000 + chat,
      shown: '',
      told: 'pending',
    } as const;
    left.push(...(await setup.invoices.placed(invoice, card)));
  }
  expect(left.map(({ message }) => message)).toEqual(Array.from({ length: 30 }, (_, at) => 1_001 + at));
  setup.says(invoice, { status: 'delegated' });
  await setup.pass(MINUTE);
  expect(inChat(setup, MAKER).at(-1)).toBe('delegated');
  const { cards } = await setup.present(invoice);
  for (const { chat } of cards) expect(inChat(setup, chat).at(-1)).toBe('delegated');
});

test('records every card when many chats open a link at once', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  const [here, there] = [setup.invoices, setup.replica()];
  const left = await Promise.all(
    Array.from({ length: 80 }, (_, at) =>
      (at % 2 === 0 ? here : there).placed(invoice, {
        ...{ chat: at + 1, language: 'en', own: false, message: 1_000 + at, told: 'pending' },
      } as InvoiceCard),
    ),
  );
  expect(left.flat()).toEqual([]);
  expect((await setup.present(invoice)).cards).toHaveLength(81);
}, 30_000);

test("keeps one card per chat, and the replacement remains the maker's", async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  const card = { chat: MAKER, language: 'ru', own: false, message: 900, told: 'pending' } as const;
  const [before] = await setup.invoices.placed(invoice, card);
  expect(before).toMatchObject({ chat: MAKER, message: 101 });
  const { cards } = await setup.present(invoice);
  expect(cards).toMatchObject([{ chat: MAKER, message: 900, own: true, language: 'ru' }]);
});

test('retries a card when Telegram allows it and shows the others immediately', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  await payer(setup, invoice, 1);
  await payer(setup, invoice, 2);
  setup.says(invoice, { status: 'delegated' });
  const show = setup.showCard.getMockImplementation();
  let until = Number.POSITIVE_INFINITY;
  setup.showCard.mockImplementation(async (one, card) => {
    if (card.chat === 1 && setup.clock.now < until) {
      until = Math.min(until, setup.clock.now + 40_000);
      return { kind: 'later', afterMs: until - setup.clock.now };
    }
    return show?.(one, card) ?? { kind: 'gone' };
  });
  await setup.pass(30_000);
  expect(inChat(setup, 2)).toEqual(['delegated']);
  expect(inChat(setup, MAKER).at(-1)).toBe('delegated');
  expect(inChat(setup, 1)).toEqual([]);
  await setup.pass(MINUTE);
  expect(inChat(setup, 1)).toEqual(['delegated']);
  expect(inChat(setup, 2)).toEqual(['delegated']);
});

test('a card that waits for Telegram does not delay the others', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  await payer(setup, invoice, 1);
  const show = setup.showCard.getMockImplementation();
  setup.showCard.mockImplementation(async (one, card) =>
    card.chat === 1 ? { kind: 'later', afterMs: 60 * MINUTE } : (show?.(one, card) ?? { kind: 'gone' }),
  );
  await setup.pass(31 * MINUTE);
  // Near its end and at its end: the wait of another chat does not apply here.
  expect(inChat(setup, MAKER)).toHaveLength(3);
});

test.each(['throws', 'hangs'])('a card that %s does not delay the others', async (how) => {
  const setup = openInvoices();
  const invoice = await setup.open();
  for (let chat = 1; chat <= 9; chat++) await payer(setup, invoice, chat);
  const show = setup.showCard.getMockImplementation();
  setup.showCard.mockImplementation(async (one, card) => {
    const isTrouble = how === 'throws' ? card.chat <= 6 : card.chat === 2;
    if (!isTrouble) return show?.(one, card) ?? { kind: 'gone' };
    if (how === 'throws') throw new Error('this card cannot be shown');
    return new Promise(() => {});
  });
  setup.says(invoice, { status: 'delegated' });
  const own = setup.replica(setup.storage, { hand: async () => undefined });
  setup.clock.now += 20_000;
  await own.looks.run();
  void own.shows.show(invoice).catch(() => undefined);
  await vi.waitFor(() => {
    for (const chat of [7, 8, 9, MAKER]) expect(inChat(setup, chat).at(-1)).toBe('delegated');
  });
});

test('shows a card once that is possible again', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  const show = setup.showCard.getMockImplementation();
  setup.showCard.mockImplementation(async () => {
    throw new Error('nothing can be shown');
  });
  setup.says(invoice, { status: 'delegated' });
  await setup.pass(2 * MINUTE);
  setup.showCard.mockImplementation(async (one, card) => show?.(one, card) ?? { kind: 'gone' });
  await setup.pass(MINUTE);
  expect(inChat(setup, MAKER)).toEqual(['pending', 'delegated']);
});

test('drops a card that Telegram refuses for good and updates the others', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  await payer(setup, invoice, 1);
  const show = setup.showCard.getMockImplementation();
  setup.showCard.mockImplementation(async (one, card) =>
    card.chat === 1 ? { kind: 'gone' } : (show?.(one, card) ?? { kind: 'gone' }),
  );
  for (const status of ['paid', 'delegated']) {
    setup.says(invoice, { status });
    await setup.pass(MINUTE);
  }
  expect(inChat(setup, MAKER)).toEqual(['pending', 'paid', 'delegated']);
  expect((await setup.present(invoice)).cards).toHaveLength(1);
  expect(setup.showCard.mock.calls.filter(([, { chat }]) => chat === 1)).toHaveLength(1);
});

test('retries a card without its QR code each minute while it is payable', async () => {
  const setup = openInvoices();
  setup.showCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'shown', message: message ?? 101, told: status, isText: true },
  }));
  const invoice = await setup.open();
  await setup.pass(5 * MINUTE);
  const tries = () => setup.showCard.mock.calls.length;
  expect(tries()).toBeGreaterThanOrEqual(5);
  expect(tries()).toBeLessThanOrEqual(6);
  expect((await setup.present(invoice)).cards).toMatchObject([{ message: 101, isText: true }]);
  const before = tries();
  setup.showCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'shown', message: message ?? 102, told: status },
  }));
  await setup.pass(5 * MINUTE);
  expect(tries()).toBe(before + 1);
  expect((await setup.present(invoice)).cards[0]).not.toHaveProperty('isText');
});

test('does not retry a card without its QR code once it is paid', async () => {
  const setup = openInvoices();
  setup.showCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'shown', message: message ?? 101, told: status, isText: true },
  }));
  const invoice = await setup.open();
  setup.says(invoice, { status: 'paid' });
  await setup.pass(2 * MINUTE);
  const before = setup.showCard.mock.calls.length;
  await setup.pass(60 * MINUTE);
  expect(setup.showCard.mock.calls.length).toBe(before);
});

test('sends a card once when two replicas show it at once', async () => {
  const setup = openInvoices();
  const hold = setup.replica(setup.storage, { hand: async () => undefined });
  const invoice = await setup.open({}, hold);
  const [one, other] = [setup.replica(), setup.replica()];
  await Promise.all([one.shows.show(invoice), other.shows.show(invoice), one.shows.show(invoice)]);
  await setup.pass(MINUTE, [one, other]);
  expect(inChat(setup, MAKER)).toEqual(['pending']);
});

test('shows a change that happens at any step of another update', async () => {
  for (let moment = 0; moment < 12; moment++) {
    const setup = openInvoices();
    const invoice = await setup.open();
    setup.says(invoice, { status: 'paid' });
    await setup.pass(MINUTE);
    setup.says(invoice, { status: 'delegated' });
    let steps = 0;
    // At this storage call of the update, another process detects the delivery but can't show it.
    const step = async () => {
      if (steps++ !== moment) return;
      await setup.invoices.expect(invoice);
      await setup.invoices.looks.run();
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
    await setup.replica(own).shows.show(invoice);
    await setup.pass(2 * MINUTE);
    expect(inChat(setup, MAKER), `at step ${moment}`).toEqual(['pending', 'paid', 'delegated']);
  }
});

/** Returns the standing and message of each update in the maker's chat. Message `undefined` means a new message. */
const shownToMaker = ({ showCard, clock }: InvoicesSetup) =>
  showCard.mock.calls
    .filter(([, { chat }]) => chat === MAKER)
    .map(([invoice, { message }]) => [shownStandingOf(invoice, clock.now), message]);

describe('a payable card without a recorded message ID', () => {
  /** Runs a process that is killed right after it has sent a card. */
  async function sendAndDie(setup: InvoicesSetup, invoice: Invoice): Promise<void> {
    let sent = false;
    const dying = setup.replica(
      failing(setup.storage, ({ method }) => sent && method !== 'get'),
      {
        showCard: async (...args) => {
          sent = true;
          return setup.showCard(...args);
        },
        hand: async () => undefined,
      },
    );
    await dying.shows.show(invoice).catch(() => undefined);
    // The lease expires.
    setup.clock.now += 8_000;
  }

  async function unsent(setup: InvoicesSetup): Promise<Invoice> {
    return setup.open({}, setup.replica(setup.storage, { hand: async () => undefined }));
  }

  test('is followed by one that becomes payable only after its message ID is recorded', async () => {
    const setup = openInvoices();
    const invoice = await unsent(setup);
    await sendAndDie(setup, invoice);
    await setup.pass(PACE_MS);
    expect(shownToMaker(setup)).toEqual([
      ['open', undefined],
      ['stale', undefined],
      ['open', 102],
    ]);
    const present = await setup.present(invoice);
    expect(present.cards).toMatchObject([{ chat: MAKER, message: 102 }]);
    expect(present).not.toHaveProperty('sending');
    await setup.pass(MINUTE);
    expect(shownToMaker(setup)).toHaveLength(3);
  });

  test('stays the only payable one even if the next processes are killed too', async () => {
    const setup = openInvoices();
    const invoice = await unsent(setup);
    for (let time = 0; time < 4; time++) await sendAndDie(setup, invoice);
    await setup.pass(PACE_MS);
    const asking = shownToMaker(setup).filter(([standing]) => standing === 'open');
    expect(asking).toEqual([
      ['open', undefined],
      ['open', 105],
    ]);
  });

  test("stays the only payable one while Telegram's responses are unclear", async () => {
    const setup = openInvoices();
    const show = setup.showCard.getMockImplementation();
    setup.showCard.mockResolvedValue({ kind: 'later', afterMs: 30_000, isUnclear: true });
    const invoice = await setup.open();
    await setup.pass(2 * MINUTE);
    setup.showCard.mockImplementation(async (one, card) => show?.(one, card) ?? { kind: 'gone' });
    await setup.pass(MINUTE);
    const shown = shownToMaker(setup);
    expect(shown.filter(([standing, message]) => standing === 'open' && message === undefined)).toHaveLength(
      1,
    );
    expect(shown.at(-1)).toEqual(['open', 101]);
    expect(await setup.present(invoice)).not.toHaveProperty('sending');
  });

  test('is sent again unchanged if Telegram delayed it', async () => {
    const setup = openInvoices();
    setup.showCard.mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
    await setup.open();
    await setup.pass(MINUTE);
    expect(shownToMaker(setup)).toEqual([
      ['open', undefined],
      ['open', undefined],
    ]);
  });

  test('has no effect once the invoice is no longer payable', async () => {
    const setup = openInvoices();
    const invoice = await unsent(setup);
    await sendAndDie(setup, invoice);
    setup.says(invoice, { status: 'paid' });
    await setup.invoices.looks.run();
    await setup.pass(PACE_MS);
    expect(shownToMaker(setup)).toEqual([
      ['open', undefined],
      ['paid', undefined],
    ]);
  });
});

test('shows a card in the next run if the queue is unavailable', async () => {
  const setup = openInvoices();
  const own = setup.replica(setup.storage, {
    hand: async () => {
      throw new Error('the queue is away');
    },
  });
  await setup.open({}, own);
  expect(setup.shown).toEqual([]);
  await setup.pass(MINUTE);
  expect(inChat(setup, MAKER)).toEqual(['pending']);
});

test('shows the maker once that the link was opened, and no payer', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  await payer(setup, invoice, 1);
  for (let time = 0; time < 3; time++) await setup.invoices.opened(invoice);
  await setup.pass(MINUTE);
  expect(inChat(setup, MAKER)).toEqual(['pending', 'pending']);
  expect(inChat(setup, 1)).toEqual([]);
});

test('opens an invoice once per operation and keeps its status', async () => {
  const setup = openInvoices();
  const operation = setup.operation();
  for (let time = 0; time < 5; time++) await setup.invoices.open(operation);
  expect(inChat(setup, MAKER)).toEqual(['pending']);
  const invoice = await setup.present(operation);
  setup.says(invoice, { status: 'delegated' });
  await setup.pass(MINUTE);
  await setup.invoices.open(operation);
  await setup.pass(MINUTE);
  expect(await setup.present(operation)).toMatchObject({ status: 'delegated' });
  expect(inChat(setup, MAKER)).toEqual(['pending', 'delegated']);
});

test('stores the record before a card is shown, whatever call fails', async () => {
  const setup = openInvoices();
  const seen: (Invoice | undefined)[] = [];
  const showCard: ShowInvoice = async (invoice) => {
    seen.push(await setup.invoices.read(invoice));
    return { kind: 'later', afterMs: 1 };
  };
  const operation = setup.operation();
  let left = 0;
  for (let allowed = 0; allowed < 24; allowed++) {
    left = allowed;
    const dying = setup.replica(
      failing(setup.storage, ({ method }) => method !== 'get' && left-- <= 0),
      { showCard },
    );
    await dying.open(operation).catch(() => undefined);
    setup.clock.now += MINUTE;
  }
  await setup.invoices.open(operation);
  const { number, paymentAddress } = await setup.present(operation);
  expect(seen).not.toEqual([]);
  for (const one of seen) expect(one).toMatchObject({ number, paymentAddress });
  setup.says({ number }, { status: 'delegated' });
  await setup.pass(MINUTE);
  expect(inChat(setup, MAKER).at(-1)).toBe('delegated');
});

test("lists a user's invoices latest first, up to the needed number", async () => {
  const setup = openInvoices();
  const mine: number[] = [];
  for (let at = 0; at < 120; at++) {
    setup.clock.now += 1_000;
    mine.unshift((await setup.open()).number);
    if (at % 10 === 0) await setup.open({ user: 777 });
  }
  expect((await setup.invoices.of(MAKER)).map(({ number }) => number)).toEqual(mine);
  expect(await setup.invoices.of(MAKER, () => true)).toHaveLength(50);
  expect(await setup.invoices.of(778)).toEqual([]);
});

test('drops malformed members of the due queue, so that they do not delay cards', async () => {
  const setup = openInvoices();
  const invoice = await setup.open();
  for (let at = 0; at < 150; at += 1) await setup.storage.index.put('invoices:shown', `0${at}/ABCD`, at);
  setup.says(invoice, { status: 'paid' });
  await setup.pass(MINUTE);
  expect(inChat(setup, MAKER).at(-1)).toBe('paid');
  const members = await setup.storage.index.last('invoices:shown', 200);
  expect(members.filter((member) => member.startsWith('0'))).toEqual([]);
});
