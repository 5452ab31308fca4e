import type { Operator } from '../../src/accounts/operator.ts';

/** Operator of a bot without an operator account. */
export const NO_OPERATOR: Operator = {
  account: async () => undefined,
  knownAccount: () => undefined,
  owns: async () => false,
  isKey: () => false,
};
