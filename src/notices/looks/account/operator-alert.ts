import type { Operator } from '../../../accounts/operator.ts';
import type { OperatorLimits } from '../../../accounts/operator-limits.ts';
import type { TellAdmins } from '../../admin-news.ts';

/** Below which balance of the operator's account all admins are told, whoever holds it. */
export interface OperatorAlert {
  /** TRX, decimal; `undefined` where it is another's account, or admins have set none. */
  markOf(account: number): Promise<string | undefined>;
  /** `at` names the look: said again by the same one, it is told once. */
  tell(low: { balance: string; mark: string; at: number }): Promise<unknown>;
}

export function createOperatorAlert(deps: {
  operator: Pick<Operator, 'account'>;
  operatorLimits: Pick<OperatorLimits, 'now'>;
  tellAdmins: Pick<TellAdmins, 'ofOperator'>;
}): OperatorAlert {
  const { operator, operatorLimits, tellAdmins } = deps;
  return {
    async markOf(account) {
      const { alert } = await operatorLimits.now();
      return alert !== undefined && (await operator.account()) === account ? alert : undefined;
    },
    tell: ({ balance, mark, at }) =>
      tellAdmins.ofOperator(`low:${mark}:${at}`, { what: 'low', balance, mark }),
  };
}
