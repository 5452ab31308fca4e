import { element, icon } from './element.js';
import { personName } from './people.js';

/**
 * Creates the list of links shared with the user, above the log. Each link can be removed.
 * @param {HTMLElement} list
 * @param {(id: number) => void} remove
 */
export function createShares(list, remove) {
  let people = [];

  const card = ({ id, from, text, url }) => {
    const sender = people.find((person) => person.id === from);
    const by = sender ? personName(sender) : 'Somebody';
    const putAway = {
      type: 'button',
      class: 'round',
      'aria-label': 'Put away',
      title: 'Put away',
      onclick: () => remove(id),
    };
    return element(
      'li',
      { class: 'share' },
      element(
        'div',
        { class: 'share-words' },
        element('p', { class: 'quiet', text: `${by} shared with you` }),
        text ? element('p', { class: 'share-text', dir: 'auto', text }) : undefined,
        element('a', { href: url, target: '_blank', rel: 'noopener noreferrer', text: url }),
      ),
      element('button', putAway, icon('close')),
    );
  };

  return {
    meet(everybody) {
      people = everybody;
    },
    show(shares) {
      list.replaceChildren(...shares.map(card));
      list.hidden = shares.length === 0;
    },
  };
}
