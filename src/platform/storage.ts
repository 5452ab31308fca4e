import { DAY_MS, MINUTE_MS } from './clock.ts';

/** TTL of a record in milliseconds. For clean-up only: no permission depends on it. */
export interface Lifetime {
  ttlMs?: number;
}

export interface KeptLifetime {
  ttlMs: 'kept';
}

/** Change of other data that takes effect in the same step as a write. */
export type Change = Increment | Overwrite;

/** Change of a counter, a whole number. */
export interface Increment {
  /** Key of the counters, which are created if nothing is stored. */
  key: string;
  /** Name of the counter under the key. */
  counter: string;
  by: number;
  /** TTL of all counters under the key, which restarts. */
  ttlMs: number;
}

/** Change of a part of a text. A shorter text is first extended with NUL characters. */
export interface Overwrite {
  key: string;
  /** Position of the first changed character, from 0. */
  at: number;
  /** ASCII characters. */
  text: string;
}

/**
 * Storage of data that must outlive the process. Values are strings; each module writes and parses its own records.
 *
 * Every method is atomic and safe to repeat after a lost connection, and adapters repeat calls. If the store can't be
 * reached, methods reject with {@link StorageUnavailable}.
 *
 * Keys that must change together have the same hash tag, `{…}`, so that they share a slot of a Redis Cluster.
 */
export interface Storage {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, lifetime?: Lifetime): Promise<void>;
  /**
   * Writes only if nothing is stored. Returns whether the value was written, or the same value was already stored. So
   * competing callers must add different values. Applies the changes in the same step, only if this call wrote the value.
   */
  add(key: string, value: string, lifetime?: Lifetime, changes?: readonly Change[]): Promise<boolean>;
  /**
   * Writes only if `expected` is still stored. Returns whether the value was written, or the same value was already
   * stored. So competing callers must write different values. Applies the changes in the same step, only if this call
   * wrote the value. A change that can't be applied doesn't prevent the write.
   */
  replace(
    key: string,
    expected: string,
    value: string,
    lifetime?: Lifetime | KeptLifetime,
    changes?: readonly Change[],
  ): Promise<boolean>;
  /**
   * Replaces like `replace` and, only if that succeeds, adds `beside` like `add`, in one atomic step. Returns whether
   * each of them succeeded. Both keys must have the same hash tag.
   */
  replaceAndAdd(
    key: string,
    expected: string,
    written: { value: string } & Lifetime,
    beside: { key: string; value: string } & Lifetime,
  ): Promise<{ replaced: boolean; added: boolean }>;
  /**
   * Shortens the TTL of a value that would expire more than `ttlMs` from now, if it is still `expected`. For values that
   * block others: a clock that is set back would lengthen their TTL by as much.
   */
  limitTtl(key: string, expected: string, ttlMs: number): Promise<void>;
  /** Returns the counters under a key by name; none if nothing is stored. */
  counters(key: string): Promise<Readonly<Record<string, number>>>;
  /**
   * Returns a number from 1 that no other caller gets: one more than the last one. If a response is lost, its number
   * isn't returned again.
   */
  nextNumber(key: string): Promise<number>;
  /**
   * Deletes a value, an index or counters. With `expected`, deletes only this value. Applies the changes in the same step,
   * only if this call deleted something.
   */
  delete(key: string, expected?: string, changes?: readonly Change[]): Promise<void>;
  /**
   * Returns about {@link KEYS_PAGE} of all keys, including indexes and counters, in no order, and the cursor of the next
   * page unless this is the last one. A key may be in two pages. Keys that are added or removed meanwhile may be missing or
   * included.
   */
  keysPage(cursor?: string): Promise<{ keys: string[]; next?: string | undefined }>;
  /**
   * Returns the keys with this hash tag without going through all keys: of the keys `kind:{tag}`, those of the given kinds,
   * and all others that are written with a TTL above {@link UNLISTED_MS} or none. The write of such a key adds it to a list
   * of its hash tag in the same step. Removes keys that have expired from that list. Returns `undefined` after removing a
   * list of another type, which only write access from outside can have stored.
   *
   * @example
   * await storage.listed('501', ['link']); // ['link:{501}', 'operation:{501}:7Q2K'], and never 'link:{5010}'
   */
  listed(tag: string, kinds: readonly string[]): Promise<string[] | undefined>;
  /**
   * Adds existing keys of one hash tag to its list, whatever their form, except those that expire within
   * {@link UNLISTED_MS}. Returns the keys that weren't in it.
   */
  addToList(tag: string, keys: readonly string[]): Promise<string[]>;
  /**
   * Returns whether `value` is still stored and will survive a failover: if the store has replicas, one of them has
   * acknowledged the value. In that case its TTL restarts.
   */
  secure(key: string, value: string, lifetime?: Lifetime): Promise<boolean>;
  readonly index: StorageIndex;
  readonly chats: ChatTransactions;
  /**
   * Checks whether the store was restarted or rolled back since this process's last check, and begins a new epoch if so.
   * Call at the start, before each claim and every two seconds. `isExpected`: the store has earlier data, so it counts as
   * lost if no history is stored.
   */
  continuity(options?: { isExpected?: boolean }): Promise<Continuity>;
  /**
   * Returns epoch milliseconds by the store's clock, which all replicas share. Uses the local clock until the first
   * check.
   */
  now(): number;
  /** Returns whether written data would survive a crash of the store. Operations depend on it. */
  durability(): Promise<Durability>;
  /**
   * Returns name and version of the store, for the log. Rejects with {@link StorageUnfit} if the bot doesn't support the
   * store or lacks permissions, and with {@link StorageUnavailable} if it can't reach the store within `patienceMs` (about
   * two seconds by default). With `patienceMs`, waits as long as the store is loading its data, unless it makes no progress
   * for that time.
   */
  check(options?: { patienceMs?: number }): Promise<string>;
  /**
   * Returns the condition of the store; `undefined` if all data is in memory only. Rejects while the store is loading its
   * data.
   */
  inspect(): Promise<StoreCondition | undefined>;
  /**
   * Rejects with {@link StorageUnavailable} if the store can't be reached or refuses writes, with its own message, and with
   * {@link StorageUnfit} if it has refused a command, and would still do so. Changes nothing.
   */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Age up to which a loss of data outlasts a restart, in milliseconds: an epoch that begins this soon after is `lost` too,
 * because more may be lost.
 */
