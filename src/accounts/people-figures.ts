import { LANGUAGES, type Language } from '../texts/texts.ts';
import type { Links } from './links.ts';
import { dayAt, type People, type Person } from './people.ts';

const PAGE = 1_000;

/** In days, today with them. */
export const SPANS = [1, 7, 30] as const;
export type Span = (typeof SPANS)[number];

/** How many people there are, as far as they were counted. */
export interface PeopleFigures {
  /** Not all could be counted in the time that there was. */
  isPart: boolean;
  all: number;
  linked: number;
  gone: number;
  barred: number;
  languages: Record<Language, number>;
  /** First met, and here last, within so many days. */
  met: Record<Span, number>;
  here: Record<Span, number>;
}

/** Counts everybody who ever wrote to the bot, by what is kept of them; for `withinMs` at most. */
export type CountPeople = (withinMs: number) => Promise<PeopleFigures>;

export function createCountPeople(deps: {
  people: Pick<People, 'page'>;
  links: Pick<Links, 'find'>;
  now: () => number;
}): CountPeople {
  const { people, links, now } = deps;

  function add(
    figures: PeopleFigures,
    { first, last, language, gone, isBarred }: Person,
    today: number,
  ): void {
    figures.all += 1;
    figures.languages[language] += 1;
    if (gone) figures.gone += 1;
    if (isBarred) figures.barred += 1;
    for (const span of SPANS) {
      if (first > today - span) figures.met[span] += 1;
      if (last > today - span) figures.here[span] += 1;
    }
  }

  return async (withinMs) => {
    const until = performance.now() + withinMs;
    const figures = nothing();
    const today = dayAt(now());
    let after: number | undefined = 0;
    while (after !== undefined) {
      if (performance.now() > until) return { ...figures, isPart: true };
      const page: Awaited<ReturnType<People['page']>> = await people.page(after, PAGE);
      const linked = await Promise.all(page.people.map(({ user }) => links.find(user)));
      for (const person of page.people) add(figures, person, today);
      figures.linked += linked.filter((link) => link !== undefined).length;
      after = page.last;
    }
    return figures;
  };
}

function nothing(): PeopleFigures {
  return {
    ...{ isPart: false, all: 0, linked: 0, gone: 0, barred: 0 },
    languages: Object.fromEntries(LANGUAGES.map((one) => [one, 0])) as Record<Language, number>,
    met: { 1: 0, 7: 0, 30: 0 },
    here: { 1: 0, 7: 0, 30: 0 },
  };
}
