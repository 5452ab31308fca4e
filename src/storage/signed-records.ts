import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Log } from '../log.ts';
import type { KeptLifetime, Lifetime, Storage } from './storage.ts';

const VERSION = 's1';
/** How many records are remembered as reported. */
const REPORTED = 1_000;

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
 * What doesn't verify is as good as not there, and is reported once in the log.
 */
export interface SignedRecords {
  get(key: string): Promise<SignedRecord | undefined>;
  /** Begins to read at once what may be asked for later, and is verified then. */
  ahead(key: string): () => Promise<SignedRecord | undefined>;
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
  /** Whether it was signed by the newest key. */
  isNewest(key: string, record: SignedRecord): boolean;
  delete(key: string): Promise<void>;
}

/** `keys`: 32 bytes each, newest first. The newest signs, all verify. */
export function createSignedRecords({
  storage,
  keys,
  log,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'add' | 'replace' | 'replaceAndAdd' | 'delete' | 'secure'>;
  keys: readonly Uint8Array[];
  log: Log;
}): SignedRecords {
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('at least one key is needed');
  const reported = new Set<string>();

  const sign = (key: string, content: string) => `${VERSION}.${mac(newest, key, content)}.${content}`;

  function verified(key: string, text: string): SignedRecord | undefined {
    const [version, given = ''] = text.split('.', 2);
    if (version !== VERSION) return undefined;
    const content = text.slice(version.length + given.length + 2);
    return keys.some((one) => isSame(mac(one, key, content), given)) ? { content, text } : undefined;
  }

  function report(key: string): void {
    if (reported.has(key)) return;
    if (reported.size >= REPORTED) reported.clear();
    reported.add(key);
    log.error({ name: key }, 'a stored record was not written by this bot, and is left alone');
  }

  function ahead(key: string): () => Promise<SignedRecord | undefined> {
    const reading = storage.get(key);
    // Whoever asks for it hears that it failed.
    reading.catch(() => undefined);
    return async () => {
      const text = await reading;
      const record = text === undefined ? undefined : verified(key, text);
      if (text !== undefined && record === undefined) report(key);
      return record;
    };
  }

  return {
    get: (key) => ahead(key)(),
    ahead,
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
  return text.startsWith(`${VERSION}.`);
}

function mac(key: Uint8Array, name: string, content: string): string {
  return createHmac('sha256', key).update(`${name.length}:${name}${content}`).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
