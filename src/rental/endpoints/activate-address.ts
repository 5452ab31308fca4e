import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { AddressActivation } from '../resources/address-activation.ts';
import type { Endpoint } from './endpoint.ts';
import { targetAddress } from './request-fields.ts';

const ActivationRequest = z.object({ address: targetAddress });

export type ActivationRequest = z.infer<typeof ActivationRequest>;

export const activateAddress: Endpoint<ActivationRequest, AddressActivation> = {
  name: 'activateAddress',
  kind: 'money',
  method: 'POST',
  path: '/energy/activate',
  perMinute: PER_MINUTE.others,
  request: ActivationRequest,
  response: AddressActivation,
  // The response doesn't contain the address, so there is nothing to compare.
  echoes: () => true,
};
