import { element } from '../element.js';

/**
 * A list below another, folded away under a few words; without any there is nothing to unfold.
 * @param {HTMLUListElement} list
 */
export function createFold(list) {
  const summary = element('summary');
  const rest = element('ul', { class: 'cards' });
  const fold = element('details', { class: 'earlier', hidden: true }, summary, rest);
  list.after(fold);

  return {
    rest,
    say(words) {
      fold.hidden = words === '';
      if (summary.textContent !== words) summary.textContent = words;
    },
  };
}
