import type { Operations } from '../../operations/operations.ts';
import type { Withdrawal } from '../../rental/resources/withdrawal.ts';
import type { TellHolders } from '../tell-holders.ts';
import { isSince, type Look, unknownOf } from './look.ts';

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
    const { id, status, to_address: to, amount_trx: trx, fee_trx: fee, tx_hash: txHash } = withdrawal;
    const result = { status, ...(txHash && { txHash }) };
    const owner = await operations.noteListed({ account, numbering: NUMBERING, order: id }, result);
    if (owner === 'perhaps' && now() - Date.parse(withdrawal.created_at) < FRESH_MS) return false;
    // That it was asked for, all others who hold the account have heard then.
    if (typeof owner === 'number' && status === 'pending') return true;
    const news = { kind: 'withdrawal', id: name, data: { status, to, trx, fee } } as const;
    await tellHolders(account, news, { except: (user) => user === owner });
    return true;
  }

  return {
    name: 'withdrawals',
    async look(rental, apiKey, at) {
      const read = await rental.withdrawals(apiKey);
      if (read.kind !== 'accepted') return read;
      const { known, fresh } = unknownOf(read.value, ({ id, status }) => `${id}:${status}`, at.known);
      // One from before the link that was seen to be on its way is followed to its end.
      const wasSeen = ({ id }: Withdrawal) => at.known?.some((name) => name.startsWith(`${id}:`)) === true;
      // What is over is not on its way again, whatever an older answer says.
      const isOld = (item: Withdrawal) => item.status === 'pending' && wasSeen(item);
      const news = fresh.filter(
        ({ item }) => STATUSES.includes(item.status) && !isOld(item) && (isSince(item, at) || wasSeen(item)),
      );
      const waiting = new Set<string>();
      for (const { name, item } of news) if (!(await tell(at.account, name, item))) waiting.add(name);
      return {
        kind: 'accepted',
        value: {
          known: known.filter((name) => !waiting.has(name)),
          isNews: news.length > waiting.size,
          ...(waiting.size > 0 && { againMs: AGAIN_MS }),
        },
      };
    },
  };
}
