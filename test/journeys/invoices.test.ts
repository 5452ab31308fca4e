import { describe, expect, test } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import { findButton, type Person, type ShownMessage } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, inWorld, type World, type WorldOptions } from '../support/world.ts';

const CREATE = 'POST /invoices';
const OPERATED: WorldOptions = { config: { rentalApiKey: 'operator-key' } };

/** Makes an invoice as a guest, from the menu. Returns the card of the invoice. */
async function toInvoice(person: Person): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/start');
  const below = (part: string) => person.reads(part, { message_id });
  await person.tap('Buy energy');
  await below('Which address sends the USDT?');
  await person.say(ADDRESS);
  await below('How many USDT transfers');
  await person.say('2');
  await below('For how long?');
  await person.tap('1 hour');
  const card = await below('Check before you confirm');
  expect(card.text).toContain('🧾 Invoice · 2 transfers (130,000 energy) · 1 hour');
  expect(card.text).toContain('too little for a recipient who is new to USDT');
  await person.confirm(card, 'Invoice made');
  return person.reads('Pay ', card);
}

interface Made {
  invoice_id: number;
  price_trx: string;
  price_usdt: string;
  expires_at: string;
}

async function lastInvoice(world: World): Promise<Made & { id: number }> {
  const { invoices } = await world.control<{
    invoices: Made[];
  }>('GET', '/rental/state');
  const last = invoices.at(-1);
  if (last === undefined) throw new Error('there is no invoice');
  return { id: last.invoice_id, ...last };
}

const pay = async (world: World, body: object = {}) =>
  world.control('POST', `/rental/invoices/${(await lastInvoice(world)).id}/pay`, body);
const end = async (world: World, how: 'delegate' | 'fail') =>
  world.control('POST', `/rental/invoices/${(await lastInvoice(world)).id}/${how}`);

test.concurrent.each(['TRX', 'USDT'])(
  'a guest without an account pays an invoice in %s, whose card shows each state',
  (currency) =>
    inWorld(OPERATED, async (world) => {
      const person = world.person(GUEST);
      const card = await toInvoice(person);
      const { price_trx: trx, price_usdt: usdt, expires_at } = await lastInvoice(world);
      const sent = JSON.stringify(await world.control('GET', '/telegram/calls?method=sendPhoto'));
      expect(sent).toContain(`unix=\\"${Math.floor(Date.parse(expires_at) / 1000)}\\"`);
      expect(card.caption).toContain(`Pay ${trx} TRX or ${usdt} USDT`);
      expect(card.caption).toContain('on TRON (TRC20), to this address:');
      const copied = card.keyboard?.flat().flatMap(({ copy }) => copy ?? []);
      expect(copied).toEqual(expect.arrayContaining([trx, usdt]));
      await pay(world, { currency });
      await world.advance(60);
      await person.shows(card, 'Paid. The energy is on its way.');
      await end(world, 'delegate');
      await world.advance(60);
      const done = await person.shows(card, 'Paid and delivered');
      expect(done.caption).toMatch(/Transaction: [0-9a-f]{64}/);
      expect(done.caption).not.toContain('to this address');
      await person.reads('Delivered:', card);
      expect(world.countRequests(CREATE)).toBe(1);
    }),
);

journeysWith(OPERATED)(
  'removes code and address from an expired invoice, and does not show a late payment',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await toInvoice(person);
    await world.advance(23 * 60);
    await person.shows(card, 'soon');
    await world.advance(8 * 60);
    const over = await person.shows(card, "Time is over. Don't pay this invoice any more.");
    expect(over.caption).not.toContain('TRC20');
    expect(over.keyboard?.flat().some(({ copy }) => copy !== undefined)).toBe(false);
    // The service refunds a late payment without reporting it, so the card doesn't change.
    await pay(world);
    await world.advance(3_600);
    await world.settled();
    expect(await person.shows(card, 'Time is over')).toEqual(over);
  },
);

journeysWith(OPERATED)(
  'does not show a partial payment, and shows the invoice as paid once complete',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await toInvoice(person);
    await pay(world, { amount: '1.00' });
    await world.advance(120);
    await world.settled();
    const { caption } = await person.shows(card, 'Pay ');
    expect(caption).toBe(card.caption);
    const { price_trx: trx } = await lastInvoice(world);
    await pay(world, { amount: (Number(trx) - 1).toFixed(2) });
    await world.advance(60);
    await person.shows(card, 'Paid. The energy');
  },
);

