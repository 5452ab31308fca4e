import { isDeepStrictEqual } from 'node:util';
import type { InlineKeyboardButton } from 'grammy/types';
import { shownBelow } from '../../texts/callback-data.ts';
import { LANGUAGES, type Language, type Texts, type Words } from '../../texts/texts.ts';
import { paragraphs, type View, withoutTags } from '../../texts/view.ts';
import type { NoticeKind } from '../kinds/kind.ts';
import type { Waiting } from './outbox-store.ts';

/** A message is read at a glance, and Telegram takes 4,096 characters. */
const MOST_TOLD = 10;
const MOST_LENGTH = 3_000;
const PLAIN_LENGTH = 300;

/** Notices of one kind. */
export interface OfKind {
  kind: NoticeKind;
  waiting: readonly Waiting[];
}

/** A message, which of the notices it really tells, and which it says once more that may have been told before. */
export interface Composed {
  view: View;
  told: readonly Waiting[];
  again: readonly Waiting[];
}

/** How many of a kind one message has room for. */
export function mostTold({ isAlone }: Pick<NoticeKind, 'isAlone'>): number {
  return isAlone ? 1 : MOST_TOLD;
}

/** One message of several notices of a kind, as many as it has room for; below them what may have been told before. */
export function compose(
  texts: Texts,
  { kind, waiting }: OfKind,
  about: { chat: number; language: Language; unclear: readonly OfKind[] },
): Composed {
  const { chat, language } = about;
  const viewOf = (words: Words, { kind: { view, data }, waiting: of }: OfKind) =>
    view(
      words,
      of.map(({ notice }) => data.parse(notice.data)),
      { chat, account: of[0]?.notice.account },
    );
  const words = texts.in(language);
  const told = fitting(waiting.slice(0, mostTold(kind)), MOST_LENGTH, (one) =>
    lengthOf([viewOf(words, { kind, waiting: [one] })]),
  );
  const languages = kind.inAllLanguages ? LANGUAGES : [language];
  const views = languages.map((each) => viewOf(texts.in(each), { kind, waiting: told }));
  const unclear = about.unclear.map((of) => ({ ...of, view: viewOf(words, of) }));
  const again = fitting(unclear, MOST_LENGTH - lengthOf(views), ({ view }) => lengthOf([view]), 0);
  const html = paragraphs(
    told.some(({ notice }) => notice.isAgain) && words.html('notice-unclear'),
    ...views.map((view) => view.html),
    again.length > 0 && words.html('notice-unclear'),
    ...again.map(({ view }) => view.html),
  );
  // What can be done about those that are told alone can be done here.
  const further = again.filter((one) => one.kind.isAlone).map(({ view }) => view);
  const view = { html, keyboard: rowsOf([...further, ...views.slice(0, 1)]) };
  return {
    view: kind.isQuestion && again.length === 0 ? view : staying(view),
    told,
    again: again.flatMap((one) => one.waiting),
  };
}

/** The same for a Telegram that doesn't take it: short, and without formats. */
export function plainly({ keyboard, html }: View): View {
  const short = [...withoutTags(html)].slice(0, PLAIN_LENGTH).join('');
  return { keyboard, html: short.replace(/&#?\w*$/, '') };
}

/** Its words stay whatever is tapped. */
function staying({ keyboard, ...view }: View): View {
  const stays = (one: InlineKeyboardButton) =>
    'callback_data' in one ? { ...one, callback_data: shownBelow(one.callback_data) } : one;
  return { ...view, keyboard: keyboard.map((row) => row.map(stays)) };
}

/** As many of the first as have room, and at least so many. */
function fitting<T>(given: readonly T[], room: number, length: (one: T) => number, least = 1): T[] {
  let taken = 0;
  const tooMany = given.findIndex((one, at) => {
    taken += length(one);
    return at >= least && taken > room;
  });
  return tooMany < 0 ? [...given] : given.slice(0, tooMany);
}

/** As Telegram counts it. */
function lengthOf(views: readonly View[]): number {
  return views.reduce((sum, { html }) => sum + withoutTags(html).replace(/&#?\w+;/g, '.').length, 0);
}

/** Each row once: most have the way to the menu. */
function rowsOf(views: readonly View[]): View['keyboard'] {
  const rows = views.flatMap(({ keyboard }) => keyboard);
  return rows.filter((row, at) => rows.findIndex((one) => isDeepStrictEqual(one, row)) === at);
}
