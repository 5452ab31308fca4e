import type { Link, Links } from '../accounts/links.ts';
import type { CountedUser } from '../accounts/user-cells.ts';
import type { UserCounts } from '../accounts/user-counts.ts';
import { type BotUser, dayAt, type Users } from '../accounts/users.ts';
import type { Audience } from './store.ts';

const PAGE_SIZE = 1_000;

/** Reads a broadcast's recipients in pages, ordered by user id. Rejects if they can't be read. */
export type ReadAudience = (audience: Audience, admin: number) => AsyncGenerator<number[]>;

export const acceptsBroadcasts = ({ unreachable, isBanned, hasOptedOut }: CountedUser): boolean =>
  !(unreachable || isBanned || hasOptedOut);

interface AudienceDeps {
  users: Pick<Users, 'page'>;
  links: Pick<Links, 'find'>;
  now: () => number;
}

interface Candidate {
  user: BotUser;
  link: Link | undefined;
}

/** Reads the users who accept broadcasts in pages, ordered by user id. */
async function* readCandidates(
  { users, links }: AudienceDeps,
  withLinks: boolean,
): AsyncGenerator<Candidate[]> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: Awaited<ReturnType<Users['page']>> = await users.page(after, PAGE_SIZE);
    const accepting = page.users.filter(acceptsBroadcasts);
    const found = withLinks ? await Promise.all(accepting.map(({ user }) => links.find(user))) : [];
    yield accepting.map((user, at) => ({ user, link: found[at] }));
    after = page.last;
  }
}

export function createReadAudience(deps: AudienceDeps): ReadAudience {
  return async function* read(audience, admin) {
    if (audience.who === 'me') {
      yield [admin];
      return;
    }
    const today = dayAt(deps.now());
    for await (const candidates of readCandidates(deps, dependsOnLinks(audience)))
      yield candidates.filter((one) => isInAudience(audience, one, today)).map(({ user }) => user.user);
  };
}

const dependsOnLinks = ({ who }: Audience) => who === 'holders' || who === 'guests' || who === 'merchants';

function isInAudience(
  audience: Audience,
  { user, link }: { user: CountedUser; link: Pick<Link, 'isMerchant'> | undefined },
  today: number,
): boolean {
  const { language, lastDay } = user;
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

/**
 * Creates a function that counts the recipients of several audiences by the cells of all users, without reading records.
 * Rejects if the users can't be counted.
 */
export function createRecipientCounter(deps: {
  userCounts: Pick<UserCounts, 'countEach'>;
  now: () => number;
}) {
  return async (audiences: readonly Audience[]): Promise<readonly number[]> => {
    const today = dayAt(deps.now());
    const counts = audiences.map(() => 0);
    await deps.userCounts.countEach(({ user, link }) => {
      if (!acceptsBroadcasts(user)) return;
      const linkOrNone = link === 'none' ? undefined : { isMerchant: link === 'merchant' };
      for (const [at, audience] of audiences.entries())
        if (isInAudience(audience, { user, link: linkOrNone }, today)) counts[at] = (counts[at] ?? 0) + 1;
    });
    return counts;
  };
}
