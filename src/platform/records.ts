import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Log } from './log.ts';
import { type KeptLifetime, type Lifetime, type Storage, StorageUnavailable } from './storage.ts';
import { durationInWords, type KeyFields, keyOf, type StoredData } from './stored-data.ts';

/** A record's text is `s<format>.<mac>.<content>`. */
const ENVELOPE = /^s([1-9]\d*)\.([^.]*)\./;
/** Maximum number of records that are remembered as reported. */
const REPORTED = 1_000;

/**
 * Versions of the contents of signed records, by key prefix: 1 unless listed. A newer release wrote a record with a
 * higher version. Such a record is treated as missing and reported, like one that fails verification.
 */
export type RecordFormats = Readonly<Record<string, number>>;

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
export interface SignedRecords {
  get(key: string): Promise<SignedRecord | undefined>;
  /** Starts reading at once. The returned function verifies and returns the record. */
  ahead(key: string): () => Promise<SignedRecord | undefined>;
  /** Parses a record's content. Returns `undefined`, and reports the record, if it doesn't fit the schema. */
  parse<T>(key: string, record: SignedRecord, schema: z.ZodType<T>): T | undefined;
  /** Calls `listener` with the key of each record that can't be read, once for each key. */
  onUnreadable(listener: (key: string) => void): void;
  /** Returns whether a newer release wrote the stored record, so that it must not be overwritten. */
  isNewer(key: string): Promise<boolean>;
  /** Returns whether anything is stored, including records that fail verification. */
  has(key: string): Promise<boolean>;
  set(key: string, content: string, lifetime?: Lifetime): Promise<SignedRecord>;
  /** Writes only if nothing is stored. Returns whether the record was written, or the same one was already stored. */
  add(key: string, content: string, lifetime?: Lifetime): Promise<boolean>;
  /** Writes only if `expected` is still stored. Returns the new record, or `undefined` after a concurrent change. */
  replace(
    key: string,
    expected: SignedRecord,
    content: string,
    lifetime?: Lifetime | KeptLifetime,
  ): Promise<SignedRecord | undefined>;
  /**
   * Works like {@link Storage.replaceAndAdd}. Returns the new record and whether the other one was added, or
   * `undefined` after a concurrent change.
   */
  replaceAndAdd(
    key: string,
    expected: SignedRecord,
    written: NewRecord,
    beside: NewRecord & { key: string },
  ): Promise<{ record: SignedRecord; added: boolean } | undefined>;
  /** Returns whether the record is stored unchanged and will survive a failover. */
  secure(key: string, record: SignedRecord, lifetime?: Lifetime): Promise<boolean>;
  /** Returns the text of a record that another module stores, for example in a chat's commit. */
  sign(key: string, content: string): string;
  isNewest(key: string, record: SignedRecord): boolean;
  delete(key: string): Promise<void>;
  /**
   * Returns the records of one definition, signed or not.
   *
   * @example
   * const settings = records.store(NOTIFICATION_SETTINGS);
   * await settings.update({ user: 501 }, (before) => ({ muted: [...(before?.muted ?? []), 'deposits'] }));
   */
  store<Keys extends string, Value>(
    definition: RecordDefinition<Keys, Value>,
  ): RecordStore<KeyFields<Keys>, Value>;
}

type RecordTtl<Value> =
  | { ttlMs: number; expiry?: string }
  | { ttlMs: (value: Value) => number; expiry: string }
  | { ttlMs: 'none'; expiry: `none: ${string}` };

/** Definition of one kind of record. Each value is stored as JSON under a key of its own. */
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
 * Records of one definition. A stored text that fails verification, has a newer version or doesn't fit the schema is
 * treated as missing and reported once. All methods reject with `StorageUnavailable` if the storage can't be reached.
 */
export interface RecordStore<Ref, Value> {
  get(ref: Ref): Promise<Value | undefined>;
  read(ref: Ref): Promise<Stored<Value> | undefined>;
  /** Starts reading at once. The returned function returns the value. */
  readAhead(ref: Ref): () => Promise<Stored<Value> | undefined>;
  set(ref: Ref, value: Value): Promise<Stored<Value>>;
  /** Writes only if nothing is stored. Returns whether the value was written, or the same value was already stored. */
  add(ref: Ref, value: Value): Promise<boolean>;
  /** Writes only if `expected` is still stored. Returns `undefined` after a concurrent change. */
  replace(ref: Ref, expected: Stored<Value>, value: Value): Promise<Stored<Value> | undefined>;
  /**
   * Changes a value with compare-and-set. `change` is called again after a concurrent write and gets `undefined` if
   * nothing is stored; if it returns `undefined`, nothing is written. Returns the written value. Replaces a record that
   * fails verification, or an unsigned one that isn't JSON, but throws if a newer release wrote the record or its content
   * doesn't fit the schema.
   */
  update(ref: Ref, change: (value: Value | undefined) => Value | undefined): Promise<Value | undefined>;
  /** Deletes the value. With `expected`, only if it is still stored. */
  delete(ref: Ref, expected?: Stored<Value>): Promise<void>;
  keyOf(ref: Ref): string;
  /** Returns the value of a stored content, or `undefined` if the content doesn't fit the schema. */
  parse(ref: Ref, record: SignedRecord): Value | undefined;
}