export const LOSS_LASTS_MS = 5 * MINUTE_MS;

/** State of the history of the store's data. */
export interface Continuity {
  /**
   * Id of an unbroken history. Changes when the store was restarted, failed over, emptied or rolled back. Empty if the
   * store can't tell; no claim can be committed then.
   */
  epoch: string;
  /**
   * Why the epoch began:
   *
   * - `new`: the store was empty.
   * - `restarted`: a restart or failover. A process that kept running found the data as recent as it had seen it.
   * - `unproved`: a restart or failover, and no process has kept running.
   * - `lost`: a process found the data older than it had seen it, less than {@link LOSS_LASTS_MS} before the epoch began.
   *
   * `unreadable`: there is no epoch, because the server doesn't report its run id and replication id.
   */
  cause: 'new' | 'restarted' | 'unproved' | 'lost' | 'unreadable';
  /** Time since the start of the epoch. */
  ageMs: number;
}

/** Whether a call also moves members that are in the index already: not at all, or only to an earlier time. */
export type ScheduleRule = 'if-missing' | 'no-later-than';

/** Sorted sets of members with scores, usually times in epoch milliseconds. */
export interface StorageIndex {
  /** Adds or moves a member. With a lifetime, the whole index expires that long after the last such call. */
  put(index: string, member: string, score: number, lifetime?: Lifetime): Promise<void>;
  remove(index: string, ...members: string[]): Promise<void>;
  /** Returns the members with a score of at most `max`, lowest first. */
  upTo(index: string, max: number, limit: number): Promise<string[]>;
  /** Returns the members with a score above `min`, lowest first. */
  above(index: string, min: number, limit: number): Promise<string[]>;
  /** Returns the members with the highest scores, highest first. */
  last(index: string, limit: number): Promise<string[]>;
  /** Returns the members ordered before this one, highest first; none if this one isn't in the index. */
  before(index: string, member: string, limit: number): Promise<string[]>;
  /** Works like `put`, with the time `inMs` from now as the score, by the store's clock. */
  scheduleIn(index: string, member: string, inMs: number, lifetime?: Lifetime): Promise<void>;
  /**
   * Works like `scheduleIn` and removes the member from other indexes in one step. Returns whether the member was in this
   * index before; a repeated call returns true.
   */
  move(index: string, from: readonly string[], member: string, inMs: number): Promise<boolean>;
  /**
   * Works like `move`, but does nothing if the member is in this index and its time hasn't come. Returns whether the member
   * was moved; a repeated call returns false.
   */
  lease(index: string, from: readonly string[], member: string, inMs: number): Promise<boolean>;
  /**
   * Works like `scheduleIn` for each of the members, in one step. `if-missing` only adds: a member that is in the index
   * keeps its time. `no-later-than` never postpones a member.
   */
  scheduleAll(
    index: string,
    rule: ScheduleRule,
    times: readonly (readonly [member: string, inMs: number])[],
  ): Promise<void>;
  /**
   * Returns the members whose time has come by the store's clock, longest due first. First makes up to `limit` members
   * due that are scheduled more than `longestMs` from now: the clock was set back since.
   */
  due(index: string, limit: number, longestMs: number): Promise<string[]>;
  /** Works like `due` and schedules each returned member `inMs` from now, in one step: only one caller gets it. */
  takeDue(index: string, limit: number, times: { inMs: number; longestMs: number }): Promise<string[]>;
  /**
   * Works like `lease` for at most `limit` due members of the indexes `from`, in one step: only one caller gets each. A
   * member of this index whose time has come is due, too.
   *
   * The first members are chosen from the first indexes, the last `reserved` ones from the last indexes and then from this
   * one. Returns each member with the position in `from` of the first index in which it was due; the number of indexes if
   * it was due in this one only.
   */
  leaseDue(
    index: string,
    from: readonly { index: string; longestMs: number }[],
    pace: { limit: number; reserved: number; inMs: number },
  ): Promise<(readonly [member: string, from: number])[]>;
  /**
   * Returns in how many milliseconds the first member comes due by the store's clock; negative if its time has passed,
   * `undefined` without members.
   */
  firstDueInMs(index: string): Promise<number | undefined>;
  /** Returns the number of members. */
  size(index: string): Promise<number>;
}

