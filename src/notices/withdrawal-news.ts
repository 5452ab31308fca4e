import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { TellHolders } from './tell-holders.ts';

/** Tells those who hold an account that another of them has taken money out of it. */
export function createWithdrawalNews(deps: { kinds: Kinds; tellHolders: TellHolders }) {
  const { kinds, tellHolders } = deps;
  return async ({ user, id, account, request }: Operation): Promise<void> => {
    const address = kinds.of(request).target(request);
    const data = { address, trx: String('trx' in request ? request.trx : '') };
    await tellHolders(account, { kind: 'holder-withdrawal', id, data }, { except: (one) => one === user });
  };
}
