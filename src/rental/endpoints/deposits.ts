import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { DepositRecord } from '../resources/deposit-record.ts';
import type { Endpoint } from './endpoint.ts';

const records = z.array(DepositRecord);

/** Whether the records come as they are or inside an object isn't shown (section 4, endpoint 13). */
const history = z.preprocess(
  (json) =>
    typeof json === 'object' && json !== null && !Array.isArray(json)
      ? Object.values(json).find(Array.isArray)
      : json,
  records,
);

export const deposits: Endpoint<undefined, DepositRecord[]> = {
  name: 'deposits',
  kind: 'read',
  method: 'GET',
  path: '/account/deposits',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: history,
};
