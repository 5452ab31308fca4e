import type { Links } from '../accounts/links.ts';
import type { News } from './kinds/kinds.ts';
import type { Outbox } from './outbox/outbox.ts';

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
