import type { Operations } from '../../../operations/operations.ts';
import type { Withdrawal } from '../../../rental/resources/withdrawal.ts';
import type { TellHolders } from '../../tell-holders.ts';
import type { Look } from '../look.ts';
import { newsByStatus } from './by-status.ts';

/** Of the operations that withdraw. */
const NUMBERING = 'withdrawal';
const STATUSES = ['pending', 'completed', 'failed'];
/** The answer to whoever is just asking for one may still be on its way: then it is theirs, and they are told by it. */
const FRESH_MS = 45_000;
const AGAIN_MS = 20_000;

/**
 * What was taken out of the account: whose operation it is learns how it stands by its receipt, and everybody else who
 * holds the account by a notice.
 */
export function createWithdrawalsLook(deps: {
  operations: Pick<Operations, 'noteListed'>;
  tellHolders: TellHolders;
  now: () => number;
}): Look {
  const { operations, tellHolders, now } = deps;

  async function tell(account: number, name: string, withdrawal: Withdrawal): Promise<boolean> {
    const {
      id,
      status,
      to_address: to,
      amount_trx: trx,
      fee_trx: fee,
      created_at,
      tx_hash: txHash,
    } = withdrawal;
    const result = { status, ...(txHash && { txHash }) };
    const owner = await operations.noteListed({ account, numbering: NUMBERING, order: id }, result);
    const isFresh = created_at !== undefined && now() - Date.parse(created_at) < FRESH_MS;
    if (owner === 'perhaps' && isFresh) return false;
    // The other account holders were notified when it was requested.
    if (typeof owner === 'number' && status === 'pending') return true;
    const news = {
      kind: 'withdrawal',
      id: name,
      data: { status, to, trx, ...(fee !== undefined && { fee }) },
    } as const;
    await tellHolders(account, news, { except: (user) => user === owner });
    return true;
  }

  return {
    name: 'withdrawals',
    async look(rental, apiKey, before) {
      const read = await rental.withdrawals(apiKey);
      if (read.kind !== 'accepted') return read;
      const identityOf = ({ id }: Withdrawal) => String(id);
      const { known, news } = newsByStatus(read.value, { identityOf, statuses: STATUSES }, before);
      const waiting = new Set<string>();
      for (const { name, item } of news) if (!(await tell(before.account, name, item))) waiting.add(name);
      return {
        kind: 'accepted',
        value: {
          known: known.filter((name) => !waiting.has(name)),
          hasChanged: news.length > waiting.size,
          ...(waiting.size > 0 && { againMs: AGAIN_MS }),
        },
      };
    },
  };
}
