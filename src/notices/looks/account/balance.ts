import { BigNumber } from 'bignumber.js';
import type { Links } from '../../../accounts/links.ts';
import type { NoticeSettings } from '../../../accounts/notice-settings.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Look } from '../look.ts';

/** What the account has: who wants to know when it falls below their mark is told, once until it was above again. */
export function createBalanceLook(deps: {
  links: Pick<Links, 'holders'>;
  noticeSettings: Pick<NoticeSettings, 'of'>;
  outbox: Pick<Outbox, 'add'>;
}): Look {
  const { links, noticeSettings, outbox } = deps;

  async function marksOf(account: number): Promise<{ user: number; mark: string }[]> {
    const holders = await links.holders(account);
    const settings = await Promise.all(holders.map(noticeSettings.of));
    return holders.flatMap((user, at) => {
      const mark = settings[at]?.lowBalance;
      return mark === undefined ? [] : [{ user, mark }];
    });
  }

  return {
    name: 'balance',
    namesAccount: true,
    isWanted: async (account) => (await marksOf(account)).length > 0,
    async look(rental, apiKey, { account, at, known = [] }) {
      const read = await rental.profile(apiKey);
      if (read.kind !== 'accepted') return read;
      const { id, balance_trx: balance } = read.value;
      if (id !== account) return { kind: 'accepted', value: { known, hasChanged: false } };
      const low = (await marksOf(account)).filter(({ mark }) => new BigNumber(balance).lt(mark));
      const nameOf = ({ user, mark }: { user: number; mark: string }) => `${user}:${mark}`;
      const news = low.filter((one) => !known.includes(nameOf(one)));
      for (const { user, mark } of news) {
        // A look whose end was lost says the same again.
        const told = `${mark}:${at}`;
        await outbox.add({ kind: 'low-balance', id: told, chat: user, account, data: { balance, mark } });
      }
      // That it has changed is what was expected, whoever is told.
      const seen = `=${balance}`;
      const hasChanged = news.length > 0 || !known.includes(seen);
      return { kind: 'accepted', value: { known: [...low.map(nameOf), seen], hasChanged } };
    },
  };
}
