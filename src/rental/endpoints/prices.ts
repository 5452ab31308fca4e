import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { Prices } from '../resources/prices.ts';
import type { Endpoint } from './endpoint.ts';

export const prices: Endpoint<undefined, Prices> = {
  name: 'prices',
  kind: 'read',
  method: 'GET',
  path: '/prices',
  perMinute: PER_MINUTE.prices,
  request: z.undefined(),
  response: Prices,
};
