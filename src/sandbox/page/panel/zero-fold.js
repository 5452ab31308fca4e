import { createCardList } from './card-list.js';
import { createFold } from './fold.js';

/**
 * Creates a list of items with a nonzero amount. Items with a zero amount are folded below it.
 * @param {HTMLUListElement} list
 * @param {{ isZero: (item: object) => boolean, keepsSeen?: boolean, key: (item: object) => string | number, draw: (item: object) => HTMLElement, none: string }} how
 *   `keepsSeen` keeps an item visible if its amount becomes zero later
 */
export function createZeroFold(list, { isZero, keepsSeen = false, ...how }) {
  const fold = createFold(list);
  const shown = createCardList(list, how);
  const folded = createCardList(fold.rest, { ...how, none: undefined });
  const seen = new Set();

  return {
    show(items) {
      const stays = (item) => !isZero(item) || seen.has(how.key(item));
      const nonzero = items.filter(stays);
      const zeros = items.filter((item) => !stays(item));
      if (keepsSeen) for (const item of nonzero) seen.add(how.key(item));
      shown.show(nonzero);
      folded.show(zeros);
      fold.setLabel(zeroRows(zeros.length));
    },
  };
}

/** Returns the label that unfolds the items, or an empty text if there are none. */
export function zeroRows(zeros) {
  if (zeros === 0) return '';
  return zeros === 1 ? 'Show 1 zero row' : `Show ${zeros} zero rows`;
}
