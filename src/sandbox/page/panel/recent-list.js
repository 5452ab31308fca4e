import { createCardList } from './card-list.js';
import { createFold } from './fold.js';

const NEWEST = 3;
/** Number of newest items within which an item that was open stays visible after it is closed. */
const WATCHED = 12;
const EARLIER = 50;

/**
 * Creates a list of the newest and all open items. Earlier items are folded below it.
 * @param {HTMLUListElement} list
 * @param {{ isOpen: (item: object) => boolean, key: (item: object) => number, draw: (item: object) => HTMLElement, none: string }} how
 */
export function createRecentList(list, { isOpen, ...how }) {
  const fold = createFold(list);
  const recent = createCardList(list, how);
  const earlier = createCardList(fold.rest, { ...how, none: undefined });

  let watched = new Set();

  return {
    show(items) {
      const isWatched = (item, index) => isOpen(item) || (index < WATCHED && watched.has(how.key(item)));
      watched = new Set(items.filter(isWatched).map(how.key));
      const isRecent = (item, index) => index < NEWEST || watched.has(how.key(item));
      const older = items.filter((item, index) => !isRecent(item, index));
      recent.show(items.filter(isRecent));
      earlier.show(older.slice(0, EARLIER));
      fold.setLabel(older.length === 0 ? '' : `${older.length} earlier`);
    },
  };
}
