import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { DepositRecord } from '../resources/deposit-record.ts';
import type { Endpoint } from './endpoint.ts';

const records = z.array(DepositRecord);

/** The specification doesn't show whether the records are wrapped in an object (section 4, endpoint 13). Accepts both. */
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
