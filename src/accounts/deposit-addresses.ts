import { z } from 'zod';
import { DAY_MS } from '../platform/clock.ts';
import { defineRecord } from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';

const TTL_MS = 365 * DAY_MS;

export const DEPOSIT_ADDRESS = defineRecord({
  keys: 'deposit-address:{user}:account',
  content: 'Deposit address of the account that the user was last shown',
  schema: z.object({ address: z.string() }),
  ttlMs: TTL_MS,
  signed: true,
});

/** Deposit addresses that users were shown. They are only compared with new ones, never shown as current. */
export function createDepositAddresses({ records }: Pick<AccountsDeps, 'records'>) {
  const shown = records.store(DEPOSIT_ADDRESS);
  return {
    /** Returns the address that the user was last shown for the account, within a year. */
    lastShown: async (user: number, account: number): Promise<string | undefined> =>
      (await shown.get({ user, account }))?.address,
    recordShown: (user: number, account: number, address: string) =>
      shown.set({ user, account }, { address }),
  };
}
