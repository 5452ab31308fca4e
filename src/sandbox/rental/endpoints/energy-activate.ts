import { z } from 'zod';
import { requireAddress } from '../chain-address.ts';
import { post } from '../endpoint.ts';
import { text } from '../fields.ts';

const body = z.object({ address: text('a chain address: T and 33 more characters') });

export const energyActivate = post('/energy/activate', { body }, ({ account, parts, body }) => {
  const { hash } = parts.activation.activate(account, requireAddress(body.address));
  return { success: true, tx_hash: hash };
});
