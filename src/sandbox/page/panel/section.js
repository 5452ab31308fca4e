/**
 * Returns a function that shows a part of the state in its section. Hides the section if the part is undefined.
 * @param {HTMLElement} content any element in the section
 * @param {{ show: (items: object[], state: object) => void, count?: (items: object[]) => string }} how
 */
export function inSection(content, { show, count = howMany }) {
  const section = content.closest('section');
  const counter = section.querySelector('.count');
  return (items, state) => {
    section.hidden = items === undefined;
    if (items === undefined) return;
    show(items, state);
    const words = count(items);
    if (counter && counter.textContent !== words) counter.textContent = words;
  };
}

/** Returns the number of pending items, or else of all items. */
function howMany(items) {
  const pending = items.filter(({ status }) => status === 'pending').length;
  return pending > 0 ? `${pending} pending` : String(items.length || '');
}
