import type { Feed } from './updates.ts';

/** Link that one user sent to another by a Telegram share link, outside of their chats with the bot. */
export interface Share {
  readonly id: number;
  /** User id of the sender. */
  readonly from: number;
  readonly url: string;
  readonly text: string;
}

export interface Shares {
  /** Returns the links shared with this user, oldest first. */
  with(person: number): readonly Share[];
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
    feed.tell(person, 'share', now);
  };
  const those = (person: number) => shares.get(person) ?? [];
  return {
    with: those,
    add(person, shared) {
      last += 1;
      const share = { id: last, ...shared };
      set(person, [...those(person), share]);
      return share;
    },
    remove(person, id) {
      const left = those(person).filter((share) => share.id !== id);
      const isThere = left.length < those(person).length;
      if (isThere) set(person, left);
      return isThere;
    },
    reset: () => shares.clear(),
  };
}
