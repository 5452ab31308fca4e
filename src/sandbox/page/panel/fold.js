import { element } from '../element.js';

/**
 * Creates a folded list below another one. `setLabel` sets its label; an empty label hides it.
 * @param {HTMLUListElement} list
 */
export function createFold(list) {
  const summary = element('summary');
  const rest = element('ul', { class: 'cards' });
  const fold = element('details', { class: 'earlier', hidden: true }, summary, rest);
  list.after(fold);

  return {
    rest,
    setLabel(words) {
      fold.hidden = words === '';
      if (summary.textContent !== words) summary.textContent = words;
    },
  };
}
