import { findButton, type Person, type ShownMessage } from './person.ts';
import { ADDRESS } from './world.ts';

/** Links an account as a new user would; answers when the bot says so. */
export async function linkAccount(person: Person, apiKey = 'demo-key'): Promise<void> {
  // Below what is said now: the chat may tell already of an account that was linked before.
  const { message_id: start = 0 } = await person.say('/start');
  await person.until('the way to link', (shown) =>
    findButton(
      shown.filter(({ message_id }) => message_id > start),
      'Link account',
    ),
  );
  await person.tap('Link account');
  await person.readsBelow({ message_id: start }, 'Waiting for your key');
  const { message_id: key = 0 } = await person.say(apiKey);
  await person.readsBelow({ message_id: key }, 'Account linked');
}

/** Goes through buying energy up to its card; answers the card. */
export async function toCard(person: Person, address = ADDRESS): Promise<ShownMessage> {
  const { message_id } = await person.say('/buy');
  const below = (part: string) => person.readsBelow({ message_id: message_id ?? 0 }, part);
  await below('Which address');
  await person.say(address);
  await below('What is it for');
  await person.tap('recipient holds USDT');
  await below('For how long');
  await person.tap('1 hour');
  return below('Check before you confirm');
}

/** Links an account, with its events coming to the bot. */
export async function linkWithEvents(person: Person, apiKey?: string): Promise<void> {
  await linkAccount(person, apiKey);
  await person.say('/account');
  await person.tap('Turn on service reports');
  await person.reads('this replaces the one that is set there now');
  await person.tap('turn them on');
  await person.reads('Service reports are on');
}

/** The data of a button of a card. */
export function dataOf(card: ShownMessage, label: string): string {
  return findButton([card], label)?.[1].data ?? '';
}

/** The number of the operation that a card is about. */
export function operationOf(card: ShownMessage): string {
  return (
    card.text
      ?.match(/Operation (\w{8})/g)
      ?.at(-1)
      ?.slice(-8) ?? ''
  );
}
