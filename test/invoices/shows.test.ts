import { describe, expect, test, vi } from 'vitest';
import type { ShowInvoice } from '../../src/invoices/cards.ts';
import type { Invoice, InvoiceCard } from '../../src/invoices/invoice.ts';
import { faceOf, shownStandingOf } from '../../src/invoices/invoice.ts';
import { failing } from '../operations/operations-setup.ts';
import { HASH } from '../operations/rental-stand-in.ts';
import { MAKER, MINUTE, openInvoices, PACE_MS } from './room.ts';

type Room = ReturnType<typeof openInvoices>;

/** Adds the card of a payer's chat. */
async function payer(room: Room, invoice: Invoice, chat: number): Promise<void> {
  const shown = faceOf(invoice, room.clock.now, { own: false });
  const card: InvoiceCard = { chat, language: 'en', own: false, message: 1, shown, told: invoice.status };
  await room.invoices.placed(invoice, card);
}

const inChat = ({ shown }: Room, chat: number) =>
  shown.filter((one) => one.chat === chat).map(({ status }) => status);

test('updates a card at creation, near its end and at its end only', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  const faces = () => room.shown.map(({ at }) => Math.round((at - invoice.createdAt) / 1000));
  expect(faces()).toEqual([0]);
  await room.pass(22 * MINUTE);
  expect(faces()).toHaveLength(1);
  await room.pass(MINUTE);
  expect(faces()).toEqual([0, 22.5 * 60]);
  await room.pass(7 * MINUTE);
  expect(faces()).toEqual([0, 22.5 * 60, 30 * 60]);
  await room.pass(60 * MINUTE);
  expect(faces()).toHaveLength(3);
  expect(await room.storage.index.last('invoices:shown', 10)).toEqual([]);
});

test('updates the cards of the maker and a hundred payers', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  for (let chat = 1; chat <= 100; chat++) await payer(room, invoice, chat);
  room.says(invoice, { status: 'delegated', tx_hash: HASH });
  await room.pass(MINUTE);
  for (let chat = 1; chat <= 100; chat++) expect(inChat(room, chat)).toEqual(['delegated']);
  expect(inChat(room, MAKER).at(-1)).toBe('delegated');
});

test("keeps the maker's card and returns the dropped cards when many open the link", async () => {
  const room = openInvoices();
  const invoice = await room.open();
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
    left.push(...(await room.invoices.placed(invoice, card)));
  }
  expect(left.map(({ message }) => message)).toEqual(Array.from({ length: 30 }, (_, at) => 1_001 + at));
  room.says(invoice, { status: 'delegated' });
  await room.pass(MINUTE);
  expect(inChat(room, MAKER).at(-1)).toBe('delegated');
  const { cards } = await room.present(invoice);
  for (const { chat } of cards) expect(inChat(room, chat).at(-1)).toBe('delegated');
});

test('records every card when many chats open a link at once', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  const [here, there] = [room.invoices, room.replica()];
  const left = await Promise.all(
    Array.from({ length: 80 }, (_, at) =>
      (at % 2 === 0 ? here : there).placed(invoice, {
        ...{ chat: at + 1, language: 'en', own: false, message: 1_000 + at, told: 'pending' },
      } as InvoiceCard),
    ),
  );
  expect(left.flat()).toEqual([]);
  expect((await room.present(invoice)).cards).toHaveLength(81);
}, 30_000);

test("keeps one card per chat, and the replacement remains the maker's", async () => {
  const room = openInvoices();
  const invoice = await room.open();
  const card = { chat: MAKER, language: 'ru', own: false, message: 900, told: 'pending' } as const;
  const [before] = await room.invoices.placed(invoice, card);
  expect(before).toMatchObject({ chat: MAKER, message: 101 });
  const { cards } = await room.present(invoice);
  expect(cards).toMatchObject([{ chat: MAKER, message: 900, own: true, language: 'ru' }]);
});

test('retries a card when Telegram allows it and shows the others immediately', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await payer(room, invoice, 1);
  await payer(room, invoice, 2);
  room.says(invoice, { status: 'delegated' });
  const show = room.showCard.getMockImplementation();
  let until = Number.POSITIVE_INFINITY;
  room.showCard.mockImplementation(async (one, card) => {
    if (card.chat === 1 && room.clock.now < until) {
      until = Math.min(until, room.clock.now + 40_000);
      return { kind: 'later', afterMs: until - room.clock.now };
    }
    return show?.(one, card) ?? { kind: 'gone' };
  });
  await room.pass(30_000);
  expect(inChat(room, 2)).toEqual(['delegated']);
  expect(inChat(room, MAKER).at(-1)).toBe('delegated');
  expect(inChat(room, 1)).toEqual([]);
  await room.pass(MINUTE);
  expect(inChat(room, 1)).toEqual(['delegated']);
  expect(inChat(room, 2)).toEqual(['delegated']);
});

