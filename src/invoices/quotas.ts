import type { Operation, Refusal } from '../operations/operation.ts';
import type { Allowance, Budget } from '../platform/rate-limit.ts';
import { INVOICE_LIFETIME_MS } from '../rental-api/limits.ts';

const MINUTE_MS = 60_000;

/** For each guest: open invoices, as long as one may be paid; and invoices at all. */
const OPEN: Allowance = { most: 3, withinMs: INVOICE_LIFETIME_MS };
const HOURLY: Allowance = { most: 6, withinMs: 60 * MINUTE_MS };
/** For all of them together: of the 20 creations a minute (specification, section 8) the others stay the operator's. */
const SHARED: Allowance = { most: 12, withinMs: MINUTE_MS };

/** What guests may have made on the operator's account. */
export interface GuestLimits {
  /** Why there is none for this guest just now, with the seconds until there is. Counts it, where there is. */
  admit(operation: Operation): Promise<Refusal | undefined>;
  /** It wasn't made, or is open no more. */
  close(ref: { user: number; id: string }): Promise<void>;
}

export function createGuestLimits(deps: {
  budget: Budget;
  /** Admins use the operator's account as their own. */
  isAdmin: (user: number) => boolean;
  /** Whether the operation that was to make it has ended without it. */
  isNotMade: (ref: { user: number; id: string }) => Promise<boolean>;
  /** The limit of all guests together has been reached. */
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

  /** Gives back what was counted for invoices that were never made, of which nobody else tells. */
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
      // Whether they hear of it changes nothing for the guest.
      await tellAdmins().catch(() => undefined);
      return refusal('guest-all', sharedMs);
    },
    close: ({ user, id }) => budget.giveBack(openOf(user), id),
  };
}