/** Creates signed records. `keys`: 32 bytes each, newest first. The newest one signs, and all of them verify. */
export function createSignedRecords({
  storage,
  keys,
  formats = {},
  log,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'add' | 'replace' | 'replaceAndAdd' | 'delete' | 'secure'>;
  keys: readonly Uint8Array[];
  formats?: RecordFormats;
  log: Log;
}): SignedRecords {
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('at least one key is needed');
  const reported = new Set<string>();
  const listeners: ((key: string) => void)[] = [];
  const versions = new Map(Object.entries(formats));
  const formatOf = (key: string) => versions.get(prefixOf(key)) ?? 1;

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
    log.error({ name: key }, why);
    for (const listener of listeners) listener(key);
  }

  function ahead(key: string): () => Promise<SignedRecord | undefined> {
    const reading = storage.get(key);
    // Prevents an unhandled rejection. The caller that awaits the result gets the error.
    reading.catch(() => undefined);
    return async () => {
      const text = await reading;
      const record = text === undefined ? undefined : verified(key, text);
      if (text !== undefined && record === undefined)
        report(key, 'a stored record failed verification or has a newer format; it is treated as missing');
      return record;
    };
  }

  function storeOf<Keys extends string, Value>(
    definition: RecordDefinition<Keys, Value>,
  ): RecordStore<KeyFields<Keys>, Value> {
    const { keys: pattern, schema, version, upgrade, signed } = definition;
    type Ref = KeyFields<Keys>;
    versions.set(prefixOf(pattern), version);
    const keyOfRef = (ref: Ref) => keyOf(pattern, ref);
    const textOf = (key: string, content: string) => (signed ? sign(key, content) : content);
    const lifetimeOf = (value: Value): Lifetime => {
      const ttlMs = typeof definition.ttlMs === 'function' ? definition.ttlMs(value) : definition.ttlMs;
      return ttlMs === 'none' ? {} : { ttlMs };
    };

    function parseRecord(key: string, { content, text }: SignedRecord): Value | undefined {
      const written = Number(ENVELOPE.exec(text)?.[1] ?? version);
      const json = parseJson(content);
      const { data } = schema.safeParse(written < version && upgrade ? upgrade(json, written) : json);
      if (data === undefined)
        report(key, 'a stored record does not match its schema; it is treated as missing');
      return data;
    }

    function readAhead(ref: Ref): () => Promise<Stored<Value> | undefined> {
      const key = keyOfRef(ref);
      const reading = signed ? ahead(key) : unsignedAhead(key);
      return async () => {
        const record = await reading();
        const value = record && parseRecord(key, record);
        return record && value !== undefined ? { value, record } : undefined;
      };
    }

    function unsignedAhead(key: string): () => Promise<SignedRecord | undefined> {
      const reading = storage.get(key);
      reading.catch(() => undefined);
      return async () => {
        const text = await reading;
        return text === undefined ? undefined : { content: text, text };
      };
    }

    /** Written form of a value. */
    function toWrite(ref: Ref, value: Value) {
      const key = keyOfRef(ref);
      const content = JSON.stringify(value);
      const text = textOf(key, content);
      const stored: Stored<Value> = { value, record: { content, text } };
      return { key, text, lifetime: lifetimeOf(value), stored };
    }

    const read = (ref: Ref) => readAhead(ref)();

    async function set(ref: Ref, value: Value): Promise<Stored<Value>> {
      const { key, text, lifetime, stored } = toWrite(ref, value);
      await storage.set(key, text, lifetime);
      return stored;
    }

    async function add(ref: Ref, value: Value): Promise<boolean> {
      const { key, text, lifetime } = toWrite(ref, value);
      return storage.add(key, text, lifetime);
    }

    async function replace(ref: Ref, expected: Stored<Value>, value: Value) {
      const { key, text, lifetime, stored } = toWrite(ref, value);
      const isWritten = await storage.replace(key, expected.record.text, text, lifetime);
      return isWritten ? stored : undefined;
    }

    /** Returns whether the stored text is one that may be replaced although it can't be read. */
    async function isForged(key: string): Promise<boolean> {
      const text = await storage.get(key);
      if (text === undefined) return false;
      const isOurs = signed ? verified(key, text) !== undefined : parseJson(text) !== undefined;
      if (isOurs || Number(ENVELOPE.exec(text)?.[1]) > version)
        throw new Error(`${key} has a format that this release can't read, so it isn't changed`);
      return true;
    }

    async function update(ref: Ref, change: (value: Value | undefined) => Value | undefined) {
      const result = await retryOnConflict(async () => {
        const stored = await read(ref);
        const value = change(stored?.value);
        if (value === undefined) return { value };
        if (stored) return (await replace(ref, stored, value)) && { value };
        if (await add(ref, value)) return { value };
        // A record that fails verification must not block writes forever.
        if ((await read(ref)) !== undefined || !(await isForged(keyOfRef(ref)))) return undefined;
        await set(ref, value);
        return { value };
      });
      return result.value;
    }

    return {
      get: async (ref) => (await read(ref))?.value,
      read,
      readAhead,
      set,
      add,
      replace,
      update,
      delete: (ref, expected) => storage.delete(keyOfRef(ref), expected?.record.text),
      keyOf: keyOfRef,
      parse: (ref, record) => parseRecord(keyOfRef(ref), record),
    };
  }

  return {
    store: storeOf,
    get: (key) => ahead(key)(),
    ahead,
    parse(key, { content }, schema) {
      const { data } = schema.safeParse(parseJson(content));
      if (data === undefined)
        report(key, 'a stored record does not match its schema; it is treated as missing');
      return data;
    },
    async isNewer(key) {
      const [, version] = ENVELOPE.exec((await storage.get(key)) ?? '') ?? [];
      return Number(version) > formatOf(key);
    },
    onUnreadable: (listener) => void listeners.push(listener),
    has: async (key) => (await storage.get(key)) !== undefined,
    async set(key, content, lifetime) {
      const text = sign(key, content);
      await storage.set(key, text, lifetime);
      return { content, text };
    },
    add: (key, content, lifetime) => storage.add(key, sign(key, content), lifetime),
    async replace(key, expected, content, lifetime) {
      const text = sign(key, content);
      return (await storage.replace(key, expected.text, text, lifetime)) ? { content, text } : undefined;
    },
    async replaceAndAdd(key, expected, { content, ...lifetime }, beside) {
      const value = sign(key, content);
      const other = { ...beside, value: sign(beside.key, beside.content) };
      const took = await storage.replaceAndAdd(key, expected.text, { ...lifetime, value }, other);
      return took.replaced ? { record: { content, text: value }, added: took.added } : undefined;
    },
    secure: (key, { text }, lifetime) => storage.secure(key, text, lifetime),
    sign,
    isNewest: (key, { content, text }) => text === sign(key, content),
    delete: (key) => storage.delete(key),
  };
}

