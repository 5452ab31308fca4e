import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './clock.ts';
import { keyObjectsOf } from './encryption.ts';
import type { Log } from './log.ts';
import {
  allKeys,
  type Change,
  type KeptLifetime,
  type Lifetime,
  type Storage,
  StorageUnavailable,
} from './storage.ts';
import { createTtlCache } from './ttl-cache.ts';

/**
 * Reasons for which the bot retains data after *Forget me*, in the order in which they are shown. Each one is the key of
 * the text that users read.
 */
export const RETENTION_REASONS = [
  'kept-money',
  'kept-under-way',
  'kept-handled',
  'kept-limits',
  'kept-account',
  'kept-others',
] as const;

type RetentionReason = (typeof RETENTION_REASONS)[number];

interface Retention {
  /** Why keys with the user's own hash tag are retained. Without it, *Forget me* erases them. */
  own?: RetentionReason;
  /** Why keys without the user's hash tag may still name the user. */
  elsewhere?: RetentionReason;
  /** The data names admins, and is retained for that reason too. */
  ofAdmins?: true;
}

/**
 * Description of one family of stored keys: a record, a lease, an index or a due queue. The table in
 * `docs/stored-data.md`, the data that *Forget me* erases, and the text that lists retained data are made from these
 * descriptions.
 */
export interface StoredData<Keys extends string = string> {
  /**
   * Pattern of the keys. Its first part is literal, the other parts name the fields of a reference. Braces mark the
   * hash tag, and *Forget me* erases keys with the hash tag of the user.
   *
   * @example 'operation:{user}:id' // operation:{501}:7Q2K
   */
  readonly keys: Keys;
  /** Content of the keys, for the documentation. */
  readonly content: string;
  /** When the keys expire, for the documentation. Without an expiry: `none: ` and the reason. */
  readonly expiry: string;
  /** Required if the keys can name a user and outlive *Forget me*. */
  readonly retained?: Retention;
  /** The data isn't about users, so *Forget me* and the privacy screen don't mention it. */
  readonly anonymous?: true;
}

type FieldsOf<Parts extends string> = Parts extends `${infer Part}:${infer Rest}`
  ? FieldOf<Part> | FieldsOf<Rest>
  : FieldOf<Parts>;
type FieldOf<Part extends string> = Part extends `{${infer Field}}` ? Field : Part;

/** Fields that identify one key of a pattern: `{ user, id }` for `operation:{user}:id`. */
type KeyFields<Keys extends string> = Keys extends `${string}:${infer Rest}`
  ? Readonly<Record<FieldsOf<Rest>, string | number>>
  : unknown;

/**
 * Returns the key of a pattern.
 *
 * @example keyOf('operation:{user}:id', { user: 501, id: '7Q2K' }) // operation:{501}:7Q2K
 */
export function keyOf<const Keys extends string>(keys: Keys, fields: KeyFields<Keys>): string {
  const [kind = '', ...parts] = keys.split(':');
  const values = fields as Readonly<Record<string, string | number>>;
  const filled = parts.map((part) =>
    part.startsWith('{') ? `{${values[part.slice(1, -1)]}}` : values[part],
  );
  return [kind, ...filled].join(':');
}

/** Returns the text that all keys of a pattern begin with: `operation:` for `operation:{user}:id`. */
export function prefixOf({ keys }: Pick<StoredData, 'keys'>): string {
  const end = keys.indexOf(':');
  return end === -1 ? keys : keys.slice(0, end + 1);
}

/** Returns the first part of a key or of a pattern. */
export function kindOf(key: string): string {
  return key.split(':')[0] ?? '';
}

/** Counts keys by their kind. */
export function countKinds(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[kindOf(key)] = (counts[kindOf(key)] ?? 0) + 1;
  return counts;
}

