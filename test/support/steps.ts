import { readTotpSecret, totpCode, totpStep } from '../../src/sandbox/rental/two-factor.ts';
import { fixedPart } from './locales.ts';
import { findButton, type Person, type ShownMessage } from './person.ts';
import { ADDRESS, type World } from './world.ts';

/** Links an account as a new user would. Returns the user when the bot confirms it. */
export async function linkAccount(person: Person, apiKey = 'demo-key'): Promise<Person> {
  // Ignores messages above: the chat may already contain the messages of an earlier link.
  const { message_id: start = 0 } = await person.say('/start');
  await person.until('a button to link an account', (shown) =>
    findButton(
      shown.filter(({ message_id }) => message_id > start),
      fixedPart('button-link'),
    ),
  );
  await person.tapAndRead(fixedPart('button-link'), fixedPart('link-question'), { message_id: start });
  await person.ask(apiKey, fixedPart('link-done'));
  return person;
}

/** Answers the question of an energy purchase. Returns its card, for one transfer and 1 hour. */
export async function toCard(person: Person, address = ADDRESS): Promise<ShownMessage> {
  const { message_id } = await person.say('/buy');
  const below = (part: string) => person.reads(part, { message_id: message_id ?? 0 });
  await below(fixedPart('energy-address'));
  await person.say(address);
  return below(fixedPart('operation-check'));
}

/** Buys energy. Returns the card once it shows `part`. */
export async function buyEnergy(
  person: Person,
  part = fixedPart('energy-done'),
  address = ADDRESS,
): Promise<ShownMessage> {
  return person.confirm(await toCard(person, address), part);
}

/** Sets the price of an hour of energy, in sun per unit. */
export async function setPrice(world: Pick<World, 'control'>, sun: string): Promise<void> {
  await world.control('POST', '/rental/prices', { energy_sun: { '1h': sun } });
}

/** Fills the latest order at the rental service. Returns its ID. */
export async function fillOrder(world: World): Promise<number> {
  const [order] = (await world.rental()).orders;
  await world.control('POST', `/rental/orders/${order?.order_id}/fill`);
  return order?.order_id ?? 0;
}

/** Completes the questions of a bandwidth purchase. Returns its card. */
export async function toBandwidthCard(
  person: Person,
  address = ADDRESS,
  amount = '1000',
  hours = '24',
): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/bandwidth');
  for (const [question, words] of [
    [fixedPart('bandwidth-address'), address],
    [fixedPart('bandwidth-amount'), amount],
    [fixedPart('bandwidth-duration'), hours],
  ] as const) {
    await person.reads(question, { message_id });
    await person.say(words);
  }
  return person.reads(fixedPart('operation-check'), { message_id });
}

/** Address for which {@link toSmartModeCard} starts Smart Mode. */
export const WATCHED = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

/** Completes the questions before Smart Mode is started. Returns its card. */
export async function toSmartModeCard(person: Person, label = 'Shop'): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/smart');
  const below = (part: string) => person.reads(part, { message_id });
  await below(fixedPart('smart-mode-list'));
  await person.tap(fixedPart('button-smart-mode-start'));
  await below(fixedPart('smart-mode-address'));
  await person.say(WATCHED);
  await below(fixedPart('smart-mode-label'));
  await person.say(label);
  await below(fixedPart('smart-mode-guarantee'));
  await person.tap(fixedPart('button-guarantee-on'));
  return below(fixedPart('operation-check'));
}

/** Completes the questions of an activation. Returns its card. */
export async function toActivationCard(person: Person, address: string): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/activate');
  await person.reads(fixedPart('activation-address'), { message_id });
  return person.sayAndRead(address, fixedPart('operation-check'), { message_id });
}

/** Links an account and turns on its instant alerts, as the message about the link offers. Returns the user. */
export async function linkWithEvents(person: Person, apiKey?: string): Promise<Person> {
  await linkAccount(person, apiKey);
  await person.tapAndRead(fixedPart('button-link-alerts'), fixedPart('reports-on'));
  return person;
}

/** Returns the callback data of a card's button, or an empty string. */
export function dataOf(card: ShownMessage, label: string): string {
  return findButton([card], label)?.[1].data ?? '';
}

/** Goes to the card of an invoice: with a merchant's `note` by its questions, otherwise by one command. */
export async function toInvoiceCard(
  person: Person,
  { transfers = '2', note }: { transfers?: string; note?: string } = {},
): Promise<ShownMessage> {
  if (note === undefined)
    return person.ask(`/invoice ${ADDRESS} ${transfers} 1h`, fixedPart('operation-check'));
  const { message_id = 0 } = await person.say('/invoice');
  const below = (part: string) => person.reads(part, { message_id });
  await below(fixedPart('invoice-address-customer'));
  await person.say(`${ADDRESS} ${transfers} transfers`);
  const { message_id: card = 0 } = await below(fixedPart('operation-check'));
  await person.tap(fixedPart('button-note'));
  await below(fixedPart('invoice-note'));
  await person.say(note);
  return person.reads(fixedPart('operation-check'), { message_id: card });
}

/** Creates an invoice and confirms it. Returns the message of the invoice. */
export async function makeInvoice(person: Person, about = {}): Promise<ShownMessage> {
  const draft = await toInvoiceCard(person, about);
  await person.confirm(draft, '');
  // A guest's card becomes the invoice. A merchant's invoice is a new message.
  return person.reads(/ TRX or \d/, { message_id: draft.message_id - 1 });
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

/** Address that belongs to no seeded account. */
export const TARGET = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

/** TOTP secret of the seeded account with 2FA. */
const secret = readTotpSecret('JBSWY3DPEHPK3PXP');

/** Returns the current 2FA code of the seeded account with 2FA. `now`: epoch milliseconds by the sandbox's clock. */
export const codeNow = (now = Date.now()) => totpCode(secret, totpStep(now));

/** Completes the questions of a withdrawal. Returns its card. */
export async function toWithdrawalCard(person: Person, amount = '12.5'): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/withdraw');
  const below = (part: string) => person.reads(part, { message_id });
  await below(fixedPart('withdrawal-amount'));
  await (amount === 'All' ? person.tap('All') : person.say(amount));
  await below(fixedPart('withdrawal-address'));
  await person.say(TARGET);
  return below(fixedPart('operation-check'));
}

/** Announces a new address for a withdrawal without 2FA. Returns the message about its waiting time. */
export async function toHold(person: Person, address = TARGET, amount = '12.5'): Promise<ShownMessage> {
  return person.ask(`/withdraw ${amount} ${address}`, '10-minute security hold');
}

/** Opens the card of an announced withdrawal once its waiting time is over. */
export async function toHeldCard(person: Person): Promise<ShownMessage> {
  const { message_id } = await person.reads('Security hold is over');
  return person.tapAndRead('Review withdrawal', fixedPart('operation-check'), { message_id });
}

/** Confirms a withdrawal, up to the question for its 2FA code. Returns the card. */
export async function toCode(person: Person, amount?: string): Promise<ShownMessage> {
  const card = await toWithdrawalCard(person, amount);
  return person.confirm(card, fixedPart('operation-awaiting'));
}

/** Turns maintenance mode on or off, as an admin would. */
export async function turnMaintenance(admin: Person, to: 'on' | 'off'): Promise<void> {
  const { message_id = 0 } = await admin.say('/state');
  const below = { message_id };
  await admin.reads(fixedPart('state-process'), below);
  await admin.tapAndRead(`Turn maintenance ${to}…`, `Turn maintenance mode ${to}?`, below);
  await admin.tapAndRead(`Turn ${to}`, `Maintenance mode: ${to}`, below);
}
