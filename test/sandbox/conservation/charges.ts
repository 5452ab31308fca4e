import type { Holder, Market } from './market.ts';

const DAY_MS = 86_400_000;

/**
 * Accepts charges of Smart Mode while `ms` passed: whole daily fees, at most one per started day. Any other
 * difference remains a fault.
 */
export async function charged(market: Market, ms: number): Promise<void> {
  const days = BigInt(Math.floor(ms / DAY_MS) + 1);
  await lookAt(
    market,
    ({ subscriptions }) => subscriptions.length > 0,
    ({ subscriptions }, charge) => {
      const fees = subscriptions.map(({ daily }) => daily);
      const most = days * fees.reduce((sum, fee) => sum + fee, 0n);
      return fees.some((fee) => charge % fee === 0n) && charge <= most;
    },
  );
}

/** Accepts charges of Smart Mode for one transfer from `from`: none, or the fee of a subscription that watches it. */
export async function chargedByTransfer(market: Market, from: string): Promise<void> {
  const watching = ({ subscriptions }: Holder) => subscriptions.filter(({ address }) => address === from);
  await lookAt(
    market,
    (holder) => watching(holder).length > 0,
    (holder, charge) => watching(holder).some(({ transfer }) => charge === transfer),
  );
}

/** Accepts the charge for resuming a subscription: none during a paid day, otherwise a daily fee. */
export async function chargedByResumption(market: Market, { id }: Holder): Promise<void> {
  await lookAt(
    market,
    (holder) => holder.id === id,
    ({ subscriptions }, charge) => subscriptions.some(({ daily }) => charge === daily),
  );
}

async function lookAt(
  market: Market,
  concerns: (holder: Holder) => boolean,
  fits: (holder: Holder, charge: bigint) => boolean,
): Promise<void> {
  for (const holder of market.holders.filter(concerns)) {
    const balance = await market.balanceOf(holder);
    const charge = holder.expected - balance;
    if (charge > 0n && fits(holder, charge)) holder.expected = balance;
  }
}
