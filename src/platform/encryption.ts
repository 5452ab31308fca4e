import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** Purpose of a derived key. Keys of different purposes reveal nothing about each other or the secret. */
type KeyPurpose = 'seal' | 'records' | 'buttons' | 'telegram-webhook';

/**
 * Derives a key for one purpose from each of the secrets (`SECRET_KEY`), in their order: newest first. Keys have 32
 * bytes and are derived with HKDF (RFC 5869) over SHA-256.
 */
export function deriveKeys(secrets: readonly Uint8Array[], purpose: KeyPurpose): Buffer[] {
  return secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', `energy-rental-bot ${purpose}`, 32)),
  );
}

/** Returns keys in the form that Node 24 uses in a fifth of the time that it takes with bytes. */
export function keyObjectsOf(keys: readonly Uint8Array[]): KeyObject[] {
  return keys.map((key) => createSecretKey(key));
}

/** User and purpose of a sealed text. The text opens only for the same ones. */
interface About {
  user: number;
  purpose: string;
}

export type Seal = ReturnType<typeof createSeal>;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a seal with AES-256-GCM. Each key has 32 bytes, newest first; older keys only open. `authTagLength` is set
 * because Node 20 accepts short tags without it.
 */
export function createSeal(keys: readonly Uint8Array[]) {
  const [newest, ...older] = keyObjectsOf(keys).map((key) => ({ id: keyId(key), key }));
  if (!newest) throw new RangeError('at least one key is needed');
  const byId = new Map([newest, ...older].map(({ id, key }) => [id, key]));

  const own = {
    /** Public ids of the keys, newest first. */
    keyIds: [...byId.keys()],
    /** Encrypts with the newest key: `v1.<key id>.<iv>.<ciphertext and tag>`, base64url. */
    seal(plain: string, about: About): string {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, newest.key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(about, newest.id));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return ['v1', newest.id, iv.toString('base64url'), body.toString('base64url')].join('.');
    },

    /** Returns the plain text. Returns `undefined` for another user or purpose, a missing key or a changed byte. */
    open(sealed: string, about: About): string | undefined {
      const [version, id = '', ivText = '', bodyText = '', ...rest] = sealed.split('.');
      const key = byId.get(id);
      const iv = Buffer.from(ivText, 'base64url');
      const body = Buffer.from(bodyText, 'base64url');
      const fits =
        version === 'v1' && iv.length === IV_BYTES && body.length >= TAG_BYTES && rest.length === 0;
      if (!fits || !key) return undefined;
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(additionalData(about, id));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      const plain = decipher.update(body.subarray(0, -TAG_BYTES));
      try {
        return Buffer.concat([plain, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },

    /**
     * Returns the text sealed with the newest key, so that older keys can be removed. Returns the text unchanged if the
     * newest key sealed it or if it doesn't open.
     */
    renew(sealed: string, about: About): string {
      const plain = keyIdOf(sealed) === newest.id ? undefined : own.open(sealed, about);
      return plain === undefined ? sealed : own.seal(plain, about);
    },
  };
  return own;
}

/** Returns whether a text has the form of a sealed secret, whichever key sealed it. */
export function isSealed(text: string): boolean {
  return /^v1\.[\w-]{11}\.[\w-]{16}\.[\w-]{22,}$/.test(text);
}

/** Returns the id of the key that sealed a text; `undefined` if the text isn't sealed. */
export function keyIdOf(sealed: string): string | undefined {
  return sealed.split('.', 2)[1];
}

/** Returns the public id of a key. The id reveals nothing about the key. */
function keyId(key: KeyObject): string {
  return createHash('sha256').update(key.export()).digest().subarray(0, 8).toString('base64url');
}

function additionalData({ user, purpose }: About, id: string): Buffer {
  return Buffer.from(JSON.stringify([user, purpose, id]));
}
