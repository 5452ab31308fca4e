import { depositRecord } from '../deposit.ts';
import { get } from '../endpoint.ts';

export const accountDeposits = get('/account/deposits', ({ account, parts }) =>
  parts.deposits.of(account).map(depositRecord),
);
