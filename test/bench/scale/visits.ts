import type { Person } from '../person.ts';

/** Answer of the bot, and the time from the last step to it. */
export interface Visited {
  ms: number;
  answer: string;
}

export type Visit = (person: Person, about: { text: string }) => Promise<Visited>;
export type VisitName = keyof typeof VISITS;

/** Maximum time for an answer that may be late, in milliseconds. */
const PATIENCE_MS = 120_000;
const NOBODY = 'Too many users to search';

/** Takes a step. Resolves with the first message that contains one of these texts, however late. */
async function until(person: Person, parts: string[], step: () => Promise<unknown>): Promise<Visited> {
  const began = performance.now();
  const shown = Promise.race(parts.map((part) => person.chat.until(part, PATIENCE_MS)));
  const [{ html }] = await Promise.all([shown, step()]);
  return { ms: performance.now() - began, answer: html };
}

const start: Visit = (person) => until(person, [''], () => person.say('/start', ''));

const copy: Visit = async (person) => {
  await person.say('/privacy', 'What I keep about you');
  return until(person, ['Everything stored under'], () => person.tap('Get a copy', ''));
};

const forget: Visit = async (person) => {
  await person.say('/forget', 'Erase your data?');
  return until(person, ['Erased:'], () => person.tap('Yes, forget me', ''));
};

const count: Visit = (admin) => until(admin, ['All: <b>'], () => admin.say('/people', ''));

const find: Visit = async (admin, { text }) => {
  await count(admin, { text });
  await admin.tap('Find user', 'Send a Telegram ID');
  return until(admin, ['👤 User', NOBODY], () => admin.say(text, ''));
};

/** Writes a broadcast to everyone, up to the card with the number of users. */
const audience: Visit = async (admin) => {
  await admin.say('/broadcast', '');
  await admin.tap('New broadcast', 'Send or forward the message');
  await admin.say('Prices fall on Monday', 'Buttons below it?');
  await admin.tap('No buttons', 'Users get exactly');
  const began = performance.now();
  await admin.tap('Choose audience', 'Choose an audience');
  await admin.tap('Everyone', 'When?');
  let shown = await admin.tap('Now', '');
  while (shown.message.html.includes('Still counting')) shown = await admin.tap('Check again', '');
  return { ms: performance.now() - began, answer: shown.message.html };
};

export const VISITS = { start, copy, forget, count, find, audience };