test('a card that waits for Telegram does not delay the others', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await payer(room, invoice, 1);
  const show = room.showCard.getMockImplementation();
  room.showCard.mockImplementation(async (one, card) =>
    card.chat === 1 ? { kind: 'later', afterMs: 60 * MINUTE } : (show?.(one, card) ?? { kind: 'gone' }),
  );
  await room.pass(31 * MINUTE);
  // Near its end and at its end: the wait of another chat does not apply here.
  expect(inChat(room, MAKER)).toHaveLength(3);
});

test.each(['throws', 'hangs'])('a card that %s does not delay the others', async (how) => {
  const room = openInvoices();
  const invoice = await room.open();
  for (let chat = 1; chat <= 9; chat++) await payer(room, invoice, chat);
  const show = room.showCard.getMockImplementation();
  room.showCard.mockImplementation(async (one, card) => {
    const isTrouble = how === 'throws' ? card.chat <= 6 : card.chat === 2;
    if (!isTrouble) return show?.(one, card) ?? { kind: 'gone' };
    if (how === 'throws') throw new Error('this card cannot be shown');
    return new Promise(() => {});
  });
  room.says(invoice, { status: 'delegated' });
  const own = room.replica(room.storage, { hand: async () => undefined });
  room.clock.now += 20_000;
  await own.looks.run();
  void own.shows.show(invoice).catch(() => undefined);
  await vi.waitFor(() => {
    for (const chat of [7, 8, 9, MAKER]) expect(inChat(room, chat).at(-1)).toBe('delegated');
  });
});

test('shows a card once that is possible again', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  const show = room.showCard.getMockImplementation();
  room.showCard.mockImplementation(async () => {
    throw new Error('nothing can be shown');
  });
  room.says(invoice, { status: 'delegated' });
  await room.pass(2 * MINUTE);
  room.showCard.mockImplementation(async (one, card) => show?.(one, card) ?? { kind: 'gone' });
  await room.pass(MINUTE);
  expect(inChat(room, MAKER)).toEqual(['pending', 'delegated']);
});

test('drops a card that Telegram refuses for good and updates the others', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await payer(room, invoice, 1);
  const show = room.showCard.getMockImplementation();
  room.showCard.mockImplementation(async (one, card) =>
    card.chat === 1 ? { kind: 'gone' } : (show?.(one, card) ?? { kind: 'gone' }),
  );
  for (const status of ['paid', 'delegated']) {
    room.says(invoice, { status });
    await room.pass(MINUTE);
  }
  expect(inChat(room, MAKER)).toEqual(['pending', 'paid', 'delegated']);
  expect((await room.present(invoice)).cards).toHaveLength(1);
  expect(room.showCard.mock.calls.filter(([, { chat }]) => chat === 1)).toHaveLength(1);
});

test('retries a card without its QR code each minute while it is payable', async () => {
  const room = openInvoices();
  room.showCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'shown', message: message ?? 101, told: status, isText: true },
  }));
  const invoice = await room.open();
  await room.pass(5 * MINUTE);
  const tries = () => room.showCard.mock.calls.length;
  expect(tries()).toBeGreaterThanOrEqual(5);
  expect(tries()).toBeLessThanOrEqual(6);
  expect((await room.present(invoice)).cards).toMatchObject([{ message: 101, isText: true }]);
  const before = tries();
  room.showCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'shown', message: message ?? 102, told: status },
  }));
  await room.pass(5 * MINUTE);
  expect(tries()).toBe(before + 1);
  expect((await room.present(invoice)).cards[0]).not.toHaveProperty('isText');
});

test('does not retry a card without its QR code once it is paid', async () => {
  const room = openInvoices();
  room.showCard.mockImplementation(async ({ status }, { message }) => ({
    ...{ kind: 'shown', message: message ?? 101, told: status, isText: true },
  }));
  const invoice = await room.open();
  room.says(invoice, { status: 'paid' });
  await room.pass(2 * MINUTE);
  const before = room.showCard.mock.calls.length;
  await room.pass(60 * MINUTE);
  expect(room.showCard.mock.calls.length).toBe(before);
});

