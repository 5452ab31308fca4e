export type Update = { update_id: number } & Record<string, unknown>;

export interface QueuedUpdate {
  readonly update: Update;
  /** Epoch milliseconds after which it isn't delivered any more. */
  readonly expiresAt: number;
  /** It was handed out to `getUpdates`, and can be confirmed by the next one. */
  taken: boolean;
  /** Its id was chosen by who queued it, and may lie below those that were confirmed already. */
  readonly replayed: boolean;
}

export interface Updates {
  /** Queues what happened; its id, or undefined where the bot didn't ask for this kind. */
  add(kind: string, payload: unknown): number | undefined;
  /** Queues an update as it is, given an id if it has none. */
  addRaw(update: Record<string, unknown>): number;
  /** Those that wait, in order, and no more than `limit`. */
  waiting(limit?: number): QueuedUpdate[];
  remove(queued: QueuedUpdate): void;
  /** Forgets what a `getUpdates` with this offset confirms. A negative one keeps that many from the end. */
  confirm(offset: number): void;
  clear(): void;
  /** The kinds that the bot asks for; none for Telegram's default. */
  allow(kinds: readonly string[]): void;
  allowed(): readonly string[];
  onAdded(listener: () => void): () => void;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const CALLBACK_QUERY_MS = 150_000;
/** Sent only when asked for by name. */
const NOT_BY_DEFAULT = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** What the bot hasn't received yet: messages are kept for a day, callback queries for 150 seconds. */
export function createUpdates({ now, firstId }: { now: () => number; firstId: number }): Updates {
  const listeners = new Set<() => void>();
  let queue: QueuedUpdate[] = [];
  let nextId = firstId;
  let allowed: readonly string[] = [];
  // Ten thousand may wait, for a hundred polls: none of these looks at them all.
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
