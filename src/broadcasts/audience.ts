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

/** Maximum duration of counting all offered audiences, in milliseconds. */
const SURVEY_MS = 5_000;

/**
 * Creates a function that counts the recipients of several audiences in one pass over the users. Concurrent and early
 * repeated calls share a pass. Returns `undefined` if it takes too long.
 */
export function createAudienceSurvey(deps: AudienceDeps) {
  const { now } = deps;
  let latest: { key: string; at: number; counts: Promise<number[] | undefined> } | undefined;

  async function survey(audiences: readonly Audience[]): Promise<number[] | undefined> {
    const until = performance.now() + SURVEY_MS;
    const today = dayAt(now());
    const counts = audiences.map(() => 0);
    for await (const candidates of readCandidates(deps, audiences.some(dependsOnLinks))) {
      if (performance.now() > until) return undefined;
      for (const [at, audience] of audiences.entries())
        counts[at] =
          (counts[at] ?? 0) + candidates.filter((one) => isInAudience(audience, one, today)).length;
    }
    return counts;
  }

  return (audiences: readonly Audience[]): Promise<readonly number[] | undefined> => {
    const key = JSON.stringify(audiences);
    if (latest?.key !== key || !isRecent(latest.at, COUNT_TTL_MS, now())) {
      const begun = { key, at: now(), counts: survey(audiences) };
      latest = begun;
      // A failure isn't remembered.
      begun.counts.catch(() => {
        if (latest === begun) latest = undefined;
      });
    }
    return latest.counts;
  };
}
