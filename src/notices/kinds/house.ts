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
      ]),
      /** Telegram's number of who did it, where somebody did. */
      admin: z.number().optional(),
    }),
    isMoney: false,
    isAlone: true,
    inAllLanguages: true,
    view: alone((words, { key, admin = '' }) => ({
      html: words.html(key, { admin: String(admin) }),
      keyboard: [],
    })),
    isStill: async (_, { chat }) => admins.has(chat),
  });
