import type { Operation } from '../operations/operation.ts';
import type { TellAdmins } from './admin-news.ts';
import type { OperatorNews } from './kinds/operator.ts';

type Outcome = Extract<OperatorNews, { what: 'used' }>['outcome'];

/** Tells all admins what one of them has confirmed on the operator's account, as it comes to an outcome, and to another. */
export function createOperatorUse({ tellAdmins }: { tellAdmins: Pick<TellAdmins, 'ofOperator'> }) {
  return async (operation: Operation): Promise<void> => {
    const { user: by, id, request, operators, result, estimate } = operation;
    const outcome = outcomeOf(operation);
    if (!operators || outcome === undefined) return;
    const trx = result?.price ?? estimate;
    const price = trx !== undefined && { trx };
    const name = `used:${by}:${id}:${outcome}`;
    await tellAdmins.ofOperator(name, { what: 'used', by, id, request, outcome, ...price });
  };
}

function outcomeOf({ state, result }: Operation): Outcome | undefined {
  switch (state) {
    case 'done':
      return result?.status === 'failed' ? 'failed' : 'done';
    case 'refused':
    case 'unknown':
    case 'likely':
    case 'closed':
      return state;
    default:
      return undefined;
  }
}
