import { expect, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, linkOf, makeInvoice, onFirstInvoice, toInvoiceCard } from '../support/steps.ts';
import { GUEST, HOLDER, type WorldOptions } from '../support/world.ts';

const CREATE = 'POST /invoices';
const OPERATED: WorldOptions = { config: { rentalApiKey: 'operator-key' } };

const payable = ({ caption = '' }: ShownMessage) => caption.includes('TRC20');
/** Returns the photos of a chat that contain payment data. */
const codes = async (person: Person) => (await person.messages()).filter((one) => one.photo && payable(one));

it('removes code and address from all chats at expiry, and ignores a refunded late payment', async (_person, world) => {
  const [merchant, payer] = [world.person(HOLDER), world.person(GUEST)];
  await linkAccount(merchant, 'merchant-key');
  const card = await makeInvoice(merchant, { note: 'Thank you' });
  await payer.follow(linkOf(card));
  const shown = await payer.reads('Pay ');
  await world.advance(31 * 60);
  for (const [person, message] of [[merchant, card] as const, [payer, shown] as const])
    await person.shows(message, "Don't pay this invoice any more");
  for (const person of [merchant, payer]) expect(await codes(person)).toEqual([]);
  // The service refunds a late payment, so no chat may say that the invoice was paid.
  await onFirstInvoice(world, 'pay');
  await world.advance(3 * 3600);
  for (const person of [merchant, payer])
    expect(JSON.stringify(await person.messages())).not.toContain('was paid');
});

journeysWith(OPERATED)(
  'a guest can make a fourth invoice after three lost responses',
  async (_person, world) => {
    const person = world.person(GUEST);
    for (let at = 0; at < 3; at++) {
      await world.fault(CREATE, 'cut-after');
      const card = await toInvoiceCard(person);
      await person.confirm(card, 'just make another one');
    }
    await makeInvoice(person);
    expect(world.countRequests(CREATE)).toBe(4);
  },
);

journeysWith(OPERATED)(
  'limits a guest to three open invoices, and shows an open one instead of a duplicate',
  async (_person, world) => {
    const person = world.person(GUEST);
    for (const transfers of ['1', '2', '3']) await makeInvoice(person, { transfers });
    const { message_id = 0 } = await person.say('/invoice');
    await person.sayAndRead('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'How many USDT transfers', { message_id });
    await person.sayAndRead('2', 'For how long?', { message_id });
    await person.tapAndRead('1 hour', 'Delivers 130,000 energy', { message_id });
    await person.until(
      'three codes',
      (shown) => shown.filter((one) => one.photo && payable(one)).length === 3,
    );
    const card = await toInvoiceCard(person, { transfers: '4' });
    await person.tap('Confirm');
    expect((await person.shows(card, 'You have three open invoices')).text).toMatch(/try again in 30 min/);
    expect(world.countRequests(CREATE)).toBe(3);
  },
);

journeysWith(OPERATED)(
  'notifies of a payment after the card was deleted, despite rate limits',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await makeInvoice(person);
    await person.remove(card.message_id);
    await world.advance(24 * 60);
    await world.telegramFault('editMessageMedia', 'rate-limit', { times: 2, retry_after: 1 });
    await world.telegramFault('sendPhoto', 'rate-limit', { times: 1, retry_after: 1 });
    await onFirstInvoice(world, 'pay');
    await world.advance(60);
    await person.reads('Paid. The energy is on its way.', card);
    await person.reads('It was paid.', card);
    await onFirstInvoice(world, 'delegate');
    await world.advance(60);
    await person.reads('Paid and delivered', card);
    await person.reads('Delivered:', card);
    const found = (await person.messages()).filter(({ text = '' }) => /It was paid|Delivered:/.test(text));
    expect(found).toHaveLength(1);
  },
);

journeysWith(OPERATED)(
  'shows a text card if Telegram rejects the picture, and adds the picture later',
  async (_person, world) => {
    const person = world.person(GUEST);
    for (const method of ['sendPhoto', 'editMessageMedia'])
      await world.telegramFault(method, 'error', { times: 1_000 });
    const card = await makeInvoice(person);
    expect(card.photo).toBeUndefined();
    expect(card.text).toContain('on TRON (TRC20), to this address:');
    expect(card.keyboard?.flat().filter(({ copy }) => copy).length).toBeGreaterThanOrEqual(3);
    await world.control('DELETE', '/telegram/faults');
    await world.advance(60);
    // The retry waits for the next scheduled check of the invoice.
    await vi.waitFor(
      async () => {
        await world.advance(5);
        const shown = await person.messages();
        expect(shown.some((one) => one.message_id === card.message_id && one.photo && payable(one))).toBe(
          true,
        );
      },
      { timeout: 20_000, interval: 400 },
    );
    await onFirstInvoice(world, 'pay');
    await world.advance(60);
    await person.shows(card, 'Paid. The energy is on its way.');
    expect(await codes(person)).toEqual([]);
  },
);

it('a payer cannot change the invoice with any callback data', async (_person, world) => {
  const [merchant, payer] = [world.person(HOLDER), world.person(GUEST)];
  await linkAccount(merchant, 'merchant-key');
  const card = await makeInvoice(merchant, { note: 'Thank you' });
  await payer.follow(linkOf(card));
  const shown = await payer.reads('Pay ');
  expect(shown.keyboard?.flat().map(({ data = '' }) => data.replace(/[\w-]{32}/, 'TOKEN'))).toEqual([
    '',
    '',
    '',
    'invoice:look:TOKEN',
  ]);
  const opened = await merchant.shows(card, 'The link was opened.');
  const own = opened.keyboard?.flat().flatMap(({ data = '' }) => (data === '' ? [] : data)) ?? [];
  expect(own.length).toBeGreaterThan(1);
  const before = await payer.messages();
  for (const data of own) await payer.tapData(shown.message_id, data);
  await world.settled();
  expect(await payer.messages()).toEqual(before);
  expect(linkOf(await merchant.reads('The link was opened.'))).toBe(linkOf(card));
  // After the merchant ends the link, it leads to no invoice. The payer's card is still updated.
  await merchant.tap('End the link');
  await payer.follow(linkOf(card));
  await payer.reads('leads to no invoice any more');
  await onFirstInvoice(world, 'pay');
  await world.advance(60);
  await payer.shows(shown, 'Paid. The energy');
});

journeysWith({ ...OPERATED, onRedis: true, replicas: 2 })(
  'two replicas on Redis poll an invoice as often as one',
  async (_person, world) => {
    const person = world.person(GUEST);
    const card = await makeInvoice(person);
    const reads = () => world.countRequests(`GET /invoices/${invoice}`);
    const { invoices } = await world.control<{ invoices: { invoice_id: number }[] }>('GET', '/rental/state');
    const invoice = invoices.at(-1)?.invoice_id;
    for (let minute = 0; minute < 5; minute++) {
      const before = reads();
      await world.advance(60);
      await eventually(() => expect(reads()).toBeGreaterThan(before));
      await world.settled();
      expect(reads() - before).toBe(1);
    }
    await onFirstInvoice(world, 'pay');
    await onFirstInvoice(world, 'delegate');
    await world.advance(60);
    await person.shows(card, 'Paid and delivered');
    await person.reads('Delivered:', card);
    await world.settled();
    const found = (await person.messages()).filter(({ text = '' }) => text.includes('Delivered:'));
    expect(found).toHaveLength(1);
  },
);
