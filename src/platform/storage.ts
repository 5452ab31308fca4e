/** When a record goes by itself, in milliseconds from now. Clean-up only: nobody's rights depend on it. */
export interface Lifetime {
  ttlMs?: number;
}

/** As long as what is replaced would have stayed. */
export interface KeptLifetime {
  ttlMs: 'kept';
}

/**
 * What must outlive the process. Values are strings; each room writes and parses its own records.
 *
 * Every method is atomic by itself and safe to repeat after a lost connection: adapters do so.
 * When the store can't be reached they reject with {@link StorageUnavailable}.
 *
 * Keys that must change together carry one hash tag, `{…}`, so that they share a slot of a Redis Cluster.
 */
export interface Storage {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, lifetime?: Lifetime): Promise<void>;
  /**
   * Writes only where nothing is; answers whether it did (or, repeated, whether the value is this one).
   * So those who compete for a key add values that differ.
   */
  add(key: string, value: string, lifetime?: Lifetime): Promise<boolean>;
  /**
   * Writes only where `expected` still is; answers whether it did (or, repeated, whether the value is this one).
   * So those who compete write values that differ.
   */
  replace(key: string, expected: string, value: string, lifetime?: Lifetime | KeptLifetime): Promise<boolean>;
  /**
   * Replaces as `replace` does and, only where that took place, adds `beside` as `add` does: in one step. Answers
   * whether each took place. Both keys carry one hash tag.
   */
  replaceAndAdd(
    key: string,
    expected: string,
    written: { value: string } & Lifetime,
    beside: { key: string; value: string } & Lifetime,
  ): Promise<{ replaced: boolean; added: boolean }>;
  /** With `expected`, only where that still is; without, an index too. */
  delete(key: string, expected?: string): Promise<void>;
  /** The keys that begin with `prefix`, of indexes too; one that comes or goes meanwhile may be among them. */
  keys(prefix: string): Promise<string[]>;
  /**
   * The keys that carry this hash tag, of indexes too; one that comes or goes meanwhile may be among them.
   *
   * @example
   * await storage.tagged('501'); // ['link:{501}', 'operation:{501}:7Q2K'], and never 'link:{5010}'
   */
  tagged(tag: string): Promise<string[]>;
  /**
   * Answers whether `value` is still there, and will be after a failover: where the store has replicas, one of them has
   * acknowledged it. Its lifetime begins anew.
   */
  secure(key: string, value: string, lifetime?: Lifetime): Promise<boolean>;
  readonly index: StorageIndex;
  readonly chats: ChatTransactions;
  /**
   * Checks whether the store was restarted or rolled back since this process last checked, and vouches for its data if it
   * lost none of the claims that this process saw. Called at the start, before each claim and every two seconds.
   */
  continuity(): Promise<Continuity>;
  /** Epoch milliseconds by the store's clock, which all replicas share. By this machine's until the first check. */
  now(): number;
  /** Whether what is written here would survive a crash of the store: the money rules ask. */
  durability(): Promise<Durability>;
  /** Returns when the store writes to disk: decides what a power loss costs. */
  fsyncPolicy(): Promise<FsyncPolicy>;
  /**
   * Rejects with {@link StorageUnfit} where the store isn't of a kind that this works on, or refuses what the bot needs;
   * waits for it for a while.
   */
  check(): Promise<void>;
  /** How many replicas follow the store just now. */
  replicas(): Promise<number>;
  /** Rejects when the store can't be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The history of the store's data, by its counter of claims and its run id. */
export interface Continuity {
  /** Names an unbroken history: it changes when claims are missing, or when a restart had no surviving process. */
  epoch: string;
  /** Run id of the server: it changes at each restart and failover. */
  run: string;
  /** False after a restart until a process that lived through it has vouched, or five seconds have passed. */
  isProved: boolean;
  /**
   * Why the epoch began: the store was empty, no process lived through a restart, or claims that a process had seen were
   * missing.
   */
  cause: 'new' | 'unproved' | 'lost';
  /** Time since the epoch began. */
  ageMs: number;
}

