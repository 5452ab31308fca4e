// Recipients of a broadcast.

import type { Link, Links } from '../accounts/links.ts';
import { dayAt, type People, type Person } from '../accounts/users.ts';
import type { Audience } from './broadcast.ts';

const PAGE = 1_000;

/** Reads the recipients of a broadcast, page by page in the order of their user ids. Rejects if they can't be read. */
export type ReadAudience = (audience: Audience, admin: number) => AsyncGenerator<number[]>;

/** Returns whether broadcasts may be sent to a user: reachable, not banned, and not opted out. */
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

/** Time for which a finished count is reused, in milliseconds. */
const TTL_MS = 30_000;

/**
 * Creates a function that counts recipients. Concurrent calls for the same audience share one count. Rejects if the
 * recipients can't be read.
 */
export function createCount({ readAudience, now }: { readAudience: ReadAudience; now: () => number }) {
  let last: { what: string; until: number; count: Promise<number> } | undefined;

  async function counted(audience: Audience, admin: number): Promise<number> {
    let count = 0;
    for await (const users of readAudience(audience, admin)) count += users.length;
    return count;
  }

  return (audience: Audience, admin: number): Promise<number> => {
    const what = JSON.stringify([audience, admin]);
    if (last?.what === what && now() < last.until) return last.count;
    const count = counted(audience, admin);
    const mine = { what, until: Number.POSITIVE_INFINITY, count };
    last = mine;
    count.then(
      () => {
        mine.until = now() + TTL_MS;
      },
      () => {
        mine.until = 0;
      },
    );
    return count;
  };
}
