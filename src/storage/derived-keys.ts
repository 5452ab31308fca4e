import { hkdfSync } from 'node:crypto';

/** What a key is for: keys of different purposes tell nothing about each other, nor about the secret. */
export type KeyPurpose = 'seal' | 'records' | 'buttons' | 'telegram-webhook';

/**
 * A key for one purpose from each of the secrets (`SECRET_KEY`), in their order: newest first. 32 bytes each, by HKDF
 * (RFC 5869) over SHA-256.
 */
export function deriveKeys(secrets: readonly Uint8Array[], purpose: KeyPurpose): Buffer[] {
  return secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', `energy-rental-bot ${purpose}`, 32)),
  );
}