/** Condition of a Redis server, as it reports it. */
export interface StoreCondition {
  version: string;
  role: 'primary' | 'replica';
  /** Seconds since the last acknowledgement of each connected replica. */
  replicaLagsS: readonly number[];
  hasAppendOnlyFile: boolean;
  fsyncPolicy: FsyncPolicy;
  evictionPolicy: string;
  /** Names of the last writes to disk that failed: `aof_last_write_status`, `rdb_last_bgsave_status`. */
  failedDiskWrites: readonly string[];
  /** Difference of its clock from this process's. Negative if its clock is behind. */
  clockAheadMs: number;
  usedBytes: number;
  /**
   * `maxmemory`. Without it, half of the memory of its machine, because a rewrite of the append-only file may need as much
   * as the data.
   */
  maxBytes: number;
}

/** Redis's `appendfsync`; `unknown` if the store doesn't report it. Only `always` loses nothing in a power failure. */
export type FsyncPolicy = 'always' | 'everysec' | 'no' | 'unknown';

export type Durability = { durable: true } | { durable: false; why: string };

/**
 * Transactions of chats. An update leases its chat with a fencing token. Starting and committing an update take one
 * round trip each.
 */
export interface ChatTransactions {
  /**
   * Leases `chat` for `leaseMs`, which is the same for all callers: a present lease never lasts longer from now on, not
   * even if the clock is set back. The same token is granted again; each delivery has its own token. `attempt` counts the
   * starts of this update, from 1, even if up to 8 other updates fail in between. Recognizes the last {@link KNOWN}
   * handled updates.
   */
  begin(request: { chat: number; update: number; token: string; leaseMs: number }): Promise<Begun>;
  /**
   * Writes the changes if `token` still holds the lease, marks the update as handled and releases the chat. An expired
   * lease stays valid until another one is granted. A repeated call after a lost response returns the same result.
   */
  commit(request: { chat: number; update: number; token: string; changes: ChatChanges }): Promise<Committed>;
  /**
   * Releases the chat without marking the update as handled, so that the update can be retried. Counts this attempt
   * unless `counted` is false.
   */
  release(request: { chat: number; token: string; counted?: boolean }): Promise<void>;
  /** Returns whether this update is the last one handled in its chat and no other has begun since. */
  isLatest(request: { chat: number; update: number }): Promise<boolean>;
  /** Returns the stored conversation of a chat without a lease, so an update may be changing it. */
  readConversation(chat: number): Promise<string | undefined>;
}

