import { z } from 'zod';
import { callbackData } from '../../texts/callback-data.ts';
import { button } from '../../texts/view.ts';
import { listed, noticeKind } from './kind.ts';

/** An account's balance fell below the mark that its user has set. */
export const lowBalanceNotice = noticeKind({
  name: 'low-balance',
  data: z.object({ balance: z.string(), mark: z.string() }),
  isMoney: true,
  mutable: 'low-balance',
  view: listed({
    head: (words) => words.html('notice-low-balance'),
    text: (words, { balance, mark }) => words.html('low-balance', { balance, mark }),
    buttons: (words) => [[button(words, 'button-deposit', callbackData('deposit', 'open'))]],
  }),
});
