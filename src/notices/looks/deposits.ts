import { createHash } from 'node:crypto';
import type { DepositRecord } from '../../rental/resources/deposit-record.ts';
import type { TellHolders } from '../tell-holders.ts';
import { isSince, type Look, unknownOf } from './look.ts';

const STATUSES = ['pending', 'confirmed', 'expired'] as const;
type Told = (typeof STATUSES)[number];

/** What came into the account: told as it is noticed, credited, or has expired. */
export function createDepositsLook({ tellHolders }: { tellHolders: TellHolders }): Look {
  return {
    name: 'deposits',
    async look(rental, apiKey, at) {
      const read = await rental.deposits(apiKey);
      if (read.kind !== 'accepted') return read;
      const { known, fresh } = unknownOf(read.value, nameOf, at.known);
      // One from before the link that was seen to be on its way is followed to its end.
      const wasSeen = (item: DepositRecord) =>
        at.known?.some((name) => name.startsWith(`${identityOf(item)}:`)) === true;
      // What is over is not on its way again, whatever an older answer says.
      const isOld = (item: DepositRecord) => isNamed(item) && item.status === 'pending' && wasSeen(item);
      const news = fresh.filter(
        ({ item }) => isTold(item.status) && !isOld(item) && (isSince(item, at) || wasSeen(item)),
      );
      for (const { name, item } of news) {
        await tellHolders(at.account, { kind: 'deposit', id: name, data: dataOf(item) });
      }
      return { kind: 'accepted', value: { known, isNews: news.length > 0 } };
    },
  };
}

function isTold(status: string): status is Told {
  return STATUSES.some((one) => one === status);
}

/** The status is a part of it: what was pending and is credited is news once more. */
function nameOf(deposit: DepositRecord): string {
  return `${identityOf(deposit)}:${deposit.status}`;
}

/** Of those that tell nothing but a status, one may be any other. */
function isNamed({ id, tx_hash: hash }: DepositRecord): boolean {
  return id !== undefined || hash !== undefined;
}

function identityOf({ id, tx_hash: hash, currency, amount, created_at: at }: DepositRecord): string {
  const fixed = JSON.stringify({ currency, amount, at });
  return String(id ?? hash ?? createHash('sha256').update(fixed).digest('base64url')).slice(0, 64);
}

function dataOf({ id, status, amount, currency, amount_trx: trx }: DepositRecord) {
  return {
    status,
    ...(id !== undefined && { id }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
    ...(trx !== undefined && { trx }),
  };
}
