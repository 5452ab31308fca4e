import { callbackData } from './callback-data.ts';
import type { Words } from './texts.ts';
import { button, paragraphs, type View } from './view.ts';

/**
 * Asks before the service's one address for events is replaced: the same words wherever it can be. `operator` is the
 * account, where it is the operator's.
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
