import { get } from '../endpoint.ts';
import { withdrawalRecord } from '../withdrawal.ts';

export const accountWithdrawals = get('/account/withdrawals', ({ account, parts }) =>
  parts.withdrawals.of(account).map(withdrawalRecord),
);
