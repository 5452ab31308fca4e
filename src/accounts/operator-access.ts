import { orTimeout } from '../or-timeout.ts';
import type { Operator } from './operator.ts';

/** An update doesn't wait longer to know which account the operator's key opens. */
const WITHIN_MS = 1_500;

/**
 * - `open`: it is there, by the key of the configuration; `undefined` where the service doesn't tell just now which account
 *   that opens.
 * - `gone`: they are no admin, or there is no such account any more.
 */
export type Access = { kind: 'open'; apiKey: string | undefined } | { kind: 'gone' };

/** Who may use the operator's account: admins, by a reference to it. What is asked here is asked at every use. */
export interface OperatorAccess {
  /** Whether a link that holds a key of its own leads to the operator's account, as far as that is known. */
  isCopy(account: number, apiKey: string | undefined): boolean;
  isAllowed(user: number): boolean;
  /** What a reference to this account is worth now. */
  of(user: number, account: number): Promise<Access>;
}

export function createOperatorAccess(deps: {
  operator: Pick<Operator, 'account' | 'known' | 'isKey'>;
  operatorKey: string | undefined;
  isAdmin: (user: number) => boolean;
}): OperatorAccess {
  const { operator, operatorKey, isAdmin } = deps;
  return {
    isCopy: (account, apiKey) =>
      operator.known() === account || (apiKey !== undefined && operator.isKey(apiKey)),
    isAllowed: isAdmin,
    async of(user, account) {
      if (operatorKey === undefined || !isAdmin(user)) return { kind: 'gone' };
      const present = await orTimeout(operator.account(), WITHIN_MS);
      if (present !== undefined && present !== account) return { kind: 'gone' };
      return { kind: 'open', apiKey: present === undefined ? undefined : operatorKey };
    },
  };
}
