import { element } from '../element.js';

/** A row of a card: its parts at both ends. */
export const row = (...parts) => element('div', { class: 'row' }, ...parts);

export const strong = (text) => element('strong', { text });
export const quiet = (text) => element('span', { class: 'quiet', text });
export const mono = (text) => element('code', { text });

/** A state in a coloured pill: `good`, `bad`, `open` or nothing in particular. */
export const pill = (text, tone = 'plain') => element('span', { class: `pill ${tone}`, text });

/**
 * A button of a card. While its action runs it takes no second press; what goes wrong is said.
 * @param {{ text: string, label?: string, tone?: string, act: () => Promise<unknown>, notices: object }} parts
 */
export function button({ text, label, tone = '', act, notices }) {
  const made = element('button', { type: 'button', class: `button ${tone}`, text, 'aria-label': label });
  made.addEventListener('click', async () => {
    if (made.hasAttribute('aria-busy')) return;
    made.setAttribute('aria-busy', 'true');
    await act().catch((error) => notices.toast(error.message));
    made.removeAttribute('aria-busy');
  });
  return made;
}