test('sends a card once when two replicas show it at once', async () => {
  const room = openInvoices();
  const hold = room.replica(room.storage, { hand: async () => undefined });
  const invoice = await room.open({}, hold);
  const [one, other] = [room.replica(), room.replica()];
  await Promise.all([one.shows.show(invoice), other.shows.show(invoice), one.shows.show(invoice)]);
  await room.pass(MINUTE, [one, other]);
  expect(inChat(room, MAKER)).toEqual(['pending']);
});

test('shows a change that happens at any step of another update', async () => {
  for (let moment = 0; moment < 12; moment++) {
    const room = openInvoices();
    const invoice = await room.open();
    room.says(invoice, { status: 'paid' });
    await room.pass(MINUTE);
    room.says(invoice, { status: 'delegated' });
    let steps = 0;
    // At this storage call of the update, another process detects the delivery but can't show it.
    const step = async () => {
      if (steps++ !== moment) return;
      await room.invoices.expect(invoice);
      await room.invoices.looks.run();
    };
    const stepping =
      <Args extends unknown[], Answer>(run: (...args: Args) => Promise<Answer>) =>
      async (...args: Args) => {
        await step();
        return run(...args);
      };
    const own = {
      ...room.storage,
      get: stepping(room.storage.get),
      replace: stepping(room.storage.replace),
      index: {
        ...room.storage.index,
        putIn: stepping(room.storage.index.putIn),
        remove: stepping(room.storage.index.remove),
      },
    };
    await room.replica(own).shows.show(invoice);
    await room.pass(2 * MINUTE);
    expect(inChat(room, MAKER), `at step ${moment}`).toEqual(['pending', 'paid', 'delegated']);
  }
});

/** Returns the standing and message of each update in the maker's chat. Message `undefined` means a new message. */
const shownToMaker = ({ showCard, clock }: Room) =>
  showCard.mock.calls
    .filter(([, { chat }]) => chat === MAKER)
    .map(([invoice, { message }]) => [shownStandingOf(invoice, clock.now), message]);

describe('a payable card without a recorded message ID', () => {
  /** Runs a process that is killed right after it has sent a card. */
  async function sendAndDie(room: Room, invoice: Invoice): Promise<void> {
    let sent = false;
    const dying = room.replica(
      failing(room.storage, ({ method }) => sent && method !== 'get'),
      {
        showCard: async (...args) => {
          sent = true;
          return room.showCard(...args);
        },
        hand: async () => undefined,
      },
    );
    await dying.shows.show(invoice).catch(() => undefined);
    // The lease expires.
    room.clock.now += 8_000;
  }

  async function unsent(room: Room): Promise<Invoice> {
    return room.open({}, room.replica(room.storage, { hand: async () => undefined }));
  }

  test('is followed by one that becomes payable only after its message ID is recorded', async () => {
    const room = openInvoices();
    const invoice = await unsent(room);
    await sendAndDie(room, invoice);
    await room.pass(PACE_MS);
    expect(shownToMaker(room)).toEqual([
      ['open', undefined],
      ['stale', undefined],
      ['open', 102],
    ]);
    const present = await room.present(invoice);
    expect(present.cards).toMatchObject([{ chat: MAKER, message: 102 }]);
    expect(present).not.toHaveProperty('sending');
    await room.pass(MINUTE);
    expect(shownToMaker(room)).toHaveLength(3);
  });

  test('stays the only payable one even if the next processes are killed too', async () => {
    const room = openInvoices();
    const invoice = await unsent(room);
    for (let time = 0; time < 4; time++) await sendAndDie(room, invoice);
    await room.pass(PACE_MS);
    const asking = shownToMaker(room).filter(([standing]) => standing === 'open');
    expect(asking).toEqual([
      ['open', undefined],
      ['open', 105],
    ]);
  });

  test("stays the only payable one while Telegram's responses are unclear", async () => {
    const room = openInvoices();
    const show = room.showCard.getMockImplementation();
    room.showCard.mockResolvedValue({ kind: 'later', afterMs: 30_000, isUnclear: true });
    const invoice = await room.open();
    await room.pass(2 * MINUTE);
    room.showCard.mockImplementation(async (one, card) => show?.(one, card) ?? { kind: 'gone' });
    await room.pass(MINUTE);
    const shown = shownToMaker(room);
    expect(shown.filter(([standing, message]) => standing === 'open' && message === undefined)).toHaveLength(
      1,
    );
    expect(shown.at(-1)).toEqual(['open', 101]);
    expect(await room.present(invoice)).not.toHaveProperty('sending');
  });

  test('is sent again unchanged if Telegram delayed it', async () => {
    const room = openInvoices();
    room.showCard.mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
    await room.open();
    await room.pass(MINUTE);
    expect(shownToMaker(room)).toEqual([
      ['open', undefined],
      ['open', undefined],
    ]);
  });

  test('has no effect once the invoice is no longer payable', async () => {
    const room = openInvoices();
    const invoice = await unsent(room);
    await sendAndDie(room, invoice);
    room.says(invoice, { status: 'paid' });
    await room.invoices.looks.run();
    await room.pass(PACE_MS);
    expect(shownToMaker(room)).toEqual([
      ['open', undefined],
      ['paid', undefined],
    ]);
  });
});