export type Begun =
  | { kind: 'granted'; attempt: number; session: string | undefined; conversation: string | undefined }
  | { kind: 'handled' }
  | { kind: 'busy'; retryAfterMs: number };

/** Changes of a chat. `null` removes a value, `undefined` keeps it. */
export interface ChatChanges {
  session?: string | null;
  /** Expires thirty days after the last write, when users have forgotten the question. */
  conversation?: string | null;
  /**
   * Record with the hash tag `{chat}` that must still be `expected`; otherwise nothing is written. The new record gets
   * the TTL given here, or none. With an `epoch`, nothing is written unless the store's data is of this epoch
   * ({@link Continuity}) and at least as recent as this process has seen it.
   */
  claim?: { key: string; expected: string; value: string; epoch?: string } & Lifetime;
}

/**
 * Result of a commit. `lost`: nothing was written, because the lease was released or granted to another token.
 * `conflict`: nothing was written, because the claim's record or epoch didn't match. The lease is then still held, so a
 * commit without the claim is possible.
 */
export type Committed = 'committed' | 'lost' | 'conflict';

/**
 * Numbers of updates and tokens remembered per chat. With Redis's overhead they just fit allocations of 256 and 64
 * bytes. After a week without updates, Telegram continues with a random id. It equals a remembered one of its chat, and the
 * update is then dropped, in 60 of 10⁹ cases.
 */
export const KNOWN = { handled: 60, committed: 15 } as const;

/** TTL of a chat without a session, in milliseconds. Longer than any update is redelivered. */
export const EMPTY_CHAT_TTL_MS = 2 * DAY_MS;

/** Yields all keys, page by page. Keys that are added or removed meanwhile may be missing or included, or come twice. */
export async function* allKeys(storage: Pick<Storage, 'keysPage'>): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const page = await storage.keysPage(cursor);
    yield* page.keys;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * Returns the hash tag of a key: the text between its first braces
 * (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags).
 */
export function tagOf(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
}

/** Key of the list of keys with a hash tag. */
export const listKeyOf = (tag: string): string => `keys-of-user:{${tag}}`;

/** TTL up to which a key isn't listed, in milliseconds, because it soon expires by itself. */
export const UNLISTED_MS = MINUTE_MS;

/** Number of keys that one step of a scan looks at. */
export const KEYS_PAGE = 1_000;

const SINGLE_KEY = /^[^:{}]+:\{[^{}]+\}$/;

/** Returns whether a key, or a pattern of keys, consists of its kind and its hash tag only: `link:{501}`. */
export function isSingleKey(key: string): boolean {
  return SINGLE_KEY.test(key);
}

/** Returns the name of a key in the list of its hash tag. */
export function listNameOf(key: string, tag: string): string {
  return key.replace(`{${tag}}`, '{}');
}

/** Returns the key of a name in the list of a hash tag. `undefined` if the key would have another hash tag. */
export function keyOfListedName(tag: string, name: string): string | undefined {
  const key = name.replace('{}', () => `{${tag}}`);
  return tagOf(key) === tag ? key : undefined;
}

export const CONVERSATION_TTL_MS = 30 * DAY_MS;

/** Permissions that the bot's user lacks at the store. */
export interface LackingPermissions {
  commands: readonly string[];
  /** Whether the user may not use all keys. */
  keys: boolean;
}

/** Commands of the bot that a server doesn't know, for example because its configuration renames them. */
export interface UnknownCommands {
  unknown: readonly string[];
}

/** Why the bot can't use a store: its kind, the number of the database, its commands, or the permissions of the bot's user. */
export type Unfitness =
  | 'cluster'
  | 'sentinel'
  | 'replica'
  | 'database'
  | UnknownCommands
  | LackingPermissions;

/** Error for a store that the bot can't use. */
export class StorageUnfit extends Error {
  override readonly name = 'StorageUnfit';
  readonly why: Unfitness;

  constructor(why: Unfitness) {
    super(typeof why === 'string' ? why : 'commands');
    this.why = why;
  }
}

/** Error for a store that can't be reached or refuses a call. The message is that of the store or of the connection. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
