import { get } from '../endpoint.ts';
import { trxFromSun } from '../sun.ts';

export const accountProfile = get('/account/profile', ({ account }) => ({
  id: account.id,
  email: account.email,
  chain_address: account.chainAddress,
  balance_trx: trxFromSun(account.balance),
  totp_enabled: account.totpSecret !== undefined,
  created_at: new Date(account.createdAt).toISOString(),
}));
