import type { Rental } from '../rental/client.ts';

/** The account whose key the operator gave this bot. */
export interface Operator {
  /** Whether this account is the operator's; `undefined` where the service doesn't tell just now. */
  owns(account: number): Promise<boolean | undefined>;
}

export function createOperator({
  rental,
  operatorKey,
}: {
  rental: Pick<Rental, 'profile'>;
  operatorKey: string | undefined;
}): Operator {
  let id: number | undefined;
  return {
    async owns(account) {
      if (operatorKey === undefined) return false;
      if (id === undefined) {
        const profile = await rental.profile(operatorKey);
        if (profile.kind !== 'accepted') return undefined;
        id = profile.value.id;
      }
      return id === account;
    },
  };
}
