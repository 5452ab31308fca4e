import type { Link, Links } from '../accounts/links.ts';
import { type BotUser, dayAt, type Users } from '../accounts/users.ts';
import { isRecent } from '../platform/clock.ts';
import type { Audience } from './store.ts';

const PAGE_SIZE = 1_000;

/** Reads a broadcast's recipients in pages, ordered by user id. Rejects if they can't be read. */
export type ReadAudience = (audience: Audience, admin: number) => AsyncGenerator<number[]>;

export const acceptsBroadcasts = ({ unreachable, isBanned, hasOptedOut }: BotUser): boolean =>
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

function isInAudience(audience: Audience, { user, link }: Candidate, today: number): boolean {
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

const COUNT_TTL_MS = 30_000;

/**
 * Creates a function that counts the recipients of several audiences in one pass over the users. Concurrent and early
 * repeated calls share a pass. Rejects if the users can't be read, or not within `maxMs`.
 */
export function createRecipientCounter(deps: AudienceDeps) {
  const { now } = deps;
  /** `at`: end of the pass in epoch milliseconds. */
  let latest: { key: string; at?: number; counts: Promise<readonly number[]> } | undefined;

  async function countAll(audiences: readonly Audience[], maxMs: number): Promise<readonly number[]> {
    const until = performance.now() + maxMs;
    const today = dayAt(now());
    const counts = audiences.map(() => 0);
    for await (const candidates of readCandidates(deps, audiences.some(dependsOnLinks))) {
      if (performance.now() > until) throw new Error('counting the recipients took too long');
      for (const [at, audience] of audiences.entries())
        counts[at] =
          (counts[at] ?? 0) + candidates.filter((one) => isInAudience(audience, one, today)).length;
    }
    return counts;
  }

  return (audiences: readonly Audience[], maxMs = Number.POSITIVE_INFINITY): Promise<readonly number[]> => {
    const key = JSON.stringify(audiences);
    if (latest?.key === key && isRecent(latest.at ?? now(), COUNT_TTL_MS, now())) return latest.counts;
    const counts = countAll(audiences, maxMs);
    const entry: typeof latest = { key, counts };
    latest = entry;
    const finished = counts.then(
      () => now(),
      () => 0,
    );
    void finished.then((at) => {
      entry.at = at;
    });
    return counts;
  };
}
