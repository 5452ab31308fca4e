import { ANNOUNCED_MS, type Announced, type AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Links } from '../accounts/links.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { News } from './kinds.ts';
import type { Outbox } from './outbox.ts';

/** Tells everybody who holds the account, each once however often it is said: `id` names it within its kind. */
export type TellHolders = (
  account: number,
  news: News,
  to?: { except: (user: number) => boolean },
) => Promise<unknown>;

export function createTellHolders(deps: {
  links: Pick<Links, 'holders'>;
  outbox: Pick<Outbox, 'add'>;
}): TellHolders {
  return async (account, news, { except } = { except: () => false }) => {
    const holders = (await deps.links.holders(account)).filter((user) => !except(user));
    await Promise.all(holders.map((chat) => deps.outbox.add({ ...news, chat, account })));
  };
}

const LOOK = 'announced-addresses';
const LOOK_MS = 10_000;
const BATCH = 100;

interface AddressNews {
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

/** Tells those who hold an account that another of them has taken money out of it. */
export function createWithdrawalNews(deps: { kinds: Kinds; tellHolders: TellHolders }) {
  const { kinds, tellHolders } = deps;
  return async ({ user, id, account, request }: Operation): Promise<void> => {
    const address = kinds.of(request).target(request);
    const data = { address, trx: String('trx' in request ? request.trx : '') };
    await tellHolders(account, { kind: 'holder-withdrawal', id, data }, { except: (one) => one === user });
  };
}
