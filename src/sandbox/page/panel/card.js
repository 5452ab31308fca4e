import { element } from '../element.js';

/** A row of a card: its parts at both ends. */
export const row = (...parts) => element('div', { class: 'row' }, ...parts);

export const strong = (text) => element('strong', { text });
export const quiet = (text) => element('span', { class: 'quiet', text });
export const mono = (text) => element('code', { text });

/** A state in a coloured pill: `good`, `bad`, `open` or nothing in particular. */
export const pill = (text, tone = 'plain') => element('span', { class: `pill ${tone}`, text });

/**
 * A button of a card. While its action runs it takes no second press.
 * @param {{ text: string, label?: string, act: () => Promise<unknown> }} parts
 */
export function button({ text, label, act }) {
  const made = element('button', { type: 'button', class: 'button', text, 'aria-label': label });
  made.addEventListener('click', async () => {
    if (made.hasAttribute('aria-busy')) return;
    made.setAttribute('aria-busy', 'true');
    await act();
    made.removeAttribute('aria-busy');
  });
  return made;
}
