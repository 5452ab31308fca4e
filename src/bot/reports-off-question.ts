import { callbackData } from '../i18n/callback-data.ts';
import type { Words } from '../i18n/texts.ts';
import { button, paragraphs, type View } from '../i18n/view.ts';
import type { WhoseReports } from './reports-outcome.ts';

/** Features with a button that turns service reports off. *Back* leads there. */
const ORIGINS = ['account', 'notifications', 'webhook-log', 'events', 'operator'];

/**
 * Returns the question before service reports are turned off, which affects all holders of the account. `others`:
 * number of its other holders. `origin`: feature with the tapped button.
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
