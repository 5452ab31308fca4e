import { callbackData } from './callback-data.ts';
import type { Words } from './texts.ts';
import { button, type View } from './view.ts';

/** Asks before the service's one address for events is replaced: the same words wherever it can be. */
export function reportsQuestion(words: Words): View {
  const later = words.plain('button-reports-later');
  return {
    html: words.html('reports-ask', { later }),
    keyboard: [
      [button(words, 'button-reports-allow', callbackData('reports', 'on'))],
      [button(words, 'button-reports-later', callbackData('reports', 'later'))],
    ],
  };
}
