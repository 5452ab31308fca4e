import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { Withdrawal } from '../resources/withdrawal.ts';
import type { Endpoint } from './endpoint.ts';

/** An unreadable entry invalidates the list, because a missing entry would count as evidence. */
export const withdrawals: Endpoint<undefined, Withdrawal[]> = {
  name: 'withdrawals',
  kind: 'read',
  method: 'GET',
  path: '/account/withdrawals',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: z.array(Withdrawal),
};
