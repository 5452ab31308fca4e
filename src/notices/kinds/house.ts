import { z } from 'zod';
import { alone, noticeKind } from './kind.ts';

/** Something of the house, for whoever takes care of it. */
export const createHouseNotice = ({ admins }: { admins: ReadonlySet<number> }) =>
  noticeKind({
    name: 'house',
    data: z.object({ key: z.enum(['data-lost', 'guests-full']) }),
    isMoney: false,
    isAlone: true,
    inAllLanguages: true,
    view: alone((words, { key }) => ({ html: words.html(key), keyboard: [] })),
    isStill: async (_, { chat }) => admins.has(chat),
  });
