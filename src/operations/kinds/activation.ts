import { z } from 'zod';
import { ACTIVATION_COST_TRX, formatTrx, parseTrx } from '../../rental-api/amounts.ts';
import { defineKind } from './kind.ts';

const HASH = /^[0-9a-f]{64}$/i;

const activationRequest = z.object({ kind: z.literal('activation'), address: z.string() });

/** Activation of an address (specification, section 4, endpoint 3): 1.1 TRX are deducted from the balance. */
export const activation = defineKind<'activation', z.infer<typeof activationRequest>>({
  name: 'activation',
  request: activationRequest,
  lifetimeMs: 5 * 60_000,
  target: ({ address }) => address,
  duplicateKey: ({ address }) => address,
  title: (words) => words.html('activation-title'),
  async send(rental, apiKey, { address }) {
    const outcome = await rental.activateAddress(apiKey, { address });
    if (outcome.kind !== 'accepted') return outcome;
    const { success, tx_hash: txHash } = outcome.value;
    // The reply doesn't echo the request. Only a transaction hash shows that the address was activated.
    if (!success || !txHash || !HASH.test(txHash)) {
      return { kind: 'unknown', reason: 'mismatch', message: 'the reply contains no transaction hash' };
    }
    const price = parseTrx(ACTIVATION_COST_TRX);
    return { kind: 'accepted', value: { txHash, price: price && formatTrx(price) } };
  },
  once: { mark: ({ address }) => `active:${address}`, codes: ['ADDRESS_ALREADY_ACTIVE'] },
});
