import { type Invoice, isFollowed } from './invoice.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long after what the service is asked for an invoice again; the last one goes on. */
const OPEN_MS = [10 * SECOND, 20 * SECOND, 30 * SECOND, 45 * SECOND, MINUTE];
const PAID_MS = [5 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND, MINUTE];
const OVER_MS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE];

/** When an invoice is asked for next, and whether before others: for what was just opened or paid, and near its end. */
export interface NextLook {
  inMs: number;
  soon: boolean;
}

/** `undefined` where nothing more will come of it. */
export function nextLook(invoice: Invoice, now: number): NextLook | undefined {
  if (!isFollowed(invoice, now)) return undefined;
  const { status, looks, expiresAt } = invoice;
  if (status === 'paid') return { inMs: pace(PAID_MS, looks), soon: looks < PAID_MS.length };
  const untilEnd = expiresAt - now;
  // Whoever pays in the last moment must not read that nothing came in.
  if (untilEnd <= 0) return { inMs: afterEnd(-untilEnd), soon: false };
  const inMs = pace(OPEN_MS, looks);
  return inMs >= untilEnd ? { inMs: untilEnd, soon: true } : { inMs, soon: looks === 0 };
}

function pace(steps: readonly number[], count: number): number {
  return steps[Math.min(count, steps.length - 1)] ?? MINUTE;
}

/** Ever less often, the longer its end is ago. */
function afterEnd(agoMs: number): number {
  return OVER_MS.findLast((step) => step <= Math.max(agoMs, MINUTE)) ?? MINUTE;
}
