import { z } from 'zod';
import type { AnnouncedAddresses } from '../../accounts/announced-addresses.ts';
import { addressNotice } from '../../texts/address-notices.ts';
import { alone, noticeKind } from './kind.ts';

const data = z.object({
  what: z.enum(['announced', 'struck', 'offered']),
  id: z.string(),
  address: z.string(),
  /** TRX, decimal. */
  trx: z.string().optional(),
  /** Epoch milliseconds: when it counts. */
  from: z.number(),
});

/** An address that an account without two-factor codes is to be withdrawn to. It can't be muted: it may be a thief's. */
export const createAddressNotice = ({
  announced,
}: {
  announced: Pick<AnnouncedAddresses, 'standing' | 'find'>;
}) =>
  noticeKind({
    name: 'address',
    data,
    isMoney: true,
    isAlone: true,
    isQuestion: true,
    isWarning: true,
    view: alone((words, told, { account = 0 }) => addressNotice(words, told.what, { ...told, account })),
    /** Others may have struck it out since, for this user or for another. */
    async isStill({ what, id, address }, { chat: user, account }) {
      if (what !== 'offered' || account === undefined) return true;
      const present = await announced.find(account, id);
      const { kind } = await announced.standing({ user, account, address });
      return present !== undefined && present.takenAt === undefined && kind === 'ripe';
    },
  });
