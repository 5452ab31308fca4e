import type { Words } from '../i18n/texts.ts';

export const DELIVERY_RESULTS = [
  'sent',
  'blocked',
  'deactivated',
  'unreachable',
  'failed',
  'unknown',
  'skipped',
] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** Renders one line per result with its count. Omits zero counts, except of *sent*. */
export function renderResultCounts(words: Words, counts: Readonly<Record<DeliveryResult, number>>): string[] {
  return DELIVERY_RESULTS.filter((what) => what === 'sent' || counts[what] > 0).map((what) =>
    words.html('progress-count', { what, count: counts[what] }),
  );
}
