import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { Profile } from '../resources/profile.ts';
import type { Endpoint } from './endpoint.ts';

export const profile: Endpoint<undefined, Profile> = {
  name: 'profile',
  kind: 'read',
  method: 'GET',
  path: '/account/profile',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: Profile,
};
