import { findButton, type Person, type ShownMessage } from './person.ts';
import { ADDRESS } from './world.ts';

/** Links an account as a new user would; answers when the bot says so. */
export async function linkAccount(person: Person, apiKey = 'demo-key'): Promise<void> {
  await person.say('/start');
  await person.tap('Link account');
  await person.reads('Waiting for your key');
  await person.say(apiKey);
  await person.reads('Account linked');
}

/** Goes through buying energy up to its card; answers the card. */
export async function toCard(person: Person, address = ADDRESS): Promise<ShownMessage> {
  await person.say('/buy');
  await person.reads('Which address');
  await person.say(address);
  await person.reads('What is it for');
  await person.tap('recipient holds USDT');
  await person.tap('1 hour');
  return person.reads('Check before you confirm');
}

/** Links an account, with its events coming to the bot. */
export async function linkWithEvents(person: Person): Promise<void> {
  await linkAccount(person);
  await person.tap('turn them on');
  await person.reads('Delivery reports are on');
}

/** The data of a button of a card. */
export function dataOf(card: ShownMessage, label: string): string {
  return findButton([card], label)?.[1].data ?? '';
}

/** The number of the operation that a card is about. */
export function operationOf(card: ShownMessage): string {
  return /Operation (\w{8})/.exec(card.text ?? '')?.[1] ?? '';
}
