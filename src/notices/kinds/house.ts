import { z } from 'zod';
import { alone, noticeKind } from './kind.ts';

/** Something of the house, for whoever takes care of it. */
export const createHouseNotice = ({ admins }: { admins: ReadonlySet<number> }) =>
  noticeKind({
    name: 'house',
    data: z.object({
      key: z.enum([
        'data-lost',
        'continuity-unproved',
        'guests-full',
        'maintenance-news-on',
        'maintenance-news-off',
        'records-unreadable',
      ]),
      /** Telegram's number of who did it, where somebody did. */
      admin: z.number().optional(),
      /** Kinds of records that can't be read, with their numbers, and whether their users were notified. */
      detail: z.string().optional(),
      told: z.enum(['yes', 'no']).optional(),
    }),
    isMoney: false,
    isAlone: true,
    inAllLanguages: true,
    view: alone((words, { key, admin = '', detail = '', told = 'no' }) => ({
      html: words.html(key, { admin: String(admin), detail, told }),
      keyboard: [],
    })),
    isStill: async (_, { chat }) => admins.has(chat),
  });
