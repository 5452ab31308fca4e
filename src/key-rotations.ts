import { linkRotation } from './accounts/links.ts';
import { webhookRotation } from './accounts/webhook-subscriptions.ts';
import type { Seal } from './platform/encryption.ts';
import type { KeyRotation } from './platform/key-rotation.ts';
import { recordFormats } from './stored-data.ts';

/**
 * Returns the rotations for a change of `SECRET_KEY`. All records are signed again, and the secrets in them are sealed
 * again.
 */
export function keyRotations(seal: Seal): KeyRotation[] {
  const resealing = [linkRotation(seal), webhookRotation(seal)];
  const others = Object.keys(recordFormats()).filter((prefix) =>
    resealing.every((rotation) => rotation.prefix !== prefix),
  );
  return [...resealing, ...others.map((prefix) => ({ prefix }))];
}