it('explains that an account is needed if there is no operator key', async (_person, world) => {
  const person = world.person(GUEST);
  await person.sayAndRead('/invoice', 'For this you need an account');
});

journeysWith(OPERATED)('notifies of a failed delivery and its refund', async (_person, world) => {
  const person = world.person(GUEST);
  const card = await toInvoice(person);
  await pay(world);
  await world.advance(60);
  await person.shows(card, 'Paid. The energy');
  await end(world, 'fail');
  await world.advance(60);
  await person.shows(card, 'Paid, but not delivered');
  await person.reads('gives the payment back to whom it came from', card);
});

test.concurrent.each(['cut-after', 'cut-before'])(
  '%s: treats a lost response as no invoice, and offers another one',
  (fault) =>
    inWorld(OPERATED, async (world) => {
      const person = world.person(GUEST);
      await world.fault(CREATE, fault);
      await person.say('/invoice');
      await person.say(ADDRESS);
      await person.tap('1');
      const card = await person.tapAndRead('1 hour', 'Check before you confirm');
      await person.confirm(card, 'just make another one');
      const next = await person.tapAndRead('Another one', 'Check before you confirm', card);
      await person.confirm(next, 'Invoice made');
      expect(world.countRequests(CREATE)).toBe(2);
    }),
);

it('shows a shared invoice to the payer without account data, and each state to both', async (_person, world) => {
  const [merchant, payer] = [world.person(HOLDER), world.person(GUEST)];
  await linkAccount(merchant, 'merchant-key');
  await merchant.say('/invoice');
  await merchant.say(ADDRESS);
  await merchant.tap('1');
  await merchant.tapAndRead('1 hour', 'A line for who pays?');
  const draft = await merchant.sayAndRead('Order 17, thank you <b>', 'Check before you confirm');
  await merchant.confirm(draft, 'Invoice made');
  const card = await merchant.reads('Pay ', draft);
  const sheet = card.keyboard?.flat().find(({ url }) => url?.startsWith('https://t.me/share'))?.url ?? '';
  await payer.follow(new URL(sheet).searchParams.get('url') ?? '');
  const shown = await payer.reads('Pay ');
  expect(shown.caption).toContain('The seller writes: Order 17, thank you <b>');
  expect(JSON.stringify({ ...shown, date: undefined })).not.toMatch(new RegExp(`Invoice \\d|${HOLDER}|1003`));
  await merchant.shows(card, 'The link was opened.');
  await pay(world);
  await world.advance(60);
  for (const [person, message] of [[merchant, card] as const, [payer, shown] as const])
    await person.shows(message, 'Paid. The energy');
  await end(world, 'delegate');
  await world.advance(60);
  for (const [person, message] of [[merchant, card] as const, [payer, shown] as const])
    await person.shows(message, 'Paid and delivered');
});

journeysWith({ ...OPERATED, onRedis: true })(
  'continues after restarts between the states of an invoice',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await toInvoice(person);
    await world.restart();
    await pay(world);
    await world.advance(60);
    await person.shows(card, 'Paid. The energy');
    await world.restart();
    await end(world, 'delegate');
    await world.advance(60);
    await person.shows(card, 'Paid and delivered');
  },
);

