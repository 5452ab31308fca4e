import type { Operator } from '../../src/accounts/operator.ts';

/** There is no account of an operator. */
export const NO_OPERATOR: Operator = {
  account: async () => undefined,
  known: () => undefined,
  owns: async () => false,
  isKey: () => false,
};
