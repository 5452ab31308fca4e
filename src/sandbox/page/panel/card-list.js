import { element } from '../element.js';

/**
 * Creates a list that reuses the nodes of unchanged items, to keep focus, open details and scroll position. A redrawn card
 * takes over focus and open details.
 * @param {HTMLUListElement} list
 * @param {{ key: (item: object) => string | number, draw: (item: object) => HTMLElement, none?: string }} how
 *   `none` is the text for an empty list.
 */
export function createCardList(list, { key, draw, none }) {
  let shown = new Map();
  const empty = none === undefined ? [] : [element('li', { class: 'none quiet', text: none })];
  list.append(...empty);

  return {
    show(items) {
      const next = new Map();
      let refocus;
      for (const item of items) {
        const content = JSON.stringify(item);
        const old = shown.get(key(item));
        if (old?.content === content) {
          next.set(key(item), old);
          continue;
        }
        const node = draw(item);
        if (old) refocus = takeOver(old.node, node) ?? refocus;
        next.set(key(item), { content, node });
      }
      shown = next;
      const wanted = items.length > 0 ? [...next.values()].map(({ node }) => node) : empty;
      for (const node of [...list.children]) if (!wanted.includes(node)) node.remove();
      wanted.forEach((node, index) => {
        if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
      });
      refocus?.focus({ preventScroll: true });
    },
  };
}

/** Copies open details to the new card. Returns the node to focus if the old card had the focus. */
function takeOver(old, made) {
  const folds = made.querySelectorAll('details');
  old.querySelectorAll('details').forEach((fold, index) => {
    if (folds[index]) folds[index].open = fold.open;
  });
  if (!old.contains(document.activeElement)) return undefined;
  const name = nameOf(document.activeElement);
  made.tabIndex = -1;
  return [...made.querySelectorAll('button, summary')].find((one) => nameOf(one) === name) ?? made;
}

const nameOf = (node) => node.getAttribute('aria-label') ?? node.textContent;
