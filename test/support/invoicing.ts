import type { Person, ShownMessage } from './person.ts';
import { ADDRESS, type World } from './world.ts';

/** Completes the questions of an invoice. Returns its card. `note`: text for the question that only merchants get. */
export async function toInvoiceCard(
  person: Person,
  { transfers = '2', note }: { transfers?: string; note?: string } = {},
): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/invoice');
  const below = (part: string) => person.readsBelow({ message_id }, part);
  await below('Which address sends the USDT?');
  await person.say(ADDRESS);
  await below('How many USDT transfers');
  await person.say(transfers);
  await below('For how long?');
  await person.tap('1 hour');
  if (note !== undefined) {
    await below('A line for who pays?');
    await person.say(note);
  }
  return below('Check before you confirm');
}

/** Creates an invoice and confirms it. Returns the message of the invoice. */
export async function makeInvoice(person: Person, about = {}): Promise<ShownMessage> {
  const draft = await toInvoiceCard(person, about);
  await person.tap('Confirm');
  await person.shows(draft, 'Invoice made');
  return person.readsBelow(draft, 'Pay ');
}

/** Returns the link that a card's share button shares. */
export function linkOf(card: ShownMessage): string {
  const sheet = card.keyboard?.flat().find(({ url }) => url?.startsWith('https://t.me/share'))?.url ?? '';
  return new URL(sheet).searchParams.get('url') ?? '';
}

/** Acts on the oldest invoice of the service, which is the last in its list. */
export async function onFirstInvoice(
  world: Pick<World, 'control'>,
  what: 'pay' | 'delegate' | 'fail',
  body: object = {},
): Promise<void> {
  const { invoices } = await world.control<{ invoices: { invoice_id: number }[] }>('GET', '/rental/state');
  await world.control('POST', `/rental/invoices/${invoices.at(-1)?.invoice_id}/${what}`, body);
}
