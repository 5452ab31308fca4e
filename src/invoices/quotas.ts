import type { Operation, Refusal } from '../operations/operation.ts';
import type { RateLimit, SharedRateLimiter } from '../platform/rate-limit.ts';
import { INVOICE_LIFETIME_MS } from '../rental-api/limits.ts';

const MINUTE_MS = 60_000;

/** Limits of each guest: open invoices while they can be paid, and all invoices per hour. */
const OPEN: RateLimit = { most: 3, withinMs: INVOICE_LIFETIME_MS };
const HOURLY: RateLimit = { most: 6, withinMs: 60 * MINUTE_MS };
/**
 * Limit of all guests together. The rest of the 20 creations a minute (specification, section 8) stays with the
 * operator.
 */
const SHARED: RateLimit = { most: 12, withinMs: MINUTE_MS };

/** Limits of guests who make invoices on the operator's account. */
export interface GuestLimits {
  /**
   * Returns why the guest's invoice is refused and for how many seconds, or `undefined` if it is allowed. Counts an
   * allowed invoice.
   */
  admit(operation: Operation): Promise<Refusal | undefined>;
  /** Stops counting an invoice as open: it wasn't made or is no longer open. */
  close(ref: { user: number; id: string }): Promise<void>;
}

export function createGuestLimits(deps: {
  budget: SharedRateLimiter;
  /** Admins have no guest limits. */
  isAdmin: (user: number) => boolean;
  /** Returns whether the operation has ended without making the invoice. */
  isNotMade: (ref: { user: number; id: string }) => Promise<boolean>;
  /** Notifies admins that the limit of all guests together has been reached. */
  tellAdmins: () => Promise<unknown>;
}): GuestLimits {
  const { budget, isAdmin, isNotMade, tellAdmins } = deps;
  const openOf = (user: number) => `guest-open:{${user}}`;
  const hourlyOf = (user: number) => `guest-hourly:{${user}}`;

  const refusal = (reason: Refusal['reason'], waitMs: number): Refusal => ({
    reason,
    code: reason.toUpperCase(),
    seconds: Math.ceil(waitMs / 1000),
  });

  /** Stops counting invoices that were never made. No other event reports them. */
  async function giveBackNotMade(user: number): Promise<void> {
    for (const id of await budget.taken(openOf(user)))
      if (await isNotMade({ user, id })) await budget.giveBack(openOf(user), id);
  }

  async function takeOpen(user: number, id: string): Promise<number> {
    const waitMs = await budget.take(openOf(user), id, OPEN);
    if (waitMs === 0) return 0;
    await giveBackNotMade(user);
    return budget.take(openOf(user), id, OPEN);
  }

  return {
    async admit({ user, id }) {
      if (isAdmin(user)) return undefined;
      const openMs = await takeOpen(user, id);
      if (openMs > 0) return refusal('guest-open', openMs);
      const hourMs = await budget.take(hourlyOf(user), id, HOURLY);
      const sharedMs = hourMs > 0 ? 0 : await budget.take('guests', `${user}/${id}`, SHARED);
      if (hourMs === 0 && sharedMs === 0) return undefined;
      await budget.giveBack(openOf(user), id);
      if (hourMs > 0) return refusal('guest-hour', hourMs);
      await budget.giveBack(hourlyOf(user), id);
      // A failed notification doesn't affect the guest.
      await tellAdmins().catch(() => undefined);
      return refusal('guest-all', sharedMs);
    },
    close: ({ user, id }) => budget.giveBack(openOf(user), id),
  };
}
