import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Log } from './log.ts';
import { type KeptLifetime, type Lifetime, type Storage, StorageUnavailable } from './storage.ts';

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
  const formatOf = (key: string) => formats[prefixOf(key)] ?? 1;

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

  return {
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
