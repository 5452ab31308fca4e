import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, linkOf, makeInvoice, onFirstInvoice, toInvoiceCard } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, inWorld, type WorldOptions } from '../support/world.ts';

const CREATE = 'POST /invoices';
/** Interval of polls of an invoice that a user waits for. Its runs are more frequent here. */
const POLL_SECONDS = 3;
const OPERATED: WorldOptions = { config: { rentalApiKey: 'operator-key' } };

/** Makes an invoice as a guest, from the menu, with the preselected amount. Returns its card. */
async function toInvoice(person: Person): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/start');
  const below = (part: string) => person.reads(part, { message_id });
  await person.tap('Buy energy');
  await below('sends the USDT?');
  await person.say(ADDRESS);
  const card = await below('65,000 energy');
  expect(card.text).toContain('1 h');
  expect(card.text).toContain('(one without needs 131,000)');
  expect(card.text).toContain('Price: about');
  return person.confirm(card, 'Pay exactly');
}

interface Made {
  price_trx: string;
  price_usdt: string;
  expires_at: string;
}

journeysWith(OPERATED)(
  'a guest without an account pays an invoice, whose card shows each state',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await toInvoice(person);
    const { invoices } = await world.control<{ invoices: [Made] }>('GET', '/rental/state');
    const [{ price_trx: trx, price_usdt: usdt, expires_at }] = invoices;
    const sent = JSON.stringify(await world.control('GET', '/telegram/calls?method=editMessageMedia'));
    expect(sent.replaceAll('\\', '')).toContain(`unix="${Math.floor(Date.parse(expires_at) / 1000)}"`);
    expect(card.caption).toContain(`Pay exactly ${trx} TRX or ${usdt} USDT`);
    expect(card.caption).toContain('On TRON (TRC20), to this address:');
    const copied = card.keyboard?.flat().flatMap(({ copy }) => copy ?? []);
    expect(copied).toEqual(expect.arrayContaining([trx, usdt]));
    await onFirstInvoice(world, 'pay', { currency: 'USDT' });
    await world.advance(POLL_SECONDS);
    await person.shows(card, 'Paid. The energy is on its way.');
    await onFirstInvoice(world, 'delegate');
    await world.advance(POLL_SECONDS);
    const done = await person.shows(card, 'Paid and delivered');
    expect(done.caption).toMatch(/Transaction: [0-9a-f]{64}/);
    expect(done.caption).not.toContain('to this address');
    await person.reads('Send your USDT by', card);
    expect(world.countRequests(CREATE)).toBe(1);
    // One message for the purchase, and the reply that notifies.
    const shown = (await person.messages()).filter(({ message_id }) => message_id >= card.message_id);
    expect(shown).toMatchObject([{ message_id: card.message_id }, { reply_to: card.message_id }]);
  },
);

journeysWith(OPERATED)(
  'a guest who deletes the card while the invoice is created gets the invoice as a new message',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await toInvoiceCard(person, { transfers: '1' });
    await world.fault(CREATE, 'latency', { ms: 1_000 });
    await person.confirm(card, 'Creating the invoice');
    await person.remove(card.message_id);
    const sent = await person.reads('Pay exactly', card);
    expect(sent.photo).toBeDefined();
    expect(world.countRequests(CREATE)).toBe(1);
  },
);

it('shows a shared invoice to the payer without account data, and each state to both', async (_person, world) => {
  const [merchant, payer] = [world.person(HOLDER), world.person(GUEST)];
  await linkAccount(merchant, 'merchant-key');
  const card = await makeInvoice(merchant, { note: 'Order 17, thank you <b>' });
  await payer.follow(linkOf(card));
  const shown = await payer.reads('Pay exactly');
  expect(shown.caption).toContain("Seller's note: Order 17, thank you <b>");
  expect(JSON.stringify({ ...shown, date: undefined })).not.toMatch(new RegExp(`${HOLDER}|1003`));
  await merchant.shows(card, 'The link was opened.');
  await merchant.shows(card, 'Your customer can pay until');
  await onFirstInvoice(world, 'pay');
  await world.advance(POLL_SECONDS);
  for (const [person, message] of [[merchant, card] as const, [payer, shown] as const])
    await person.shows(message, 'Paid. The energy');
  await onFirstInvoice(world, 'delegate');
  await world.advance(POLL_SECONDS);
  for (const [person, message] of [[merchant, card] as const, [payer, shown] as const])
    await person.shows(message, 'Paid and delivered');
});

it('keeps the path of a proxy in links, and detects that the page was opened', async (_person, world) => {
  await world.restart({ publicUrl: `${world.origin}/bot` });
  const merchant = await linkAccount(world.person(HOLDER), 'merchant-key');
  const card = await makeInvoice(merchant, { note: 'Order 17' });
  const page = card.keyboard?.flat().find(({ copy }) => copy?.includes('/i/'))?.copy ?? '';
  expect(page.startsWith(`${world.origin}/bot/i/`)).toBe(true);
  const behind = page.replace('/bot/', '/');
  const html = await (await fetch(behind)).text();
  expect(html).not.toMatch(/(href|src|action)="\//);
  const opened = await fetch(`${behind}/opened`, { method: 'POST', headers: { Origin: world.origin } });
  expect(opened.status).toBe(204);
  await merchant.shows(card, 'The link was opened.');
});

test('serves invoice pages only if the bot has a public URL', async () => {
  const found = async (push: boolean) => {
    let answer = '';
    await inWorld({ push }, async ({ origin }) => {
      answer = await (await fetch(`${origin}/i/nothing`)).text();
    });
    return answer.includes('Invoice not found');
  };
  expect([await found(true), await found(false)]).toEqual([true, false]);
});

journeysWith({ ...OPERATED, onRedis: true, replicas: 2 })(
  'two replicas on Redis poll an invoice as often as one',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await makeInvoice(person);
    const reads = () => world.countRequests(`GET /invoices/${invoice}`);
    const { invoices } = await world.control<{ invoices: { invoice_id: number }[] }>('GET', '/rental/state');
    const invoice = invoices.at(-1)?.invoice_id;
    await eventually(() => expect(reads()).toBeGreaterThan(0));
    // From here on, it is polled every 15 seconds instead of three.
    await world.advance(11 * 60);
    for (let step = 0; step < 3; step++) {
      const before = reads();
      await world.advance(15);
      await eventually(() => expect(reads()).toBeGreaterThan(before));
      await world.settled();
      expect(reads() - before).toBe(1);
    }
    await onFirstInvoice(world, 'pay');
    await onFirstInvoice(world, 'delegate');
    await world.advance(60);
    await person.shows(card, 'Paid and delivered');
    await person.reads('Send your USDT by', card);
    await world.settled();
    const found = (await person.messages()).filter(({ text = '' }) => text.includes('Send your USDT by'));
    expect(found).toHaveLength(1);
  },
);
