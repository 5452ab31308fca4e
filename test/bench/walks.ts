import { ADDRESS, keyOf } from './identities.ts';
import type { Answered, Person } from './person.ts';

/** A walk through the bot, step by step: one update each. */
export type Walk = (person: Person, took: (answered: Answered) => void | Promise<void>) => Promise<void>;
export type WalkName = keyof typeof WALKS;

/** The parts of texts by which people see that they were answered. */
const MENU = 'What would you like';
const PURPOSE = 'recipient holds USDT';
export const CONFIRM = 'Confirm';
/** The steps of a purchase, by name. */
export const WHOLE = ['/start', 'Buy energy', 'the address', PURPOSE, '1 hour', CONFIRM];

const question: Walk = async (person, took) => {
  await took(await person.say('/start', MENU));
  await took(await person.tap('Buy energy', 'Which address'));
  await took(await person.say(ADDRESS, 'What is it for', 'the address'));
  await took(await person.tap(PURPOSE, 'For how long'));
};

const card: Walk = async (person, took) => {
  await question(person, took);
  await took(await person.tap('1 hour', 'Check before you confirm'));
};

/** The card says twice how it went: what came of it, then what is left on the balance. */
const confirm: Walk = async (person, took) => {
  const isOver = person.chat.until('Balance left', 60_000);
  isOver.catch(() => undefined);
  const answered = await person.tap(CONFIRM, '<b>Bought</b>');
  await isOver;
  await took(answered);
};

/** Six updates. */
const purchase: Walk = async (person, took) => {
  await card(person, took);
  await confirm(person, took);
};

const start: Walk = async (person, took) => took(await person.say('/start', MENU));

const greet: Walk = async (person, took) => took(await person.say('/start', 'Link it to begin'));

/** Ten taps within one message. */
const menu: Walk = async (person, took) => {
  for (let taps = 0; taps < 5; taps++) {
    await took(await person.tap('More', '<b>More</b>'));
    await took(await person.tap('Menu', MENU));
  }
};

/** From the menu to the account, which the service is asked about, and back. */
const account: Walk = async (person, took) => {
  await took(await person.tap('More', '<b>More</b>'));
  await took(await person.tap('Account', 'Service reports'));
  await took(await person.tap('Menu', MENU));
};

const link: Walk = async (person, took) => {
  await took(await person.say('/start', 'Link it to begin'));
  await took(await person.tap('Link account', 'Waiting for your key'));
  await took(await person.say(keyOf(person.chat.id), 'Account linked', 'the key'));
};

const reports: Walk = async (person, took) => {
  await took(await person.say('/account', 'Service reports'));
  await took(await person.tap('Turn on service reports', 'this replaces the one'));
  await took(await person.tap('turn them on', 'Service reports are on'));
};

export const WALKS = { purchase, confirm, card, question, start, greet, menu, account, link, reports };
