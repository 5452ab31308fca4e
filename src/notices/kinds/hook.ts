import { z } from 'zod';
import { callbackData } from '../../texts/callback-data.ts';
import { button } from '../../texts/view.ts';
import { listed, noticeKind } from './kind.ts';
import { mutingRow } from './service-event.ts';

/** What the service sends doesn't arrive here any more, for whichever reason. */
export const hookNotice = noticeKind({
  name: 'hook',
  data: z.object({ why: z.enum(['elsewhere', 'unreached', 'off']) }),
  isMoney: false,
  mutable: 'hook',
  view: listed({
    head: (words) => words.html('notice-hook'),
    text: (words, { why }, { account }) => words.html(`hook-${why}`, { account: String(account) }),
    buttons: (words) => [
      [button(words, 'button-reports-on', callbackData('reports', 'open'))],
      mutingRow(words),
    ],
  }),
});
