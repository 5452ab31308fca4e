import { z } from 'zod';
import { minutesOf, RESULTS, resultLines } from '../../texts/broadcast-counts.ts';
import { callbackData, shownBelow } from '../../texts/callback-data.ts';
import { counted } from '../../texts/formats.ts';
import { button, lines, paragraphs } from '../../texts/view.ts';
import { alone, noticeKind } from './kind.ts';

const broadcastNewsSchema = z.object({
  id: z.string(),
  /** `replayed`: an old record of an ended broadcast was put back and refused. */
  state: z.enum(['done', 'stopped', 'missed', 'paused', 'replayed']),
  why: z.string().optional(),
  total: z.number(),
  counts: z.record(z.enum(RESULTS), z.number()),
  /** How long it took, in milliseconds. */
  ms: z.number().optional(),
});
/** Message to admins about a broadcast. */
export type BroadcastNews = z.infer<typeof broadcastNewsSchema>;

/** How a broadcast came out, or why it is held up, for all admins: an edited message rings for nobody. */
export const createBroadcastNotice = ({ admins }: { admins: ReadonlySet<number> }) =>
  noticeKind({
    name: 'broadcast',
    data: broadcastNewsSchema,
    isMoney: false,
    isAlone: true,
    view: alone((words, { id, state, why = 'none', total, counts, ms }) => {
      const html = paragraphs(
        words.html('broadcast-report', { state, why, total: counted(total, words.language) }),
        state !== 'missed' && state !== 'replayed' && lines(...resultLines(words, counts)),
        ms !== undefined && words.html('progress-took', { minutes: minutesOf(ms) }),
      );
      const show = shownBelow(callbackData('broadcast', 'show', id));
      return { html, keyboard: [[button(words, 'button-broadcast-show', show)]] };
    }),
    isStill: async (_, { chat }) => admins.has(chat),
  });
