import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { DepositInfo } from '../resources/deposit-info.ts';
import type { Endpoint } from './endpoint.ts';

export const depositInfo: Endpoint<undefined, DepositInfo> = {
  name: 'depositInfo',
  kind: 'read',
  method: 'GET',
  path: '/account/deposit',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: DepositInfo,
};
