import { ANNOUNCED_MS, type Announced } from '../accounts/announced-address.ts';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { TellHolders } from './tell-holders.ts';

const LOOK = 'announced-addresses';
const LOOK_MS = 10_000;
const BATCH = 100;

export interface AddressNews {
  /** Tells everybody else who holds the account that somebody wants to withdraw there. */
  announced(asked: Announced): Promise<unknown>;
  /** Tells who wanted to that another has struck it out. */
  struck(announced: Announced): Promise<unknown>;
}

/**
 * News of addresses that accounts without two-factor codes are to be withdrawn to, for those who hold such an account. Once
 * an address counts, who wanted it is offered their card. Call before jobs start.
 */
export function createAddressNews(deps: {
  jobs: Jobs;
  announced: Pick<AnnouncedAddresses, 'due' | 'leave'>;
  outbox: Pick<Outbox, 'add'>;
  tellHolders: TellHolders;
  lookMs?: number | undefined;
}): AddressNews {
  const { jobs, announced, outbox, tellHolders, lookMs = LOOK_MS } = deps;

  const news = (what: 'announced' | 'struck' | 'offered', { id, address, trx, at }: Announced) =>
    ({
      kind: 'address',
      // One that was announced anew, since it was never used, is told anew.
      id: `${what}:${id}:${at}`,
      data: { what, id, address, trx, from: at + ANNOUNCED_MS },
    }) as const;

  const tellAsking = (what: 'struck' | 'offered', one: Announced) =>
    outbox.add({ ...news(what, one), chat: one.user, account: one.account });

  jobs.every(LOOK, lookMs, async () => {
    for (;;) {
      const due = await announced.due(BATCH);
      await Promise.all(
        due.map(async (one) => {
          await tellAsking('offered', one);
          await announced.leave(one);
        }),
      );
      if (due.length < BATCH) return;
    }
  });

  return {
    announced: (asked) =>
      tellHolders(asked.account, news('announced', asked), { except: (user) => user === asked.user }),
    struck: (one) => tellAsking('struck', one),
  };
}
