import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import {
  connectRedis,
  isLoading,
  isRefusal,
  type RedisConnection,
  type RedisOptions,
  refusedCommands,
} from './redis-connection.ts';
import { CONTINUITY, createRedisContinuity } from './redis-continuity.ts';
import {
  type Change,
  type Durability,
  type FsyncPolicy,
  isSingleKey,
  KEYS_PAGE,
  keyOfListedName,
  type Lifetime,
  listKeyOf,
  listNameOf,
  type Storage,
  StorageUnavailable,
  StorageUnfit,
  type StoreCondition,
  tagOf,
  UNLISTED_MS,
} from './storage.ts';

function keyOf(chat: number): string {
  return `chat:{${chat}}`;
}

function conversationOf(chat: number): string {
  return `conversation:{${chat}}`;
}

function changeOf(value: string | null | undefined): string {
  if (value === undefined) return '';
  return value === null ? '-' : `=${value}`;
}

/**
 * Creates a reader of values by key. Reads of the same tick share one command, because round trips are the main cost.
 */
function createReads({ call }: RedisConnection): (key: string) => Promise<string | undefined> {
  let open: { positions: Map<string, number>; values: Promise<(string | null)[]> } | undefined;

  function openBatch() {
    /** Position of each key in the command. */
    const positions = new Map<string, number>();
    const values = Promise.resolve().then(() => {
      open = undefined;
      return call((redis) => redis.mget([...positions.keys()]));
    });
    return { positions, values };
  }

  return async (key) => {
    open ??= openBatch();
    const { positions, values } = open;
    const at = positions.get(key) ?? positions.size;
    positions.set(key, at);
    return (await values)[at] ?? undefined;
  };
}

/**
 * Maximum wait for a replica's acknowledgement, in milliseconds. Above the lag of a healthy replica, and below the time
 * after which a silent connection is closed.
 */
const ACKNOWLEDGED_WITHIN_MS = 500;

/**
 * Creates a writer of values that survive a failover. It writes a value again and waits for a replica's
 * acknowledgement. Replicas apply writes in order, so a replica that has this one has all earlier ones. One replica is
 * enough, because the most advanced one becomes the new master. Uses its own connection, because WAIT blocks all other
 * commands on it.
 */
function createSecuring(main: RedisConnection, options: RedisOptions) {
  let own: RedisConnection | undefined;
  return {
    async secure(key: string, value: string, ttlMs: number): Promise<boolean> {
      const [replicas, found] = await main.call((redis) => redis.storageValueAndReplicas(key));
      if (replicas === '0') return found === value;
      own ??= connectRedis(options);
      // In one pipeline: otherwise a failover in between would send WAIT to the new master without the write.
      return own.call(async (redis) => {
        const [stands, replicas] = await Promise.all([
          redis.storageReplace(1, key, value, value, ttlMs),
          redis.wait(1, ACKNOWLEDGED_WITHIN_MS),
        ]);
        return stands === 1 && replicas > 0;
      });
    },
    close: async () => own?.close(),
  };
}

