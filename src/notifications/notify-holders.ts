import { ANNOUNCED_MS, type Announced, type AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Links } from '../accounts/links.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { News } from './kinds.ts';
import type { Outbox } from './outbox.ts';

/**
 * Notifies all holders of an account, except those that `except` selects. `id` identifies the notification within its
 * kind; repeated calls notify each holder once.
 */
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
  /** Notifies the other holders of the account that a user wants to withdraw to a new address. */
  announced(asked: Announced): Promise<unknown>;
  /** Notifies the user who announced an address that another holder has struck it out. */
  struck(announced: Announced): Promise<unknown>;
}

/**
 * Creates notifications about withdrawal addresses of accounts without 2FA. When the waiting period of an address ends,
 * the user who announced it is offered the withdrawal card. Call before jobs start.
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
      // An unused address can be announced again, which needs a new notification.
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

/** Creates a function that notifies the other holders of an account of a withdrawal that one of them made. */
export function createWithdrawalNews(deps: { kinds: Kinds; tellHolders: TellHolders }) {
  const { kinds, tellHolders } = deps;
  return async ({ user, id, account, request }: Operation): Promise<void> => {
    const address = kinds.of(request).target(request);
    const data = { address, trx: String('trx' in request ? request.trx : '') };
    await tellHolders(account, { kind: 'holder-withdrawal', id, data }, { except: (one) => one === user });
  };
}