it('keeps the path of a proxy in links, and detects that the page was opened', async (_person, world) => {
  await world.restart({ publicUrl: `${world.origin}/bot` });
  const merchant = await linkAccount(world.person(HOLDER), 'merchant-key');
  await merchant.say('/invoice');
  await merchant.say(ADDRESS);
  await merchant.tap('1');
  await merchant.tap('1 hour');
  await merchant.tapAndRead('Without a line', 'Check before you confirm');
  const card = await merchant.tapAndRead('Confirm', 'Pay ');
  const page = card.keyboard?.flat().find(({ copy }) => copy?.includes('/i/'))?.copy ?? '';
  expect(page.startsWith(`${world.origin}/bot/i/`)).toBe(true);
  const behind = page.replace('/bot/', '/');
  const html = await (await fetch(behind)).text();
  expect(html).not.toMatch(/(href|src|action)="\//);
  const opened = await fetch(`${behind}/opened`, { method: 'POST', headers: { Origin: world.origin } });
  expect(opened.status).toBe(204);
  await merchant.shows(card, 'The link was opened.');
});

describe('a merchant', () => {
  /** The totals count by UTC day, and the test advances the clock. */
  const NOON = Date.UTC(2026, 5, 3, 12);

  const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

  /** Writes the note of an invoice and confirms it. Returns the card of the invoice. */
  async function finish(person: Person, below: ShownMessage, line: string): Promise<ShownMessage> {
    const draft = await person.sayAndRead(line, 'Check before you confirm', below);
    await person.confirm(draft, 'Invoice made');
    return person.reads('Pay ', draft);
  }

  async function makeFirst(person: Person, line: string): Promise<ShownMessage> {
    await person.say('/invoice');
    await person.say(ADDRESS);
    await person.tap('1');
    await person.tap('1 hour');
    return finish(person, await person.reads('A line for who pays?'), line);
  }

  async function pay(world: World, person: Person, card: ShownMessage): Promise<void> {
    const [, id] = /Invoice (\d+)/.exec(card.caption ?? '') ?? [];
    for (const [what, says] of [
      ['pay', 'Paid. The energy is on its way'],
      ['delegate', 'Paid and delivered'],
    ] as const) {
      await world.control('POST', `/rental/invoices/${id}/${what}`, {});
      await world.advance(60);
      await person.shows(card, says);
    }
  }

  const labelsOf = ({ keyboard = [] }: ShownMessage) => keyboard.flat().map(({ text }) => text);

  const it = journeysWith({ startAt: NOON });

  it('a merchant gets paid, repeats an invoice for another customer, and exports the list', async (person, world) => {
    await linkAccount(person, 'merchant-key');
    const stranger = await linkAccount(world.person(GUEST));
    await makeFirst(stranger, 'of somebody else');

    const first = await makeFirst(person, '=Order 17, "thanks"');
    await pay(world, person, first);
    await person.tap('Same again for another customer');
    const reply = await person.reads('Same again for another customer', first);
    expect(reply.text).toContain(ADDRESS);
    await person.tapAndRead('Another address', 'Which address sends the USDT this time?', reply);
    const line = await person.sayAndRead(OTHER, OTHER, reply);
    const second = await finish(person, line, 'Order 18');
    expect(second.caption).toContain(OTHER);

    const menu = await person.sayAndRead('/start', 'What would you like to do?', second);
    expect(labelsOf(menu).slice(0, 2)).toEqual(['🧾 New invoice', '🧾 Invoices']);
    const list = await person.tapToShow('🧾 Invoices', menu, 'Paid or delivered');
    expect(list.text).toMatch(/1\. 🧾 To be paid[\s\S]*Order 18[\s\S]*2\. ✅ Delivered[\s\S]*Order 17/);
    expect(list.text).toMatch(/Today: 1 · (\d+\.\d+) TRX\nThis week: 1 · \1 TRX\nThis month: 1 · \1 TRX/);
    expect(list.text).not.toContain('somebody else');
    await person.tap('Delivered');
    await person.until('the delivered one alone', (shown) =>
      shown.find(({ message_id, text }) => message_id === menu.message_id && !text?.includes('Order 18')),
    );

    await person.tap('As CSV');
    const sent = await person.until('a file', (shown) => shown.find(({ document }) => document));
    expect(sent.document?.name).toMatch(/^invoices-\d{4}-\d\d-\d\d\.csv$/);
    expect(sent.caption).toContain('2 invoices');
    const text = await person.download(sent);
    const rows = text.trimEnd().split('\r\n');
    expect(rows).toHaveLength(3);
    expect(rows[1]).toMatch(new RegExp(`^\\d+,open,.*,${OTHER},.*,Order 18,$`));
    expect(rows[2]).toMatch(
      new RegExp(`^\\d+,delivered,.*,${ADDRESS},.*,[0-9a-f]{64},"'=Order 17, ""thanks""",$`),
    );
    expect(text).not.toContain('somebody else');

    const card = await person.tapAndRead('1', 'Paid and delivered', sent);
    expect(findButton([card], 'Same again for another customer')).toBeDefined();
    // A chat has only one card of an invoice.
    await person.until('the former card gone', (shown) =>
      shown.every(({ message_id }) => message_id !== first.message_id),
    );
  });
});

test('serves invoice pages only if the bot has a public URL', async () => {
  const found = async (push: boolean) => {
    let answer = '';
    await inWorld({ push }, async ({ origin }) => {
      answer = await (await fetch(`${origin}/i/nothing`)).text();
    });
    return answer.includes('This link leads to no invoice');
  };
  expect([await found(true), await found(false)]).toEqual([true, false]);
});
