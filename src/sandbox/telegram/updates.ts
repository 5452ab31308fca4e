export type Update = { update_id: number } & Record<string, unknown>;

export interface QueuedUpdate {
  readonly update: Update;
  /** Time at which the update is dropped, in epoch milliseconds. */
  readonly expiresAt: number;
  /** Whether `getUpdates` has returned the update. */
  taken: boolean;
  /** Whether the caller chose the id. It may be lower than ids that are already confirmed. */
  readonly replayed: boolean;
}

export interface Updates {
  /** Queues an update. Returns its id, or undefined if the bot doesn't receive this kind. */
  add(kind: string, payload: unknown): number | undefined;
  /** Queues a complete update and returns its id. Adds an id if it is missing. */
  addRaw(update: Record<string, unknown>): number;
  /** Returns at most `limit` waiting updates in order. */
  waiting(limit?: number): QueuedUpdate[];
  remove(queued: QueuedUpdate): void;
  /** Removes the updates that a `getUpdates` with this offset confirms. A negative offset keeps that many from the end. */
  confirm(offset: number): void;
  clear(): void;
  /** Sets the kinds that the bot receives. An empty list means Telegram's default. */
  allow(kinds: readonly string[]): void;
  allowed(): readonly string[];
  onAdded(listener: () => void): () => void;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const CALLBACK_QUERY_MS = 150_000;
/** Kinds that are delivered only if the bot lists them. */
const NOT_BY_DEFAULT = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** Creates the queue of undelivered updates. Callback queries expire after 150 seconds, other updates after a day. */
export function createUpdates({ now, firstId }: { now: () => number; firstId: number }): Updates {
  const listeners = new Set<() => void>();
  let queue: QueuedUpdate[] = [];
  let nextId = firstId;
  let allowed: readonly string[] = [];
  // Polls don't scan the whole queue, because thousands of updates may wait for a hundred polls.
  let firstExpiry = Number.POSITIVE_INFINITY;
  let inOrder = true;

  const push = (update: Update, replayed: boolean): number => {
    const lifetime = 'callback_query' in update ? CALLBACK_QUERY_MS : DAY_MS;
    const expiresAt = now() + lifetime;
    queue.push({ update, replayed, taken: false, expiresAt });
    firstExpiry = Math.min(firstExpiry, expiresAt);
    inOrder &&= !replayed;
    nextId = Math.max(nextId, update.update_id + 1);
    for (const listener of [...listeners]) listener();
    return update.update_id;
  };

  return {
    add(kind, payload) {
      const wanted = allowed.length > 0 ? allowed.includes(kind) : !NOT_BY_DEFAULT.includes(kind);
      return wanted ? push({ update_id: nextId, [kind]: payload }, false) : undefined;
    },
    addRaw(update) {
      const given = update.update_id;
      const replayed = typeof given === 'number';
      return push({ ...update, update_id: replayed ? given : nextId }, replayed);
    },
    waiting(limit = queue.length) {
      const at = now();
      if (firstExpiry <= at) {
        queue = queue.filter(({ expiresAt }) => expiresAt > at);
        firstExpiry = queue.reduce(
          (first, { expiresAt }) => Math.min(first, expiresAt),
          Number.POSITIVE_INFINITY,
        );
      }
      return queue.slice(0, limit);
    },
    remove(queued) {
      queue = queue.filter((other) => other !== queued);
    },
    confirm(offset) {
      if (offset < 0) queue = queue.slice(offset);
      else if (inOrder) {
        const left = queue.findIndex(({ update }) => update.update_id >= offset);
        queue = left === -1 ? [] : queue.slice(left);
      } else {
        queue = queue.filter(
          ({ update, taken, replayed }) => update.update_id >= offset || (replayed && !taken),
        );
      }
    },
    clear() {
      queue = [];
      inOrder = true;
    },
    allow(kinds) {
      allowed = kinds;
    },
    allowed: () => allowed,
    onAdded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
