import { z } from 'zod';
import type { EventHooks } from '../../accounts/event-hooks.ts';
import { reportsQuestion } from '../../texts/reports-question.ts';
import { noticeKind } from './kind.ts';

/** Whether the service shall report to the bot: asked once, after the first purchase. */
export const createReportsOffer = ({ hooks }: { hooks: Pick<EventHooks, 'isActive'> }) =>
  noticeKind({
    name: 'reports-offer',
    data: z.object({}),
    isMoney: false,
    isAlone: true,
    isQuestion: true,
    view: (words) => reportsQuestion(words),
    isStill: async (_, { account }) => account !== undefined && !(await hooks.isActive(account)),
  });
