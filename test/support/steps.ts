import type { Person, ShownMessage } from './person.ts';
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
