import { z } from 'zod';
import { pathId } from './request-fields.ts';

/** Request of endpoints 8 and 9. */
export const SubscriptionChoice = z.object({ subscription_id: pathId });

export type SubscriptionChoice = z.infer<typeof SubscriptionChoice>;
