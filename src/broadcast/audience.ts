import type { Link } from '../accounts/link.ts';
import type { Links } from '../accounts/links.ts';
import { dayAt, type People, type Person } from '../accounts/people.ts';
import type { Audience } from './broadcast.ts';

const PAGE = 1_000;

/** Reads who gets a broadcast, page by page in the order of their numbers. Rejects where they can't be read. */
export type ReadAudience = (audience: Audience, admin: number) => AsyncGenerator<number[]>;

/** Whether something can be sent to them that isn't about their money. */
export const takesNews = ({ gone, isBarred, isQuiet }: Person): boolean => !(gone || isBarred || isQuiet);

export function createReadAudience(deps: {
  people: Pick<People, 'page'>;
  links: Pick<Links, 'find'>;
  now: () => number;
}): ReadAudience {
  const { people, links, now } = deps;

  return async function* read(audience, admin) {
    if (audience.who === 'me') {
      yield [admin];
      return;
    }
    const today = dayAt(now());
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page: Awaited<ReturnType<People['page']>> = await people.page(after, PAGE);
      const them = page.people.filter(takesNews);
      const linked = isAboutLinks(audience)
        ? await Promise.all(them.map(({ user }) => links.find(user)))
        : [];
      yield them.filter((person, at) => isIn(audience, person, linked[at], today)).map(({ user }) => user);
      after = page.last;
    }
  };
}

const isAboutLinks = ({ who }: Audience) => who === 'holders' || who === 'guests' || who === 'merchants';

function isIn(
  audience: Audience,
  { language, last }: Person,
  link: Link | undefined,
  today: number,
): boolean {
  switch (audience.who) {
    case 'language':
      return language === audience.language;
    case 'active':
      return last > today - audience.days;
    case 'holders':
      return link !== undefined;
    case 'guests':
      return link === undefined;
    case 'merchants':
      return link?.sells === true;
    case 'everybody':
    case 'me':
      return true;
  }
}
