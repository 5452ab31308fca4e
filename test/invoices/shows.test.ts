import { describe, expect, test, vi } from 'vitest';
import type { Invoice, InvoiceCard } from '../../src/invoices/invoice.ts';
import { faceOf, shownStandingOf } from '../../src/invoices/invoice.ts';
import type { ShowInvoice } from '../../src/invoices/shows.ts';
import { HASH } from '../operations/rental-stand-in.ts';
import { failing } from '../operations/room.ts';
import { MAKER, MINUTE, openInvoices, PACE_MS } from './room.ts';

type Room = ReturnType<typeof openInvoices>;

/** A payer's chat that shows it. */
async function payer(room: Room, invoice: Invoice, chat: number): Promise<void> {
  const shown = faceOf(invoice, room.clock.now, { own: false });
  const card: InvoiceCard = { chat, language: 'en', own: false, message: 1, shown, told: invoice.status };
  await room.invoices.placed(invoice, card);
}

const inChat = ({ shown }: Room, chat: number) =>
  shown.filter((one) => one.chat === chat).map(({ status }) => status);

test('a card is shown as it is made, towards its end, at its end, and then no more', async () => {
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

test('every copy follows: who made it, and a hundred who were given the link', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  for (let chat = 1; chat <= 100; chat++) await payer(room, invoice, chat);
  room.says(invoice, { status: 'delegated', tx_hash: HASH });
  await room.pass(MINUTE);
  for (let chat = 1; chat <= 100; chat++) expect(inChat(room, chat)).toEqual(['delegated']);
  expect(inChat(room, MAKER).at(-1)).toBe('delegated');
});

test('however many open the link, who made it is told, and of every other copy it is said that it is to go', async () => {
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

test('however many open a link at the same moment, each card of theirs is kept', async () => {
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

test('a chat has one card: a newer one takes its place, and is still its maker’s', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  const card = { chat: MAKER, language: 'ru', own: false, message: 900, told: 'pending' } as const;
  const [before] = await room.invoices.placed(invoice, card);
  expect(before).toMatchObject({ chat: MAKER, message: 101 });
  const { cards } = await room.present(invoice);
  expect(cards).toMatchObject([{ chat: MAKER, message: 900, own: true, language: 'ru' }]);
});

test('what Telegram refuses for now is shown when it says so, and the other copies at once', async () => {
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

test('a card that waits for Telegram is shown by its end all the same', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await payer(room, invoice, 1);
  const show = room.showCard.getMockImplementation();
  room.showCard.mockImplementation(async (one, card) =>
    card.chat === 1 ? { kind: 'later', afterMs: 60 * MINUTE } : (show?.(one, card) ?? { kind: 'gone' }),
  );
  await room.pass(31 * MINUTE);
  // Towards its end, and at its end: an hour's wait of another chat is not this one's.
  expect(inChat(room, MAKER)).toHaveLength(3);
});

test.each(['throws', 'hangs'])('chats whose showing %s hold up none of the others', async (how) => {
  const room = openInvoices();
  const invoice = await room.open();
  for (let chat = 1; chat <= 9; chat++) await payer(room, invoice, chat);
  const show = room.showCard.getMockImplementation();
  room.showCard.mockImplementation(async (one, card) => {
    const isTrouble = how === 'throws' ? card.chat <= 6 : card.chat === 2;
    if (!isTrouble) return show?.(one, card) ?? { kind: 'gone' };
    if (how === 'throws') throw new Error('this chat is beyond showing');
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

test('what could not be shown is shown once it can be', async () => {
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

test('a chat that takes nothing any more is left alone, and the others go on', async () => {
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

test('a card without its code is tried again each minute while it can be paid, and no longer', async () => {
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

test('a card without its code is left alone once it is paid', async () => {
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

test('two replicas that show at once send a card once', async () => {
  const room = openInvoices();
  const hold = room.replica(room.storage, { hand: async () => undefined });
  const invoice = await room.open({}, hold);
  const [one, other] = [room.replica(), room.replica()];
  await Promise.all([one.shows.show(invoice), other.shows.show(invoice), one.shows.show(invoice)]);
  await room.pass(MINUTE, [one, other]);
  expect(inChat(room, MAKER)).toEqual(['pending']);
});

test('what changes as another shows is not lost, whatever moment it comes in', async () => {
  for (let moment = 0; moment < 12; moment++) {
    const room = openInvoices();
    const invoice = await room.open();
    room.says(invoice, { status: 'paid' });
    await room.pass(MINUTE);
    room.says(invoice, { status: 'delegated' });
    let steps = 0;
    // At this step of whoever shows it another learns that it was delivered, and can't show it itself then.
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

/** Returns how each card in the maker's chat asked for a payment, and in which message. No message: a new one. */
const shownToMaker = ({ showCard, clock }: Room) =>
  showCard.mock.calls
    .filter(([, { chat }]) => chat === MAKER)
    .map(([invoice, { message }]) => [shownStandingOf(invoice, clock.now), message]);

describe('a payable card whose message id was never recorded', () => {
  /** A process that is killed right after it has sent a card. */
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

  test('is followed by one that becomes payable only once its own id is recorded', async () => {
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

  test('stays the only one, however often processes are killed over the next', async () => {
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

  test('stays the only one while Telegram leaves open whether cards arrive', async () => {
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

  test('is sent again as it is if Telegram refused it for now', async () => {
    const room = openInvoices();
    room.showCard.mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
    await room.open();
    await room.pass(MINUTE);
    expect(shownToMaker(room)).toEqual([
      ['open', undefined],
      ['open', undefined],
    ]);
  });

  test('makes no difference once the invoice is not payable any more', async () => {
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

test('where the queue is away the next run shows it', async () => {
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

test('that its link was opened is shown to its maker once, and to nobody else', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await payer(room, invoice, 1);
  for (let time = 0; time < 3; time++) await room.invoices.opened(invoice);
  await room.pass(MINUTE);
  expect(inChat(room, MAKER)).toEqual(['pending', 'pending']);
  expect(inChat(room, 1)).toEqual([]);
});

test('an invoice is opened once, however often its operation is told of, and keeps what became of it', async () => {
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

test('whatever fails as an invoice is opened, its record is there before anything of it is shown', async () => {
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

test('a user’s invoices are listed the latest first, those of nobody else, and no further than needed', async () => {
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

test('malformed members of the due queue are dropped and do not delay the cards', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  for (let at = 0; at < 150; at += 1) await room.storage.index.put('invoices:shown', `0${at}/ABCD`, at);
  room.says(invoice, { status: 'paid' });
  await room.pass(MINUTE);
  expect(inChat(room, MAKER).at(-1)).toBe('paid');
  const members = await room.storage.index.last('invoices:shown', 200);
  expect(members.filter((member) => member.startsWith('0'))).toEqual([]);
});
