import { BigNumber } from 'bignumber.js';
import type { Links } from '../../../accounts/links.ts';
import type { NoticeSettings } from '../../../accounts/notice-settings.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Look } from '../look.ts';
import type { OperatorAlert } from './operator-alert.ts';

/** While all admins wait to hear that it is low, it isn't left alone for longer. */
const OPERATOR_WITHIN_MS = 10 * 60_000;

/**
 * What the account has: who wants to know when it falls below their mark is told, once until it was above again; of the
 * operator's, all admins.
 */
export function createBalanceLook(deps: {
  links: Pick<Links, 'holders'>;
  noticeSettings: Pick<NoticeSettings, 'of'>;
  outbox: Pick<Outbox, 'add'>;
  operatorAlert: OperatorAlert;
}): Look {
  const { links, noticeSettings, outbox, operatorAlert } = deps;

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
    isWanted: async (account) =>
      (await marksOf(account)).length > 0 || (await operatorAlert.markOf(account)) !== undefined,
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
      const mark = await operatorAlert.markOf(account);
      const lowToAdmins = mark !== undefined && new BigNumber(balance).lt(mark) ? [`admins:${mark}`] : [];
      const isNewToAdmins = lowToAdmins.some((one) => !known.includes(one));
      if (mark !== undefined && isNewToAdmins) await operatorAlert.tell({ balance, mark, at });
      // That it has changed is what was expected, whoever is told.
      const seen = `=${balance}`;
      const hasChanged = news.length > 0 || isNewToAdmins || !known.includes(seen);
      return {
        kind: 'accepted',
        value: {
          known: [...low.map(nameOf), ...lowToAdmins, seen],
          hasChanged,
          ...(mark !== undefined && { withinMs: OPERATOR_WITHIN_MS }),
        },
      };
    },
  };
}
