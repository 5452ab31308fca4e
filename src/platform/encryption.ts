import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** What a key is for: keys of different purposes tell nothing about each other, nor about the secret. */
type KeyPurpose = 'seal' | 'records' | 'buttons' | 'telegram-webhook';

/**
 * A key for one purpose from each of the secrets (`SECRET_KEY`), in their order: newest first. 32 bytes each, by HKDF
 * (RFC 5869) over SHA-256.
 */
export function deriveKeys(secrets: readonly Uint8Array[], purpose: KeyPurpose): Buffer[] {
  return secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', `energy-rental-bot ${purpose}`, 32)),
  );
}

/** What a secret is for. It opens only for the same user and purpose. */
interface About {
  user: number;
  purpose: string;
}

export interface Seal {
  /** Encrypts with the newest key: `v1.<key id>.<iv>.<ciphertext and tag>`, base64url. */
  seal(plain: string, about: About): string;
  /** Answers undefined for whatever doesn't open: another user or purpose, a key that is gone, a changed byte. */
  open(sealed: string, about: About): string | undefined;
  /** The same under the newest key, so that an older one can go; as it is where the newest sealed it, or it doesn't open. */
  renew(sealed: string, about: About): string;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM. Each key is 32 bytes, newest first; older ones only open. `authTagLength` is named because Node 20
 * accepts short tags without it.
 */
export function createSeal(keys: readonly Uint8Array[]): Seal {
  const [newest, ...older] = keys.map((key) => ({ id: keyId(key), key }));
  if (!newest) throw new RangeError('at least one key is needed');
  const byId = new Map([newest, ...older].map(({ id, key }) => [id, key]));

  const own: Seal = {
    seal(plain, about) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, newest.key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(about, newest.id));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return ['v1', newest.id, iv.toString('base64url'), body.toString('base64url')].join('.');
    },

    open(sealed, about) {
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

    renew(sealed, about) {
      const plain = sealed.split('.', 2)[1] === newest.id ? undefined : own.open(sealed, about);
      return plain === undefined ? sealed : own.seal(plain, about);
    },
  };
  return own;
}

/** Returns whether a text has the form of a sealed secret, whoever sealed it. */
export function isSealed(text: string): boolean {
  return /^v1\.[\w-]{11}\.[\w-]{16}\.[\w-]{22,}$/.test(text);
}

/** Known without the key, and says nothing about it. */
function keyId(key: Uint8Array): string {
  return createHash('sha256').update(key).digest().subarray(0, 8).toString('base64url');
}

function additionalData({ user, purpose }: About, id: string): Buffer {
  return Buffer.from(JSON.stringify([user, purpose, id]));
}
