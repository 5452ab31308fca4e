import { callbackData } from '../texts/callback-data.ts';
import type { Words } from '../texts/texts.ts';
import { button, paragraphs, type View } from '../texts/view.ts';
import type { WhoseReports } from './reports-outcome.ts';

/** The screens that offer to turn service reports off: *Back* leads there. */
const ORIGINS = ['account', 'notifications', 'webhook-log', 'events', 'operator'];

/**
 * Asks before service reports are turned off, since everybody who holds the account loses them. `others`: how many hold it
 * besides who is asked; `origin`: where they come from.
 */
export function reportsOffQuestion(
  words: Words,
  { off, offNow, saysLoss, home }: WhoseReports,
  { account, others, origin }: { account: number; others: number; origin: string },
): View {
  const back = ORIGINS.includes(origin) ? origin : home;
  return {
    html: paragraphs(
      off === 'operator-off' && words.html('reports-operator', { account: String(account) }),
      words.html(saysLoss),
      words.html('reports-off-others', { account: String(account), others }),
    ),
    keyboard: [
      [button(words, 'button-reports-off-yes', callbackData('reports', offNow), 'danger')],
      [button(words, 'button-back', callbackData(back, 'open'))],
    ],
  };
}
