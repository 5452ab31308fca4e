import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Log } from './log.ts';
import { type KeptLifetime, type Lifetime, type Storage, StorageUnavailable } from './storage.ts';

/** A record's text is `s<format>.<mac>.<content>`. */
const ENVELOPE = /^s([1-9]\d*)\.([^.]*)\./;
/** How many records are remembered as reported. */
const REPORTED = 1_000;

/**
 * Versions of the contents of signed records, by the prefix of their keys: 1 unless listed. A record of a higher version
 * was written by a newer release. It is treated as missing and reported, as one that doesn't verify.
 */
export type RecordFormats = Readonly<Record<string, number>>;

/** A record as it was read or written: what it says, and the stored text that a change is compared with. */
export interface SignedRecord {
  content: string;
  text: string;
}

export interface NewRecord extends Lifetime {
  content: string;
}

/**
 * Records that decide about money, authenticated by HMAC-SHA256 over their key and content: who writes to the storage
 * alone can neither make one, nor change one, nor put one in the place of another (docs/security.md).
 *
 * A record that doesn't verify, is of a newer format, or doesn't fit its schema, is treated as missing and reported once.
 */
export interface SignedRecords {
  get(key: string): Promise<SignedRecord | undefined>;
  /** Begins to read at once what may be asked for later, and is verified then. */
  ahead(key: string): () => Promise<SignedRecord | undefined>;
  /** Parses a record's content. Returns `undefined`, and reports the record, if it doesn't fit the schema. */
  parse<T>(key: string, record: SignedRecord, schema: z.ZodType<T>): T | undefined;
  /** Calls `listener` with the key of each record that can't be read, once for each key. */
  onUnreadable(listener: (key: string) => void): void;
  /** Whether a newer release wrote what is stored there, so that it must not be overwritten. */
  isNewer(key: string): Promise<boolean>;
  /** Whether anything is stored there, also what isn't ours. */
  has(key: string): Promise<boolean>;
  set(key: string, content: string, lifetime?: Lifetime): Promise<SignedRecord>;
  /** Writes only where nothing is; answers whether it did (or, repeated, whether the record says just this). */
  add(key: string, content: string, lifetime?: Lifetime): Promise<boolean>;
  /** Writes only where `expected` still is; answers what stands there then, or `undefined` where somebody was quicker. */
  replace(
    key: string,
    expected: SignedRecord,
    content: string,
    lifetime?: Lifetime | KeptLifetime,
  ): Promise<SignedRecord | undefined>;
  /** As {@link Storage.replaceAndAdd} does. Answers what stands there then, and whether the other was added. */
  replaceAndAdd(
    key: string,
    expected: SignedRecord,
    written: NewRecord,
    beside: NewRecord & { key: string },
  ): Promise<{ record: SignedRecord; added: boolean } | undefined>;
  /** Answers whether the record stands as it is, and will after a failover. */
  secure(key: string, record: SignedRecord, lifetime?: Lifetime): Promise<boolean>;
  /** The text to store for what somebody else writes, as a chat's commit does. */
  sign(key: string, content: string): string;
  isNewest(key: string, record: SignedRecord): boolean;
  delete(key: string): Promise<void>;
}

/** `keys`: 32 bytes each, newest first. The newest signs, all verify. */
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
    // Whoever asks for it hears that it failed.
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

/** Returns whether a stored text has the form of a signed record, whoever signed it. */
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

/** Beginning of a key that all records of its kind share. */
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
 * Changes a record by what is in it, whoever else does so at once: `to` may be called again. `content` is `undefined` where
 * there is none, or none of ours. Rejects as {@link untilWritten} does.
 */
export async function changeRecord(
  records: Pick<SignedRecords, 'get' | 'set' | 'add' | 'replace' | 'has'>,
  key: string,
  to: (content: string | undefined) => string,
  lifetime: Lifetime,
): Promise<void> {
  await untilWritten(async () => {
    const record = await records.get(key);
    const content = to(record?.content);
    if (record && (await records.replace(key, record, content, lifetime))) return true;
    if (record === undefined && (await records.add(key, content, lifetime))) return true;
    // What doesn't verify counts for nothing, and must not be in the way for ever.
    if (record === undefined && (await records.get(key)) === undefined && (await records.has(key))) {
      await records.set(key, content, lifetime);
      return true;
    }
    return undefined;
  });
}

/** What a stored text says by `schema`; `undefined` where it says nothing of the kind: it only adorns or warns. */
export function readJson<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** So often who is beaten to a record by others tries again: with the pauses, for some seconds. */
const TRIES = 100;
const LONGEST_MS = 60;

/**
 * Tries to change what others change at once, until `attempt` answers something: `undefined` says that another was quicker.
 * In between it waits a moment of its own, since many at once would only beat each other again. Rejects with
 * {@link StorageUnavailable} where others are quicker again and again.
 */
export async function untilWritten<Written>(attempt: () => Promise<Written | undefined>): Promise<Written> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const written = await attempt();
    if (written !== undefined) return written;
    await delay(Math.random() * Math.min(2 * tries, LONGEST_MS));
  }
  throw new StorageUnavailable('what is to be changed is changed by others too often');
}
