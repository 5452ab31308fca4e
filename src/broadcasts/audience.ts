// Recipients of a broadcast: reading, counting and storing them.

import type { Link, Links } from '../accounts/links.ts';
import { type BotUser, dayAt, type Users } from '../accounts/users.ts';
import type { SendLease, StopReason, StopSignals } from './send-control.ts';
import { type Audience, type BroadcastStore, CHUNK_SIZE, type StoredBroadcast } from './store.ts';

const PAGE = 1_000;

/** Reads the recipients of a broadcast, page by page in the order of their user ids. Rejects if they can't be read. */
export type ReadAudience = (audience: Audience, admin: number) => AsyncGenerator<number[]>;

/** Returns whether broadcasts may be sent to a user: reachable, not banned, and not opted out. */
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
      const page: Awaited<ReturnType<Users['page']>> = await deps.users.page(after, PAGE);
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

/** Time for which a finished count is reused, in milliseconds. */
const COUNT_TTL_MS = 30_000;

/**
 * Creates a function that counts recipients. Concurrent calls for the same audience share one count. Rejects if the
 * recipients can't be read.
 */
export function createCount({ readAudience, now }: { readAudience: ReadAudience; now: () => number }) {
  let latest: { key: string; validUntil: number; count: Promise<number> } | undefined;

  async function countRecipients(audience: Audience, admin: number): Promise<number> {
    let count = 0;
    for await (const users of readAudience(audience, admin)) count += users.length;
    return count;
  }

  return (audience: Audience, admin: number): Promise<number> => {
    const key = JSON.stringify([audience, admin]);
    if (latest?.key === key && now() < latest.validUntil) return latest.count;
    const count = countRecipients(audience, admin);
    const entry = { key, validUntil: Number.POSITIVE_INFINITY, count };
    latest = entry;
    count.then(
      () => {
        entry.validUntil = now() + COUNT_TTL_MS;
      },
      () => {
        entry.validUntil = 0;
      },
    );
    return count;
  };
}

/** Result of resolving an audience. `lost`: another process may be working on the broadcast. */
type Resolved = { kind: 'resolved'; total: number } | StopReason | { kind: 'lost' };

/**
 * Creates a function that reads the recipients and stores them. Users who come later aren't included. If a process dies
 * during this, the next one starts again.
 */
export function createResolveAudience(deps: {
  store: Pick<BroadcastStore, 'setAudienceChunk'>;
  readAudience: ReadAudience;
  stopSignals: StopSignals;
}) {
  const { store, readAudience, stopSignals } = deps;

  return async ({ broadcast }: StoredBroadcast, lease: SendLease): Promise<Resolved> => {
    const { id, audience, admin } = broadcast;
    let unwritten: number[] = [];
    let chunks = 0;
    const checkStop = stopSignals.throttled(broadcast, lease);
    for await (const users of readAudience(audience, admin)) {
      const stop = await checkStop();
      if (stop) return stop;
      if (!lease.isHeld()) return { kind: 'lost' };
      unwritten.push(...users);
      while (unwritten.length >= CHUNK_SIZE) {
        await store.setAudienceChunk(id, chunks, unwritten.slice(0, CHUNK_SIZE));
        unwritten = unwritten.slice(CHUNK_SIZE);
        chunks += 1;
      }
    }
    if (unwritten.length > 0) await store.setAudienceChunk(id, chunks, unwritten);
    return { kind: 'resolved', total: chunks * CHUNK_SIZE + unwritten.length };
  };
}
