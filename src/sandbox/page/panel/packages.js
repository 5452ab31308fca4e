import { element } from '../element.js';
import { mono, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

/** Creates the list of transfer packages. Their addresses can't have Smart Mode. */
export function createPackages(list) {
  const draw = ({ id, account_id, address, size, active }) =>
    element(
      'li',
      { class: 'card' },
      row(strong(`${size} transfers`), active ? pill('active', 'good') : pill('used up')),
      mono(address),
      quiet(`${id} · Account ${account_id}`),
    );

  return createCardList(list, { key: ({ id }) => id, draw, none: 'No address has a package.' });
}
