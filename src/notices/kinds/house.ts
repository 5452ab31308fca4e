import { z } from 'zod';
import { noticeKind } from './kind.ts';

/** Something of the house, for whoever takes care of it. */
export const createHouseNotice = ({ admins }: { admins: ReadonlySet<number> }) =>
  noticeKind({
    name: 'house',
    data: z.object({ key: z.enum(['data-lost', 'guests-full']) }),
    isMoney: true,
    isAlone: true,
    inAllLanguages: true,
    view: (words, [told]) => ({ html: words.html(told?.key ?? 'data-lost'), keyboard: [] }),
    isStill: async (_, { chat }) => admins.has(chat),
  });
