import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { PackageTiers } from '../resources/package-tiers.ts';
import type { Endpoint } from './endpoint.ts';

export const packageTiers: Endpoint<undefined, PackageTiers> = {
  name: 'packageTiers',
  kind: 'read',
  method: 'GET',
  path: '/transfer-packages/tiers',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: PackageTiers,
};
