import { callbackData } from './callback-data.ts';
import type { Words } from './texts.ts';
import { button, paragraphs, type View } from './view.ts';

/**
 * Renders the question before the account's only webhook URL is replaced. `operator` is the account's id if it is the
 * operator account.
 */
export function reportsQuestion(words: Words, { operator }: { operator?: number } = {}): View {
  const isOperators = operator !== undefined;
  const later = words.plain('button-reports-later');
  const on = callbackData('reports', isOperators ? 'operator-on' : 'on');
  return {
    html: paragraphs(
      isOperators && words.html('reports-operator', { account: String(operator) }),
      words.html(isOperators ? 'reports-ask-operator' : 'reports-ask', { later }),
    ),
    keyboard: [
      [button(words, 'button-reports-allow', on)],
      [
        button(
          words,
          'button-reports-later',
          callbackData('reports', isOperators ? 'operator-later' : 'later'),
        ),
      ],
    ],
  };
}
