import type { Feed } from './updates.ts';

/** Link that one user sent to another by a Telegram share link, outside of their chats with the bot. */
interface Share {
  readonly id: number;
  /** User id of the sender. */
  readonly from: number;
  readonly url: string;
  readonly text: string;
}

export interface Shares {
  /** Returns the links shared with this user, oldest first. */
  listFor(person: number): readonly Share[];
  add(person: number, shared: Omit<Share, 'id'>): Share;
  /** Returns whether the link existed. */
  remove(person: number, id: number): boolean;
  reset(): void;
}

/** Creates the store of shared links. https://core.telegram.org/api/links#share-links */
export function createShares({ feed }: { feed: Feed }): Shares {
  const shares = new Map<number, Share[]>();
  let last = 0;
  const set = (person: number, now: Share[]) => {
    shares.set(person, now);
    feed.publish(person, 'share', now);
  };
  const sharesOf = (person: number) => shares.get(person) ?? [];
  return {
    listFor: sharesOf,
    add(person, shared) {
      last += 1;
      const share = { id: last, ...shared };
      set(person, [...sharesOf(person), share]);
      return share;
    },
    remove(person, id) {
      const remaining = sharesOf(person).filter((share) => share.id !== id);
      const existed = remaining.length < sharesOf(person).length;
      if (existed) set(person, remaining);
      return existed;
    },
    reset: () => shares.clear(),
  };
}