/** Parses a response to INFO (https://redis.io/docs/latest/commands/info/). */
function parseInfo(info: string): ReadonlyMap<string, string> {
  return new Map([...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** Returns name and version of a server by its INFO. @throws {StorageUnfit} if the bot can't use the server. */
function describeServer(info: string, lastFailure = ''): string {
  const fields = parseInfo(info);
  if (fields.get('cluster_enabled') === '1') throw new StorageUnfit('cluster');
  if (fields.get('redis_mode') === 'sentinel') throw new StorageUnfit('sentinel');
  if (fields.get('role') === 'slave') throw new StorageUnfit('replica');
  // The connection continues with database 0.
  if (lastFailure.startsWith('ERR DB index')) throw new StorageUnfit('database');
  const valkey = fields.get('valkey_version');
  return valkey ? `Valkey ${valkey}` : `Redis ${fields.get('redis_version')}`;
}

/**
 * Creates storage on a Redis or Valkey server, 6.2 or later. Connects at once and reconnects by itself. Without a
 * connection, methods reject after about two seconds.
 */
export function createRedisStorage(given: RedisOptions): Storage {
  /** Whether Redis has refused a command since all commands were checked. */
  let isCommandRefused = false;
  const options: RedisOptions = {
    ...given,
    onCommandRefused() {
      isCommandRefused = true;
    },
  };
  const connection = connectRedis(options);
  const { call } = connection;
  const continuity = createRedisContinuity(connection);
  const securing = createSecuring(connection, options);

  /** Returns name and version of the server. @throws {StorageUnfit} if it refuses commands, or the bot can't use it. */
  async function checkServer(): Promise<string> {
    const refused = await call(() => refusedCommands(options.url));
    isCommandRefused = refused !== undefined;
    // INFO may be refused too.
    if (refused && 'commands' in refused) throw new StorageUnfit(refused);
    const server = describeServer(await call((redis) => redis.info()), connection.lastFailure());
    // After its kind: a Sentinel doesn't know them either.
    if (refused) throw new StorageUnfit(refused);
    return server;
  }

  return {
    get: createReads(connection),
    async set(key, value, { ttlMs } = {}) {
      const [ttl, changes] = [whole(ttlMs), listing(key, ttlMs)];
      await call((redis): Promise<unknown> => {
        if (changes.length > 0) return redis.storageSet(...changing([key], [value, ttl], changes));
        return ttl > 0 ? redis.set(key, value, 'PX', ttl) : redis.set(key, value);
      });
    },
    async add(key, value, { ttlMs } = {}, changes = []) {
      const all = [...changes.map(commandOf), ...listing(key, ttlMs)];
      const added = await call((redis) => redis.storageAdd(...changing([key], [value, whole(ttlMs)], all)));
      return added === 1;
    },
    async replace(key, expected, value, { ttlMs } = {}, changes = []) {
      const all = [...changes.map(commandOf), ...listing(key, ttlMs)];
      const given = [expected, value, ttlMs === 'kept' ? ttlMs : whole(ttlMs)];
      return (await call((redis) => redis.storageReplace(...changing([key], given, all)))) === 1;
    },
    async counters(key) {
      const found = await call((redis) => redis.hgetall(key));
      return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, Number(value)]));
    },
    async replaceAndAdd(key, expected, written, beside) {
      const given = [expected, ...withTtl(written), ...withTtl(beside)];
      const changes = [...listing(key, written.ttlMs), ...listing(beside.key, beside.ttlMs)];
      const [replaced, added] = await call((redis) =>
        redis.storageReplaceAndAdd(...changing([key, beside.key], given, changes)),
      );
      return { replaced: replaced === 1, added: added === 1 };
    },
    async limitTtl(key, expected, ttlMs) {
      await call((redis) => redis.storageLimitTtl(key, expected, whole(ttlMs)));
    },
    nextNumber: (key) => call((redis) => redis.storageNextNumber(key)),
    async delete(key, expected, changes = []) {
      const given = [expected === undefined ? '' : `=${expected}`];
      await call((redis) =>
        expected === undefined && changes.length === 0
          ? redis.del(key)
          : redis.storageDelete(...changing([key], given, changes.map(commandOf))),
      );
    },
    async keysPage(cursor = '0') {
      const [next, keys] = await call((redis) => redis.scan(cursor, 'COUNT', KEYS_PAGE));
      return { keys, next: next === '0' ? undefined : next };
    },
    async listed(tag, kinds) {
      const list = listKeyOf(tag);
      const names = await call((redis) => redis.storageListNames(list));
      if (names === null) return undefined;
      const named = names.flatMap((name) => ({ name, key: keyOfListedName(tag, name) }));
      const single = kinds.map((kind) => ({ name: '', key: `${kind}:{${tag}}` }));
      const all = [...single, ...named].flatMap(({ name, key }) => (key === undefined ? [] : { name, key }));
      const present = await inPages(all, (page) =>
        call((redis) => redis.storageExisting(...changingList(list, page))),
      );
      return present.map(({ key }) => key);
    },
    async addToList(tag, keys) {
      const named = keys.map((key) => ({ key, name: listNameOf(key, tag) }));
      const added = await inPages(named, (page) =>
        call((redis) => redis.storageAddToList(...changingList(listKeyOf(tag), page))),
      );
      return added.map(({ key }) => key);
    },
    secure: (key, value, { ttlMs } = {}) => securing.secure(key, value, whole(ttlMs)),
    index: {
      async put(index, member, score, { ttlMs } = {}) {
        await call((redis) => redis.indexPut(index, member, score, whole(ttlMs)));
      },
      async remove(index, ...members) {
        if (members.length > 0) await call((redis) => redis.zrem(index, ...members));
      },
      upTo: (index, max, limit) =>
        call((redis) => redis.zrangebyscore(index, '-inf', max, 'LIMIT', 0, limit)),
      above: (index, min, limit) =>
        call((redis) => redis.zrangebyscore(index, `(${min}`, '+inf', 'LIMIT', 0, limit)),
      last: (index, limit) => call((redis) => redis.zrevrange(index, 0, limit - 1)),
      before: (index, member, limit) => call((redis) => redis.indexBefore(index, member, limit)),
      async scheduleIn(index, member, inMs, { ttlMs } = {}) {
        await call((redis) => redis.indexScheduleIn(index, member, inMs, whole(ttlMs)));
      },
      move: async (index, from, member, inMs) =>
        (await call((redis) => redis.indexMove(1 + from.length, index, ...from, member, inMs))) === 1,
      lease: async (index, from, member, inMs) =>
        (await call((redis) => redis.indexLease(1 + from.length, index, ...from, member, inMs))) === 1,
      async scheduleAll(index, rule, times) {
        const condition = rule === 'if-missing' ? 'NX' : 'LT';
        if (times.length > 0)
          await call((redis) => redis.indexScheduleAll(index, condition, ...times.flat()));
      },
      due: (index, limit, longestMs) => call((redis) => redis.indexDue(index, limit, longestMs)),
      takeDue: (index, limit, { inMs, longestMs }) =>
        call((redis) => redis.indexTakeDue(index, limit, longestMs, inMs)),
      async leaseDue(index, from, { limit, reserved, inMs }) {
        const keys = [index, ...from.map((one) => one.index)];
        const longest = from.map(({ longestMs }) => longestMs);
        const taken = await call((redis) =>
          redis.indexLeaseDue(keys.length, ...keys, limit, reserved, inMs, ...longest),
        );
        return Array.from({ length: taken.length / 2 }, (_, at) => [
          String(taken[2 * at]),
          Number(taken[2 * at + 1]),
        ]);
      },
      async firstDueInMs(index) {
        const ms = await call((redis) => redis.indexFirstDue(index));
        return ms === null ? undefined : Number(ms);
      },
      size: (index) => call((redis) => redis.zcard(index)),
    },
    // One hash per chat, one script per step.
    chats: {
      async begin({ chat, update, token, leaseMs }) {
        const [kind, number = 0, session, conversation, aside] = await call((redis) =>
          redis.chatBegin(keyOf(chat), conversationOf(chat), token, update, leaseMs),
        );
        if (aside) {
          const advice = 'Check who can write to Redis.';
          options.log.error({ chat, advice }, "a chat's lease can't be read and is ignored");
        }
        if (kind === 'handled') return { kind };
        if (kind === 'busy') return { kind, retryAfterMs: number };
        const stored = { session: session ?? undefined, conversation: conversation ?? undefined };
        return { kind: 'granted', attempt: number, ...stored };
      },
      async commit({ chat, update, token, changes: { session, conversation, claim } }) {
        const { key = keyOf(chat), expected = '', value = '', ttlMs, epoch } = claim ?? {};
        const bound = epoch === undefined ? keyOf(chat) : CONTINUITY.keys;
        const keys = [keyOf(chat), conversationOf(chat), key, bound] as const;
        const changes = [changeOf(session), changeOf(conversation)] as const;
        const write = claim ? [expected, value, String(whole(ttlMs))] : [];
        const history = epoch === undefined ? [] : [epoch, String(continuity.seen())];
        const kind = await call((redis) =>
          redis.chatCommit(...keys, token, update, ...changes, ...write, ...history),
        );
        return kind === 'committed' || kind === 'conflict' ? kind : 'lost';
      },
      async release({ chat, token, counted = true }) {
        await call((redis) => redis.chatRelease(keyOf(chat), token, counted ? 0 : 1));
      },
      async isLatest({ chat, update }) {
        const [lease, handled] = await call((redis) => redis.hmgetBuffer(keyOf(chat), 'lease', 'handled'));
        // The ring of handled updates (redis-scripts.ts) ends with the last one.
        const last = handled?.length ? handled.readUInt32BE(handled.length - 4) : undefined;
        return lease === null && last === update >>> 0;
      },
      async readConversation(chat) {
        return (await call((redis) => redis.get(conversationOf(chat)))) ?? undefined;
      },
    },
    durability: async () => durabilityOf(await call((redis) => redis.storageDurability())),
    continuity: continuity.check,
    now: continuity.now,
    async check({ patienceMs } = {}) {
      if (patienceMs !== undefined) await waitUntilLoaded(connection, patienceMs);
      await call((redis) => redis.ping().catch(ignoreNoPermission));
      return checkServer();
    },
    async inspect() {
      const [info, fsyncPolicy, clockAheadMs] = await Promise.all([
        call((redis) => redis.info()),
        call(readFsyncPolicy),
        call(async (redis) => {
          const [seconds] = await redis.time();
          return Number(seconds) * 1_000 - Date.now();
        }),
      ]);
      return { ...conditionOf(info), fsyncPolicy: fsyncPolicy ?? 'unknown', clockAheadMs };
    },
    async checkWritable() {
      if (isCommandRefused) await checkServer();
      // Redis refuses a write before it looks for the key, which doesn't exist.
      await call((redis) => redis.set(`write-check:${randomUUID()}`, '', 'XX'));
    },
    async close() {
      await Promise.all([connection.close(), securing.close()]);
    },
  };
}

