import { ADDRESS, keyOf } from './identities.ts';
import type { Answered, Person } from './person.ts';

/** A walk through the bot in steps of one update each. */
export type Walk = (person: Person, took: (answered: Answered) => void | Promise<void>) => Promise<void>;
export type WalkName = keyof typeof WALKS;

/** Parts of texts by which users recognize a response. */
const MENU = 'What would you like';
const PURPOSE = 'recipient holds USDT';
export const CONFIRM = 'Confirm';
/** Steps of a purchase, by name. */
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

/** Waits for both edits of the card: the outcome, then the remaining balance. */
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

/** Ten taps on one message. */
const menu: Walk = async (person, took) => {
  for (let taps = 0; taps < 5; taps++) {
    await took(await person.tap('More', '<b>More</b>'));
    await took(await person.tap('Menu', MENU));
  }
};

/** Opens the account from the menu, which requests the service, and returns. */
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
