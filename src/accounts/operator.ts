import { createHash, timingSafeEqual } from 'node:crypto';
import type { Rental } from '../rental/client.ts';

/** The account whose key the operator gave this bot. */
export interface Operator {
  /** Its id; `undefined` where there is none, or the service doesn't tell just now. */
  account(): Promise<number | undefined>;
  /** The same as far as it is known already: asks nobody. */
  known(): number | undefined;
  /** Whether this account is the operator's; `undefined` where the service doesn't tell just now. */
  owns(account: number): Promise<boolean | undefined>;
  /** Whether this is the operator's key. Takes as long whatever it is. */
  isKey(candidate: string): boolean;
}

export function createOperator({
  rental,
  operatorKey,
}: {
  rental: Pick<Rental, 'profile'>;
  operatorKey: string | undefined;
}): Operator {
  const hash = operatorKey === undefined ? undefined : hashOf(operatorKey);
  let id: number | undefined;

  async function account(): Promise<number | undefined> {
    if (id !== undefined || operatorKey === undefined) return id;
    const profile = await rental.profile(operatorKey);
    if (profile.kind === 'accepted') id = profile.value.id;
    return id;
  }

  return {
    account,
    known: () => id,
    async owns(asked) {
      if (operatorKey === undefined) return false;
      const own = await account();
      return own === undefined ? undefined : own === asked;
    },
    isKey: (candidate) => hash !== undefined && timingSafeEqual(hashOf(candidate), hash),
  };
}

/** Of equal length, whatever it is of. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