function whole(ttlMs = 0): number {
  return Math.ceil(ttlMs);
}

/** A write command with two arguments that a script executes beside its own write, and the TTL of its key. */
interface Command {
  key: string;
  given: [command: string, first: string | number, second: string | number, ttlMs: number];
}

function commandOf(change: Change): Command {
  const { key } = change;
  return 'counter' in change
    ? { key, given: ['HINCRBY', change.counter, change.by, whole(change.ttlMs)] }
    : { key, given: ['SETRANGE', change.at, change.text, 0] };
}

/** Returns the command that adds a written key to the list of its hash tag; none for a key that isn't listed. */
function listing(key: string, ttlMs: number | 'kept' = 0): Command[] {
  if (ttlMs === 'kept' || (ttlMs > 0 && ttlMs <= UNLISTED_MS)) return [];
  const tag = tagOf(key);
  if (tag === undefined || isSingleKey(key)) return [];
  return [{ key: listKeyOf(tag), given: ['ZADD', 0, listNameOf(key, tag), 0] }];
}

type Given = [numberOfKeys: number, ...given: (string | number)[]];

/** Returns the arguments of a script that writes `keys` and executes `commands`. */
function changing(
  keys: readonly string[],
  given: readonly (string | number)[],
  commands: readonly Command[],
): Given {
  const all = [...keys, ...commands.map(({ key }) => key)];
  return [all.length, ...all, ...given, ...commands.flatMap((command) => command.given)];
}

