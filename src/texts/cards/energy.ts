import { counted, inFours } from '../formats.ts';
import type { Words } from '../texts.ts';
import { lines, paragraphs } from '../view.ts';
import type { OperationFacts } from './operation-facts.ts';

/** What is going to be bought, for what, and what can't be undone: all that *Confirm* agrees to. */
export function energyConditions(words: Words, { request, estimate, balance }: OperationFacts): string {
  return paragraphs(
    words.html('energy-card', {
      amount: counted(request.energy_amount, words.language),
      hours: request.duration_hours,
      address: inFours(request.address),
    }),
    lines(
      estimate === undefined
        ? words.html('energy-card-no-estimate')
        : words.html('energy-card-estimate', { estimate }),
      balance === undefined
        ? words.html('energy-card-no-balance')
        : words.html('energy-card-balance', { balance }),
    ),
    words.html('energy-card-truth'),
  );
}

export function energyTitle(words: Words, { request }: OperationFacts): string {
  const amount = counted(request.energy_amount, words.language);
  return lines(
    words.html('energy-title', { amount, hours: request.duration_hours }),
    `<code>${inFours(request.address)}</code>`,
  );
}

/** Bought: the order, what was charged next to what was estimated, and whether the energy is there. */
export function energyResult(words: Words, { result, estimate }: OperationFacts, reported: boolean): string {
  return lines(
    words.html(result?.status === 'failed' ? 'energy-undelivered' : 'energy-done'),
    result?.order !== undefined && words.html('energy-order', { order: String(result.order) }),
    price(words, result?.price, estimate),
    status(words, result?.status, reported),
    result?.balanceLeft !== undefined && words.html('energy-left', { balance: result.balanceLeft }),
  );
}

function price(words: Words, price: string | undefined, estimate: string | undefined): string {
  if (price === undefined) return words.html('energy-price-unknown');
  if (estimate === undefined || estimate === price) return words.html('energy-price', { price });
  return words.html('energy-price-differs', { price, estimate });
}

function status(words: Words, status: string | undefined, reported: boolean): string | undefined {
  switch (status) {
    case undefined:
      return undefined;
    case 'pending':
      return words.html(reported ? 'energy-pending' : 'energy-pending-no-events');
    case 'filled':
      return words.html('energy-filled');
    case 'failed':
      return words.html('energy-failed');
    default:
      return words.html('energy-status', { status });
  }
}
