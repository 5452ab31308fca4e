import { z } from 'zod';
import { defineKind } from '../../../src/operations/kinds/kind.ts';
import { MINUTE_MS } from '../../../src/platform/clock.ts';
import { SAMPLE_ADDRESS } from '../../../src/rental-api/tron.ts';

declare module '../../../src/i18n/keys.ts' {
  interface TextKeys {
    'tip-title': string;
    'tip-short': string;
    'tip-truth': string;
    'tip-going': string;
    'tip-done': string;
    'tip-refused': string;
    'tip-likely': string;
    'tip-again': string;
    'tip-anyway': string;
    'tip-filter': string;
  }
}

const tipRequest = z.object({ kind: z.literal('tip'), address: z.string(), trx: z.string() });

/** Operation kind that the service doesn't have: the first file to add for a new kind. */
export const tip = defineKind<'tip', z.infer<typeof tipRequest>>({
  name: 'tip',
  request: tipRequest,
  sample: { kind: 'tip', address: SAMPLE_ADDRESS, trx: '12.50' },
  lifetimeMs: 3 * MINUTE_MS,
  target: ({ address }) => address,
  duplicateKey: ({ address, trx }) => `${address} ${trx}`,
  title: (words, { trx }) => words.html('tip-title', { trx }),
  shortTitle: (words) => words.plain('tip-short'),
  send: async (_rental, _apiKey, { trx }) => ({ kind: 'accepted', value: { order: 7, price: trx } }),
  namespace: 'tip',
});
