import { z } from 'zod';
import { callbackData, shownBelow } from '../../texts/callback-data.ts';
import { counted } from '../../texts/formats.ts';
import { button, lines, paragraphs } from '../../texts/view.ts';
import { alone, noticeKind } from './kind.ts';

const COUNTS = ['sent', 'blocked', 'deactivated', 'unreachable', 'failed', 'unknown', 'skipped'] as const;

/** How a broadcast came out, or why it is held up, for all admins: an edited message rings for nobody. */
export const createBroadcastNotice = ({ admins }: { admins: ReadonlySet<number> }) =>
  noticeKind({
    name: 'broadcast',
    data: z.object({
      id: z.string(),
      state: z.enum(['done', 'stopped', 'missed', 'paused']),
      why: z.string().optional(),
      total: z.number(),
      counts: z.record(z.enum(COUNTS), z.number()),
      /** How long it took, in milliseconds. */
      ms: z.number().optional(),
    }),
    isMoney: false,
    isAlone: true,
    view: alone((words, { id, state, why = 'none', total, counts, ms }) => {
      const count = (number: number) => counted(number, words.language);
      const there = COUNTS.filter((what) => what === 'sent' || counts[what] > 0);
      const html = paragraphs(
        words.html('broadcast-report', { state, why, total: count(total) }),
        state !== 'missed' &&
          lines(...there.map((what) => words.html('progress-count', { what, count: count(counts[what]) }))),
        ms !== undefined && words.html('progress-took', { minutes: Math.max(1, Math.ceil(ms / 60_000)) }),
      );
      const show = shownBelow(callbackData('broadcast', 'show', id));
      return { html, keyboard: [[button(words, 'button-broadcast-show', show)]] };
    }),
    isStill: async (_, { chat }) => admins.has(chat),
  });
