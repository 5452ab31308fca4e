import { createHash } from 'node:crypto';
import type { DepositRecord } from '../../../rental/resources/deposit-record.ts';
import type { TellHolders } from '../../tell-holders.ts';
import type { Look } from '../look.ts';
import { newsByStatus } from './by-status.ts';

const STATUSES = ['pending', 'confirmed', 'expired'] as const;

/** What came into the account: told as it is noticed, credited, or has expired. */
export function createDepositsLook({ tellHolders }: { tellHolders: TellHolders }): Look {
  return {
    name: 'deposits',
    async look(rental, apiKey, before) {
      const read = await rental.deposits(apiKey);
      if (read.kind !== 'accepted') return read;
      const { known, news } = newsByStatus(read.value, { identityOf, isNamed, statuses: STATUSES }, before);
      for (const { name, item } of news) {
        await tellHolders(before.account, { kind: 'deposit', id: name, data: dataOf(item) });
      }
      return { kind: 'accepted', value: { known, hasChanged: news.length > 0 } };
    },
  };
}

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
