import { z } from 'zod';
import { callbackData } from '../../texts/callback-data.ts';
import { button } from '../../texts/view.ts';
import { listed, noticeKind } from './kind.ts';

/** What the service sends doesn't arrive here any more: its log is read instead, which takes longer. */
export const hookNotice = noticeKind({
  name: 'hook',
  data: z.object({ why: z.enum(['elsewhere', 'unreached']) }),
  isMoney: false,
  mutable: 'hook',
  view: listed({
    head: (words) => words.html('notice-hook'),
    text: (words, { why }) => words.html(`hook-${why}`),
    buttons: (words) => [[button(words, 'button-reports-on', callbackData('reports', 'open'))]],
  }),
});