const UNITS = [
  ['year', 365 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const;

/** Returns a TTL in words, in the largest unit that divides it: `90 days`. */
function durationInWords(ms: number): string {
  const [unit, length] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? ['millisecond', 1];
  const count = ms / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** A record's text is `s<format>.<mac>.<content>`. */
const ENVELOPE = /^s([1-9]\d*)\.([^.]*)\./;
/** Maximum number of records that are remembered as reported. */
const REPORTED = 1_000;
const UNREADABLE_ADVICE =
  'After a downgrade, start the newer version again. After a change of SECRET_KEY, list the former key behind the new one; if you accepted its loss, the users of these records link their accounts again. Otherwise check who can write to Redis.';
/** Maximum number of records of one definition that are remembered as read. */
const MAX_REMEMBERED = 2_000;

/** Record as read or written: its content, and the stored text that a replacement is compared with. */
export interface SignedRecord {
  content: string;
  text: string;
}

export interface NewRecord extends Lifetime {
  content: string;
}

/**
 * Records that affect payments, authenticated by HMAC-SHA256 over their key and content. Write access to the storage
 * isn't enough to make, change or swap records (docs/security.md).
 *
 * A record that fails verification, has a newer format, or doesn't match its schema, is treated as missing and reported
 * once.
 */
export type SignedRecords = ReturnType<typeof createSignedRecords>;

type RecordTtl<Value> =
  | { ttlMs: number; expiry?: string }
  | { ttlMs: (value: Value) => number; expiry: string }
  | { ttlMs: 'none'; expiry: `none: ${string}` };

/** Definition of one kind of record. Each value is stored as JSON under a separate key. */
export type RecordDefinition<Keys extends string, Value> = StoredData<Keys> & {
  readonly schema: z.ZodType<Value>;
  /** Version of the content, 1 or higher. Raise it with every change that an older release would misread. */
  readonly version: number;
  /** Converts the parsed content of an older version. Without it, older content must fit the schema. */
  readonly upgrade?: (content: unknown, version: number) => unknown;
  /** TTL in milliseconds from the last write. */
  readonly ttlMs: RecordTtl<Value>['ttlMs'];
  /** Required for records that affect payments or decide whose data it is. */
  readonly signed: boolean;
};

/** Defines a record. `expiry` is only needed if it doesn't follow from a constant TTL. */
export function defineRecord<const Keys extends string, Value>(
  definition: Omit<RecordDefinition<Keys, Value>, 'expiry' | 'ttlMs' | 'version'> &
    RecordTtl<Value> & { version?: number },
): RecordDefinition<Keys, Value> {
  const { ttlMs, expiry = typeof ttlMs === 'number' ? durationInWords(ttlMs) : '' } = definition;
  return { version: 1, ...definition, expiry };
}

/** Value of a record as read or written, with the stored text that a replacement is compared with. */
export interface Stored<Value> {
  value: Value;
  record: SignedRecord;
}

/**
 * Creates signed records. `keys`: 32 bytes each, newest first. The newest one signs, and all of them verify.
 *
 * `formats`: versions of the contents, by key prefix; 1 unless listed. A record with a higher version, written by a newer
 * release, is treated as missing and reported, like one that fails verification.
 */
export function createSignedRecords(deps: {
  storage: Pick<Storage, 'get' | 'set' | 'add' | 'replace' | 'replaceAndAdd' | 'delete' | 'secure'>;
  keys: readonly Uint8Array[];
  formats?: Readonly<Record<string, number>>;
  log: Log;
}) {
  const { storage, formats = {}, log } = deps;
  const keys = keyObjectsOf(deps.keys);
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('at least one key is needed');
  const reported = new Set<string>();
  const listeners: ((key: string) => void)[] = [];
  const versions = new Map(Object.entries(formats));
  /** Readers of the texts of each definition, by key prefix. */
  const parsers = new Map<string, (key: string, text: string) => unknown>();
  const formatOf = (key: string) => versions.get(prefixOf({ keys: key })) ?? 1;

  const sign = (key: string, content: string) => {
    const format = formatOf(key);
    return `s${format}.${mac(newest, { key, format, content })}.${content}`;
  };

  function verified(key: string, text: string): SignedRecord | undefined {
    const [head = '', version, given = ''] = ENVELOPE.exec(text) ?? [];
    const format = Number(version);
    const content = text.slice(head.length);
    if (!(format <= formatOf(key))) return undefined;
    return keys.some((one) => isSame(mac(one, { key, format, content }), given))
      ? { content, text }
      : undefined;
  }

  function report(key: string, why: string): void {
    if (reported.has(key)) return;
    if (reported.size >= REPORTED) reported.clear();
    reported.add(key);
    log.error({ key, advice: UNREADABLE_ADVICE }, why);
    for (const listener of listeners) listener(key);
  }

  function verifiedOrReported(key: string, text: string): SignedRecord | undefined {
    const record = verified(key, text);
    if (record === undefined)
      report(key, 'a stored record failed verification or has a newer format; it is treated as missing');
    return record;
  }

  function parseContent<T>(key: string, content: unknown, schema: z.ZodType<T>): T | undefined {
    const { data } = schema.safeParse(content);
    if (data === undefined)
      report(key, 'a stored record does not match its schema; it is treated as missing');
    return data;
  }

  function storeOf<Keys extends string, Value>(definition: RecordDefinition<Keys, Value>) {
    const { keys: pattern, schema, version, upgrade, signed } = definition;
    type Ref = KeyFields<Keys>;
    versions.set(prefixOf(definition), version);
    const keyOfRef = (ref: Ref) => keyOf(pattern, ref);

    function parseRecord(key: string, { content, text }: SignedRecord): Value | undefined {
      const written = Number(ENVELOPE.exec(text)?.[1] ?? version);
      const json = parseJson(content);
      return parseContent(key, written < version && upgrade ? upgrade(json, written) : json, schema);
    }

    /** Last reads by key, so that an unchanged text isn't verified and parsed again. */
    const remembered = createTtlCache<string, Stored<Value>>({ maxEntries: MAX_REMEMBERED });

    function parseText(key: string, text: string): Stored<Value> | undefined {
      const record = signed ? verifiedOrReported(key, text) : { content: text, text };
      const value = record && parseRecord(key, record);
      // Frozen, because all readers of the same text share the value.
      return record && value !== undefined ? { value: deepFreeze(value), record } : undefined;
    }

    parsers.set(prefixOf(definition), parseText);

    function readValueAhead(ref: Ref): () => Promise<Stored<Value> | undefined> {
      const key = keyOfRef(ref);
      const reading = storage.get(key);
      // Prevents an unhandled rejection. The caller that awaits the result gets the error.
      reading.catch(() => undefined);
      return async () => {
        const text = await reading;
        if (text === undefined) {
          // An erased user's record must not stay in memory either.
          remembered.delete(key);
          return undefined;
        }
        const known = remembered.get(key);
        if (known?.record.text === text) return known;
        const stored = parseText(key, text);
        if (stored !== undefined) remembered.set(key, stored);
        return stored;
      };
    }

    function toWrite(ref: Ref, value: Value) {
      const key = keyOfRef(ref);
      const content = JSON.stringify(value);
      const text = signed ? sign(key, content) : content;
      const ttlMs = typeof definition.ttlMs === 'function' ? definition.ttlMs(value) : definition.ttlMs;
      const lifetime: Lifetime = ttlMs === 'none' ? {} : { ttlMs };
      return { key, text, lifetime, stored: { value, record: { content, text } } };
    }

    const read = (ref: Ref) => readValueAhead(ref)();

    async function set(ref: Ref, value: Value): Promise<Stored<Value>> {
      const { key, text, lifetime, stored } = toWrite(ref, value);
      await storage.set(key, text, lifetime);
      return stored;
    }

    async function add(ref: Ref, value: Value, changes?: readonly Change[]): Promise<boolean> {
      const { key, text, lifetime } = toWrite(ref, value);
      return storage.add(key, text, lifetime, changes);
    }

    async function replaceText(ref: Ref, expected: string, value: Value, changes?: readonly Change[]) {
      const { key, text, lifetime, stored } = toWrite(ref, value);
      const isWritten = await storage.replace(key, expected, text, lifetime, changes);
      return isWritten ? stored : undefined;
    }

    const replace = (ref: Ref, { record }: Stored<Value>, value: Value, changes?: readonly Change[]) =>
      replaceText(ref, record.text, value, changes);

    /** Returns the stored text if it may be replaced although it can't be read. */
    async function forgedText(key: string): Promise<string | undefined> {
      const text = await storage.get(key);
      if (text === undefined) return undefined;
      const isOurs = signed ? verified(key, text) !== undefined : parseJson(text) !== undefined;
      if (isOurs || Number(ENVELOPE.exec(text)?.[1]) > version)
        throw new Error(`${key} has a format that this release can't read, so it isn't changed`);
      return text;
    }

    async function update(
      ref: Ref,
      change: (value: Value | undefined) => Value | undefined,
      changesOf: (before: Value | undefined, after: Value) => readonly Change[] | undefined = () => undefined,
    ) {
      const result = await retryOnConflict(async () => {
        const stored = await read(ref);
        const value = change(stored?.value);
        if (value === undefined) return { value };
        const changes = changesOf(stored?.value, value);
        if (stored) return (await replace(ref, stored, value, changes)) && { value };
        if (await add(ref, value, changes)) return { value };
        // A record that fails verification must not block writes forever.
        const forged = (await read(ref)) === undefined ? await forgedText(keyOfRef(ref)) : undefined;
        if (forged === undefined) return undefined;
        return (await replaceText(ref, forged, value, changes)) && { value };
      });
      return result.value;
    }

    return {
      get: async (ref: Ref): Promise<Value | undefined> => (await read(ref))?.value,
      read,
      /** Starts reading at once. The returned function returns the value. */
      readAhead: readValueAhead,
      set,
      /** Writes only if nothing is stored. Returns whether the value was written, or the same value was already stored. */
      add,
      /**
       * Writes only if `expected` is still stored. Returns `undefined` after a concurrent change. Applies the changes in
       * the same step.
       */
      replace,
      /**
       * Changes a value with compare-and-set. `change` is called again after a concurrent write and gets `undefined` if
       * nothing is stored; if it returns `undefined`, nothing is written. Returns the written value. Replaces a record that
       * fails verification, or an unsigned one that isn't JSON, but throws if a newer release wrote the record or its
       * content doesn't fit the schema. `changesOf` returns changes that take effect in the same step.
       */
      update,
      /** Deletes the value. With `expected`, only if it is still stored. Applies the changes in the same step. */
      delete: (ref: Ref, expected?: Stored<Value>, changes?: readonly Change[]): Promise<void> =>
        storage.delete(keyOfRef(ref), expected?.record.text, changes),
      keyOf: keyOfRef,
      /** Returns the value of a stored content, or `undefined` if the content doesn't fit the schema. */
      parse: (ref: Ref, record: SignedRecord) => parseRecord(keyOfRef(ref), record),
    };
  }

  return {
    /**
     * Returns the records of one definition, signed or not. A stored text that fails verification, has a newer version or
     * doesn't fit the schema is treated as missing and reported once. All methods reject with `StorageUnavailable` if the
     * storage can't be reached.
     *
     * @example
     * const settings = records.store(NOTIFICATION_SETTINGS);
     * await settings.update({ user: 501 }, (before) => ({ muted: [...(before?.muted ?? []), 'deposits'] }));
     */
    store: storeOf,
    async get(key: string): Promise<SignedRecord | undefined> {
      const text = await storage.get(key);
      return text === undefined ? undefined : verifiedOrReported(key, text);
    },
    /** Parses a record's content. Returns `undefined`, and reports the record, if it doesn't fit the schema. */
    parse: <T>(key: string, { content }: SignedRecord, schema: z.ZodType<T>): T | undefined =>
      parseContent(key, parseJson(content), schema),
    /**
     * Returns whether a stored record can be read, and reports it if it can't; `undefined` if nothing is stored. A record
     * whose store wasn't opened is only verified.
     */
    async canRead(key: string): Promise<boolean | undefined> {
      const text = await storage.get(key);
      if (text === undefined) return undefined;
      const parse = parsers.get(prefixOf({ keys: key })) ?? verifiedOrReported;
      return parse(key, text) !== undefined;
    },
    /** Returns whether a newer release wrote the stored record, so that it must not be overwritten. */
    async isNewer(key: string): Promise<boolean> {
      const [, version] = ENVELOPE.exec((await storage.get(key)) ?? '') ?? [];
      return Number(version) > formatOf(key);
    },
    /** Calls `listener` with the key of each record that can't be read, once for each key. */
    onUnreadable: (listener: (key: string) => void) => void listeners.push(listener),
    /** Returns whether anything is stored, including records that fail verification. */
    has: async (key: string): Promise<boolean> => (await storage.get(key)) !== undefined,
    async set(key: string, content: string, lifetime?: Lifetime): Promise<SignedRecord> {
      const text = sign(key, content);
      await storage.set(key, text, lifetime);
      return { content, text };
    },
    /**
     * Writes unless a record is stored that passes verification. Applies the changes in the same step. Returns whether
     * it was written.
     */
    async restore(
      key: string,
      content: string,
      lifetime: Lifetime,
      changes: readonly Change[],
    ): Promise<boolean> {
      const restored = sign(key, content);
      return retryOnConflict(async () => {
        const stored = await storage.get(key);
        if (stored !== undefined && verified(key, stored)) return false;
        const isWritten = await (stored === undefined
          ? storage.add(key, restored, lifetime, changes)
          : storage.replace(key, stored, restored, lifetime, changes));
        return isWritten || undefined;
      });
    },
    /** Writes only if nothing, or the same record, is stored. Otherwise returns `undefined`. */
    async add(key: string, content: string, lifetime?: Lifetime): Promise<SignedRecord | undefined> {
      const text = sign(key, content);
      return (await storage.add(key, text, lifetime)) ? { content, text } : undefined;
    },
    /**
     * Writes only if `expected` is still stored. Returns the new record, or `undefined` after a concurrent change. Applies
     * the increments in the same step.
     */
    async replace(
      key: string,
      expected: SignedRecord,
      content: string,
      lifetime?: Lifetime | KeptLifetime,
      changes?: readonly Change[],
    ): Promise<SignedRecord | undefined> {
      const text = sign(key, content);
      return (await storage.replace(key, expected.text, text, lifetime, changes))
        ? { content, text }
        : undefined;
    },
    /**
     * Works like {@link Storage.replaceAndAdd}. Returns the new record and whether the other one was added, or
     * `undefined` after a concurrent change.
     */
    async replaceAndAdd(
      key: string,
      expected: SignedRecord,
      { content, ...lifetime }: NewRecord,
      beside: NewRecord & { key: string },
    ): Promise<{ record: SignedRecord; added: boolean } | undefined> {
      const value = sign(key, content);
      const other = { ...beside, value: sign(beside.key, beside.content) };
      const took = await storage.replaceAndAdd(key, expected.text, { ...lifetime, value }, other);
      return took.replaced ? { record: { content, text: value }, added: took.added } : undefined;
    },
    /** Returns whether the record is stored unchanged and will survive a failover. */
    secure: (key: string, { text }: SignedRecord, lifetime?: Lifetime): Promise<boolean> =>
      storage.secure(key, text, lifetime),
    /** Returns the text of a record that another module stores, for example in a chat's commit. */
    sign,
    isNewest: (key: string, { content, text }: SignedRecord): boolean => text === sign(key, content),
  };
}

/** Returns whether a stored text has the form of a signed record, whichever key signed it. */
export function isSigned(text: string): boolean {
  return ENVELOPE.test(text);
}

function mac(
  secret: KeyObject,
  { key, format, content }: { key: string; format: number; content: string },
): string {
  const version = format === 1 ? '' : `${format}/`;
  return createHmac('sha256', secret).update(`${version}${key.length}:${key}${content}`).digest('base64url');
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** Returns the value of a JSON text, or `undefined` if it isn't one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the value of a stored JSON text; `undefined` if the text is missing or doesn't match the schema. */
export function readJson<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  const json = text === undefined ? undefined : parseJson(text);
  return json === undefined ? undefined : schema.safeParse(json).data;
}

/** Maximum number of attempts during concurrent writes. With the delays, they take a few seconds. */
const TRIES = 100;
/** Attempts that follow at once. One of the writers succeeds in each round, and usually there are few. */
const IMMEDIATE_TRIES = 5;
const LONGEST_MS = 60;

/**
 * Repeats `attempt` until it returns a value; `undefined` means that a concurrent write was faster. Waits a random time
 * between later attempts, because many concurrent writers would collide again. Rejects with {@link StorageUnavailable}
 * after {@link TRIES} attempts.
 */
export async function retryOnConflict<Written>(
  attempt: () => Promise<Written | undefined>,
): Promise<Written> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const written = await attempt();
    if (written !== undefined) return written;
    if (tries >= IMMEDIATE_TRIES) await delay(Math.random() * Math.min(2 * tries, LONGEST_MS));
  }
  throw new StorageUnavailable('too many concurrent changes of the same record');
}

/** Kind of records to sign and seal with the newest secret. */
export interface KeyRotation {
  prefix: string;
  /**
   * Returns a record's content with its secrets sealed by the newest key. Returns the content unchanged if it has none
   * or they don't open.
   */
  reseal?(content: string, key: string): string;
}

/** Numbers of records: renewed now, already under the newest secret, and verified by no listed secret. */
export interface Renewed {
  renewed: number;
  newest: number;
  unverified: number;
}

/**
 * Signs every record with the newest secret, so that older ones can be removed from `SECRET_KEY`. Safe to run beside
 * the app, which writes with the newest secret anyway, and to repeat.
 */
export async function rotateRecords(
  { storage, records }: { storage: Pick<Storage, 'keysPage'>; records: SignedRecords },
  keyRotations: readonly KeyRotation[],
): Promise<Renewed> {
  const count: Renewed = { renewed: 0, newest: 0, unverified: 0 };
  const rotations = new Map(keyRotations.map((rotation) => [rotation.prefix, rotation]));

  async function rotate(key: string, { reseal = (content: string) => content }: KeyRotation): Promise<void> {
    const record = await records.get(key);
    if (record === undefined) {
      if (await records.has(key)) count.unverified += 1;
      return;
    }
    const content = reseal(record.content, key);
    const isNewest = content === record.content && records.isNewest(key, record);
    if (!isNewest) await records.replace(key, record, content, { ttlMs: 'kept' });
    count[isNewest ? 'newest' : 'renewed'] += 1;
  }

  for await (const key of allKeys(storage)) {
    const rotation = rotations.get(prefixOf({ keys: key }));
    if (rotation) await rotate(key, rotation);
  }
  return count;
}
