import type { Link } from '../accounts/links.ts';
import { type People, type PeopleFigures, type Person, SPANS } from '../accounts/users.ts';
import { counted, dayOf, keyTail, moment } from '../i18n/formats.ts';
import { LANGUAGES, type Words } from '../i18n/texts.ts';
import { lines, paragraphs } from '../i18n/view.ts';
import { headline } from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { BotContext } from './context.ts';

const DAY_MS = 24 * 3600_000;

/** Returns the numbers of users, in lines. */
export function figuresOf(words: Words, figures: PeopleFigures): string {
  const count = (number: number) => counted(number, words.language);
  const spans = (of: PeopleFigures['met']) => SPANS.map((span) => count(of[span])).join(' · ');
  return paragraphs(
    lines(
      words.html('people-all', { count: count(figures.all), part: figures.isPart ? 'yes' : 'no' }),
      words.html('people-linked', { count: count(figures.linked) }),
      words.html('people-gone', { count: count(figures.gone) }),
      figures.barred > 0 && words.html('people-barred', { count: count(figures.barred) }),
    ),
    lines(
      words.html('people-spans'),
      words.html('people-met', { counts: spans(figures.met) }),
      words.html('people-here', { counts: spans(figures.here) }),
    ),
    lines(
      ...LANGUAGES.map((language) =>
        words.html('people-language', { language, count: count(figures.languages[language]) }),
      ),
    ),
  );
}

/** Returns an operation of the user, with its status. */
export function operationLine(words: Words, operation: Operation, kinds: Pick<Kinds, 'of'>): string {
  const kind = kinds.of(operation.request);
  return lines(
    `<code>${operation.id}</code> · ${headline(words, kind, operation)} · ${moment(operation.createdAt, words.language)}`,
    kind.title(words, operation.request),
  );
}

/** Returns what is known about a user. */
export function personLines(words: Words, person: Person, link: Link | undefined): string {
  const day = (days: number) => dayOf(days * DAY_MS, words.language);
  return lines(
    words.html('person-title', { user: String(person.user) }),
    words.html('person-since', { first: day(person.first), last: day(person.last) }),
    words.html('person-language', { language: person.language }),
    link
      ? words.html('person-linked', { account: String(link.account), tail: keyTail(link.tail) })
      : words.html('person-guest'),
    person.gone && words.html('person-gone', { why: person.gone }),
    person.isBarred && words.html('person-barred'),
  );
}

/**
 * Stores whether the user wants broadcasts. Creates the record of an unknown user first, so that an opt-out is never
 * lost.
 */
export async function setQuiet(
  { people }: { people: Pick<People, 'met' | 'quiet'> },
  ctx: BotContext,
  isQuiet: boolean,
): Promise<void> {
  if (ctx.from === undefined) return;
  const { id } = ctx.from;
  ctx.tx.signal.throwIfAborted();
  if (await people.quiet(id, isQuiet)) return;
  await people.met(id, ctx.words.language, undefined);
  await people.quiet(id, isQuiet);
}