interface NamedKey {
  key: string;
  name: string;
}

/** Returns the arguments of a script that changes the list of a hash tag. */
function changingList(list: string, named: readonly NamedKey[]): [numberOfKeys: number, ...given: string[]] {
  const keys = [list, ...named.map(({ key }) => key)];
  return [keys.length, ...keys, ...named.map(({ name }) => name)];
}

/** Calls `find` for each page of keys, and returns the keys at the positions that it returns. */
async function inPages(
  keys: readonly NamedKey[],
  find: (page: readonly NamedKey[]) => Promise<number[]>,
): Promise<NamedKey[]> {
  const found: NamedKey[] = [];
  for (let from = 0; from < keys.length; from += KEYS_PAGE) {
    const page = keys.slice(from, from + KEYS_PAGE);
    const positions = new Set(await find(page));
    found.push(...page.filter((_, at) => positions.has(at)));
  }
  return found;
}

function withTtl({ value, ttlMs }: { value: string } & Lifetime): [value: string, ttlMs: number] {
  return [value, whole(ttlMs)];
}

/**
 * Ignores a missing permission for PING, because {@link refusedCommands} reports all missing ones. Throws other
 * errors.
 */
function ignoreNoPermission(error: unknown): undefined {
  if (!(error instanceof Error && error.message.startsWith('NOPERM'))) throw error;
}