/** Returns whether a stored text has the form of a signed record, whichever key signed it. */
export function isSigned(text: string): boolean {
  return ENVELOPE.test(text);
}

function mac(
  secret: Uint8Array,
  { key, format, content }: { key: string; format: number; content: string },
): string {
  const version = format === 1 ? '' : `${format}/`;
  return createHmac('sha256', secret).update(`${version}${key.length}:${key}${content}`).digest('base64url');
}

/** Returns the prefix that all keys of the same kind share. */
function prefixOf(key: string): string {
  return key.slice(0, key.indexOf(':') + 1) || key;
}

function parseJson(text: string): unknown {
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

/**
 * Changes a record based on its content, again after a concurrent write, so `to` may be called several times. `content`
 * is `undefined` if there is no valid record. Rejects like {@link retryOnConflict}.
 */
export async function changeRecord(
  records: Pick<SignedRecords, 'get' | 'set' | 'add' | 'replace' | 'has'>,
  key: string,
  to: (content: string | undefined) => string,
  lifetime: Lifetime,
): Promise<void> {
  await retryOnConflict(async () => {
    const record = await records.get(key);
    const content = to(record?.content);
    if (record && (await records.replace(key, record, content, lifetime))) return true;
    if (record === undefined && (await records.add(key, content, lifetime))) return true;
    // A record that fails verification is treated as missing and must not block writes forever.
    if (record === undefined && (await records.get(key)) === undefined && (await records.has(key))) {
      await records.set(key, content, lifetime);
      return true;
    }
    return undefined;
  });
}

/** Returns the value of a stored JSON text; `undefined` if the text is missing or doesn't match the schema. */
export function readJson<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Maximum number of attempts during concurrent writes. With the delays, they take a few seconds. */
const TRIES = 100;
const LONGEST_MS = 60;

/**
 * Repeats `attempt` until it returns a value; `undefined` means that a concurrent write was faster. Waits a random time
 * in between, because concurrent writers would collide again. Rejects with {@link StorageUnavailable} after {@link
 * TRIES} attempts.
 */
export async function retryOnConflict<Written>(
  attempt: () => Promise<Written | undefined>,
): Promise<Written> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const written = await attempt();
    if (written !== undefined) return written;
    await delay(Math.random() * Math.min(2 * tries, LONGEST_MS));
  }
  throw new StorageUnavailable('too many concurrent changes of the same record');
}