test('shows a card in the next run if the queue is unavailable', async () => {
  const room = openInvoices();
  const own = room.replica(room.storage, {
    hand: async () => {
      throw new Error('the queue is away');
    },
  });
  await room.open({}, own);
  expect(room.shown).toEqual([]);
  await room.pass(MINUTE);
  expect(inChat(room, MAKER)).toEqual(['pending']);
});

test('shows the maker once that the link was opened, and no payer', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await payer(room, invoice, 1);
  for (let time = 0; time < 3; time++) await room.invoices.opened(invoice);
  await room.pass(MINUTE);
  expect(inChat(room, MAKER)).toEqual(['pending', 'pending']);
  expect(inChat(room, 1)).toEqual([]);
});

test('opens an invoice once per operation and keeps its status', async () => {
  const room = openInvoices();
  const operation = room.operation();
  for (let time = 0; time < 5; time++) await room.invoices.open(operation);
  expect(inChat(room, MAKER)).toEqual(['pending']);
  const invoice = await room.present(operation);
  room.says(invoice, { status: 'delegated' });
  await room.pass(MINUTE);
  await room.invoices.open(operation);
  await room.pass(MINUTE);
  expect(await room.present(operation)).toMatchObject({ status: 'delegated' });
  expect(inChat(room, MAKER)).toEqual(['pending', 'delegated']);
});

test('stores the record before a card is shown, whatever call fails', async () => {
  const room = openInvoices();
  const seen: (Invoice | undefined)[] = [];
  const showCard: ShowInvoice = async (invoice) => {
    seen.push(await room.invoices.read(invoice));
    return { kind: 'later', afterMs: 1 };
  };
  const operation = room.operation();
  let left = 0;
  for (let allowed = 0; allowed < 24; allowed++) {
    left = allowed;
    const dying = room.replica(
      failing(room.storage, ({ method }) => method !== 'get' && left-- <= 0),
      { showCard },
    );
    await dying.open(operation).catch(() => undefined);
    room.clock.now += MINUTE;
  }
  await room.invoices.open(operation);
  const { number, paymentAddress } = await room.present(operation);
  expect(seen).not.toEqual([]);
  for (const one of seen) expect(one).toMatchObject({ number, paymentAddress });
  room.says({ number }, { status: 'delegated' });
  await room.pass(MINUTE);
  expect(inChat(room, MAKER).at(-1)).toBe('delegated');
});

test("lists a user's invoices latest first, up to the needed number", async () => {
  const room = openInvoices();
  const mine: number[] = [];
  for (let at = 0; at < 120; at++) {
    room.clock.now += 1_000;
    mine.unshift((await room.open()).number);
    if (at % 10 === 0) await room.open({ user: 777 });
  }
  expect((await room.invoices.of(MAKER)).map(({ number }) => number)).toEqual(mine);
  expect(await room.invoices.of(MAKER, () => true)).toHaveLength(50);
  expect(await room.invoices.of(778)).toEqual([]);
});

test('drops malformed members of the due queue, so that they do not delay cards', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  for (let at = 0; at < 150; at += 1) await room.storage.index.put('invoices:shown', `0${at}/ABCD`, at);
  room.says(invoice, { status: 'paid' });
  await room.pass(MINUTE);
  expect(inChat(room, MAKER).at(-1)).toBe('paid');
  const members = await room.storage.index.last('invoices:shown', 200);
  expect(members.filter((member) => member.startsWith('0'))).toEqual([]);
});
