import { expect, test } from 'vitest';
import { findButton, type Person, type ShownMessage } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

/** The totals count by UTC day, and the test advances the clock. */
const NOON = Date.UTC(2026, 5, 3, 12);

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

/** Writes the note of an invoice and confirms it. Returns the card of the invoice. */
async function finish(person: Person, below: ShownMessage, line: string): Promise<ShownMessage> {
  await person.say(line);
  const draft = await person.readsBelow(below, 'Check before you confirm');
  await person.tap('Confirm');
  await person.shows(draft, 'Invoice made');
  return person.readsBelow(draft, 'Pay ');
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

test('a merchant gets paid, repeats an invoice for another customer, and exports the list', () =>
  inWorld({ startAt: NOON }, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person, 'merchant-key');
    const stranger = world.person(GUEST);
    await linkAccount(stranger);
    await makeFirst(stranger, 'of somebody else');

    const first = await makeFirst(person, '=Order 17, "thanks"');
    await pay(world, person, first);
    await person.tap('Same again for another customer');
    const asked = await person.readsBelow(first, 'Same again for another customer');
    expect(asked.text).toContain(ADDRESS);
    await person.tap('Another address');
    await person.readsBelow(asked, 'Which address sends the USDT this time?');
    await person.say(OTHER);
    const line = await person.readsBelow(asked, OTHER);
    const second = await finish(person, line, 'Order 18');
    expect(second.caption).toContain(OTHER);

    await person.say('/start');
    const menu = await person.readsBelow(second, 'What would you like to do?');
    expect(labelsOf(menu).slice(0, 2)).toEqual(['🧾 New invoice', '🧾 Invoices']);
    await person.tap('🧾 Invoices');
    const list = await person.shows(menu, 'Paid or delivered');
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

    await person.tap('1');
    const card = await person.readsBelow(sent, 'Paid and delivered');
    expect(findButton([card], 'Same again for another customer')).toBeDefined();
    // A chat has only one card of an invoice.
    await person.until('the former card gone', (shown) =>
      shown.every(({ message_id }) => message_id !== first.message_id),
    );
  }));
