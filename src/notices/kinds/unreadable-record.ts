import { z } from 'zod';
import type { Links } from '../../accounts/links.ts';
import { notice } from '../../texts/view.ts';
import { alone, noticeKind } from './kind.ts';

/** A record of the user's can't be read, so that its state has to be looked up at the service. */
export const createUnreadableRecordNotice = ({ links }: { links: Pick<Links, 'find'> }) =>
  noticeKind({
    name: 'unreadable-record',
    data: z.object({ what: z.enum(['operation', 'invoice', 'link']), id: z.string() }),
    isMoney: true,
    isAlone: true,
    view: alone((words, { what, id }) => notice(words, words.html('record-unreadable', { what, id }))),
    isStill: async ({ what }, { chat }) => what !== 'link' || (await links.find(chat)) === undefined,
  });
