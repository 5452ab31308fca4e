import { z } from 'zod';
import { pathId } from './request-fields.ts';

/** Which subscription endpoints 8 and 9 are about. */
export const SubscriptionChoice = z.object({ subscription_id: pathId });

export type SubscriptionChoice = z.infer<typeof SubscriptionChoice>;
