import type { Link, Links } from '../accounts/links.ts';
import { type BotUser, dayAt, type Users } from '../accounts/users.ts';
import { isRecent } from '../platform/clock.ts';
import type { Audience } from './store.ts';

const PAGE_SIZE = 1_000;

/** Reads a broadcast's recipients in pages, ordered by user id. Rejects if they can't be read. */
export type ReadAudience = (audience: Audience, admin: number) => AsyncGenerator<number[]>;

export const acceptsBroadcasts = ({ unreachable, isBanned, hasOptedOut }: BotUser): boolean =>
  !(unreachable || isBanned || hasOptedOut);

export function createReadAudience(deps: {
  users: Pick<Users, 'page'>;
  links: Pick<Links, 'find'>;
  now: () => number;
}): ReadAudience {
  const { links, now } = deps;

  return async function* read(audience, admin) {
    if (audience.who === 'me') {
      yield [admin];
      return;
    }
    const today = dayAt(now());
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page: Awaited<ReturnType<Users['page']>> = await deps.users.page(after, PAGE_SIZE);
      const users = page.users.filter(acceptsBroadcasts);
      const linksOfUsers = dependsOnLinks(audience)
        ? await Promise.all(users.map(({ user }) => links.find(user)))
        : [];
      yield users
        .filter((user, at) => isInAudience(audience, user, linksOfUsers[at], today))
        .map(({ user }) => user);
      after = page.last;
    }
  };
}

const dependsOnLinks = ({ who }: Audience) => who === 'holders' || who === 'guests' || who === 'merchants';

function isInAudience(
  audience: Audience,
  { language, lastDay }: BotUser,
  link: Link | undefined,
  today: number,
): boolean {
  switch (audience.who) {
    case 'language':
      return language === audience.language;
    case 'active':
      return lastDay > today - audience.days;
    case 'holders':
      return link !== undefined;
    case 'guests':
      return link === undefined;
    case 'merchants':
      return link?.isMerchant === true;
    case 'everybody':
    case 'me':
      return true;
  }
}

const COUNT_TTL_MS = 30_000;

/** Creates a function that counts recipients, once for concurrent calls. Rejects if they can't be read. */
export function createRecipientCounter({
  readAudience,
  now,
}: {
  readAudience: ReadAudience;
  now: () => number;
}) {
  /** `at`: end of the count in epoch milliseconds. */
  let latest: { key: string; at?: number; count: Promise<number> } | undefined;

  async function countRecipients(audience: Audience, admin: number): Promise<number> {
    let count = 0;
    for await (const users of readAudience(audience, admin)) count += users.length;
    return count;
  }

  return (audience: Audience, admin: number): Promise<number> => {
    const key = JSON.stringify([audience, admin]);
    if (latest?.key === key && isRecent(latest.at ?? now(), COUNT_TTL_MS, now())) return latest.count;
    const count = countRecipients(audience, admin);
    const entry: typeof latest = { key, count };
    latest = entry;
    const finished = count.then(
      () => now(),
      () => 0,
    );
    void finished.then((at) => {
      entry.at = at;
    });
    return count;
  };
}
