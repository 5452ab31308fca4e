/**
 * Keeps a list's nodes as long as what they show: focus, open details and the reader's place stay where they are.
 * @param {HTMLUListElement} list
 * @param {{ key: (item: object) => string | number, draw: (item: object) => HTMLElement, none: string }} how
 */
export function createCardList(list, { key, draw, none }) {
  let shown = new Map();
  const empty = document.createElement('li');
  empty.className = 'none quiet';
  empty.textContent = none;
  list.append(empty);

  return {
    show(items) {
      const next = new Map();
      for (const item of items) {
        const content = JSON.stringify(item);
        const old = shown.get(key(item));
        next.set(key(item), old?.content === content ? old : { content, node: draw(item) });
      }
      shown = next;
      const wanted = items.length > 0 ? [...next.values()].map(({ node }) => node) : [empty];
      for (const node of [...list.children]) if (!wanted.includes(node)) node.remove();
      wanted.forEach((node, index) => {
        if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
      });
    },
  };
}