/** Sets of names ordered by a number (a time in epoch milliseconds, mostly). */
export interface StorageIndex {
  /** With a lifetime the whole index goes that long after the last such call. */
  put(index: string, member: string, score: number, lifetime?: Lifetime): Promise<void>;
  remove(index: string, ...members: string[]): Promise<void>;
  /** The members with a score of at most `max`, lowest first. */
  upTo(index: string, max: number, limit: number): Promise<string[]>;
  /** The members with a score above `min`, lowest first. */
  above(index: string, min: number, limit: number): Promise<string[]>;
  /** The members with the highest scores, highest first. */
  last(index: string, limit: number): Promise<string[]>;
  /** The members with scores below this one's, highest first; none where it isn't there. */
  before(index: string, member: string, limit: number): Promise<string[]>;
  /** The same as `put`, with the time `inMs` from now as the score: by the store's clock, which all replicas share. */
  putIn(index: string, member: string, inMs: number, lifetime?: Lifetime): Promise<void>;
  /** The same, taken out of others in one step. Answers whether it was in this one before (or, repeated, is since). */
  moveIn(index: string, from: readonly [string, string?], member: string, inMs: number): Promise<boolean>;
  /** As `putIn` for one that isn't there yet, or whose time would come later: never puts off. */
  putWithin(index: string, member: string, inMs: number): Promise<void>;
  /** The members whose time has come by the store's clock, longest due first. */
  due(index: string, limit: number): Promise<string[]>;
  /** For how long the one that is due the longest has been, in milliseconds by the store's clock; `undefined` where none is due. */
  overdueMs(index: string): Promise<number | undefined>;
}

/** Redis' `appendfsync`; `unknown` if the store doesn't tell. Only `always` survives a power loss whole. */
export type FsyncPolicy = 'always' | 'everysec' | 'no' | 'unknown';

export type Durability = { durable: true } | { durable: false; why: string };

/** An update is a transaction of its chat: a lease with a fencing token, begun and committed in one round trip each. */
export interface ChatTransactions {
  /**
   * Takes the lease of `chat` for `leaseMs`. The same token is granted again; each delivery brings one of its own.
   * `attempt` counts how often this update was begun, from 1, also when up to 8 other updates fail in between.
   * The last {@link KNOWN} updates are known as handled.
   */
  begin(request: { chat: number; update: number; token: string; leaseMs: number }): Promise<Begun>;
  /**
   * Writes what changed if `token` still holds the lease, marks the update handled, and frees the chat. A lease that
   * has ended is still held until another is granted. Repeated after a lost answer, it answers the same.
   */
  commit(request: { chat: number; update: number; token: string; changes: ChatChanges }): Promise<Committed>;
  /**
   * Frees the chat without marking the update handled, so that it can be tried again. This attempt is counted unless
   * `counted` is false.
   */
  release(request: { chat: number; token: string; counted?: boolean }): Promise<void>;
}

export type Begun =
  | { kind: 'granted'; attempt: number; session: string | undefined; conversation: string | undefined }
  | { kind: 'handled' }
  | { kind: 'busy'; retryAfterMs: number };

/** `null` removes, `undefined` leaves as it is. */
export interface ChatChanges {
  session?: string | null;
  /** Goes thirty days after it was last written: nobody remembers then what was asked. */
  conversation?: string | null;
  /**
   * A record of the same hash tag `{chat}` that must still be `expected` for anything here to be written. Written, it
   * has the lifetime that is given here, and none of before. With an `epoch` it is counted, and nothing is written unless
   * the store's data is of this epoch ({@link Continuity}).
   */
  claim?: { key: string; expected: string; value: string; epoch?: string } & Lifetime;
}

/**
 * Nothing was written with `lost`, as the lease is somebody else's by now or was released; nor with `conflict`, as the
 * claim's record wasn't as expected: then the lease is still held, and a commit without the claim is possible.
 */
export type Committed = 'committed' | 'lost' | 'conflict';

/** How many updates and tokens of a chat are known. With what Redis adds, they just fit 256 and 64 bytes of its allocator. */
export const KNOWN = { handled: 60, committed: 15 } as const;

/** In milliseconds: what a chat with nothing in its session is known by is kept for longer than anything is delivered again. */
export const EMPTY_CHAT_KEPT_MS = 2 * 24 * 3600_000;

/** The hash tag of a key: what stands between its first braces (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags). */
export function tagOf(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
}

/** In milliseconds: how long an open conversation is kept. */
export const CONVERSATION_KEPT_MS = 30 * 24 * 3600_000;

/** The store isn't of a kind that this works on: its message names the setting, and what is expected there. */
export class StorageUnfit extends Error {
  override readonly name = 'StorageUnfit';
}

/** The store can't be reached. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