/** Interval at which the progress of a Redis that is loading its data is read, in milliseconds. */
const LOADING_POLL_MS = 100;

/**
 * Waits until Redis has loaded its data, which can take minutes. Rejects with {@link StorageUnavailable} if Redis can't be
 * reached for `patienceMs`, or makes no progress for that long.
 */
async function waitUntilLoaded({ call }: RedisConnection, patienceMs: number): Promise<void> {
  let loaded: string | undefined;
  let progressAt = performance.now();
  for (;;) {
    const message = await call(readLoadingMessage, patienceMs);
    if (message === undefined) return;
    const before = loaded;
    loaded = parseInfo(await call((redis) => redis.info('persistence'))).get('loading_loaded_bytes');
    if (loaded !== before) progressAt = performance.now();
    else if (performance.now() - progressAt > patienceMs) throw new StorageUnavailable(message);
    await sleep(LOADING_POLL_MS);
  }
}

/** Returns Redis's message that it is loading its data, `undefined` if it has loaded them. */
async function readLoadingMessage(redis: Redis): Promise<string | undefined> {
  try {
    await redis.ping();
    return undefined;
  } catch (error) {
    if (isLoading(error)) return error.message;
    return ignoreNoPermission(error);
  }
}

/** Returns `undefined` if Redis refuses CONFIG GET, as managed servers often do. INFO doesn't show the policy. */
async function readFsyncPolicy(redis: Redis): Promise<FsyncPolicy | undefined> {
  try {
    const [, policy] = (await redis.config('GET', 'appendfsync')) as string[];
    return (['always', 'everysec', 'no'] as const).find((known) => known === policy);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function conditionOf(info: string): Omit<StoreCondition, 'fsyncPolicy' | 'clockAheadMs'> {
  const fields = parseInfo(info);
  const field = (name: string) => fields.get(name) ?? '';
  // Until then, the fields about the append-only file are wrong.
  if (field('loading') === '1') throw new StorageUnavailable('LOADING Redis is loading its data');
  const disk = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'];
  return {
    version: field('redis_version'),
    role: field('role') === 'slave' ? 'replica' : 'primary',
    replicaLagsS: [...fields].flatMap(([name, value]) =>
      /^slave\d+$/.test(name) ? Number(/\blag=(-?\d+)/.exec(value)?.[1] ?? 0) : [],
    ),
    hasAppendOnlyFile: field('aof_enabled') === '1',
    evictionPolicy: field('maxmemory_policy'),
    failedDiskWrites: disk.filter((name) => field(name) === 'err'),
    usedBytes: Number(field('used_memory')),
    maxBytes: Number(field('maxmemory')) || Number(field('total_system_memory')) / 2,
  };
}

/** Returns the durability according to INFO, because managed servers often forbid CONFIG. */
function durabilityOf([appendOnly, eviction]: [string, string]): Durability {
  const faults: string[] = [];
  if (appendOnly !== '1') faults.push('Redis keeps no append-only file (expected: appendonly yes)');
  if (eviction !== 'noeviction') {
    faults.push('Redis may evict what was written (expected: maxmemory-policy noeviction)');
  }
  return faults.length === 0 ? { durable: true } : { durable: false, why: faults.join('; ') };
}
