import { element, icon } from '../element.js';

/** A row of a card: its parts at both ends. */
export const row = (...parts) => element('div', { class: 'row' }, ...parts);
export const buttons = (...parts) => element('div', { class: 'buttons' }, ...parts);

export const strong = (text) => element('strong', { text });
export const quiet = (...parts) => element('span', { class: 'quiet' }, ...parts);
export const mono = (text) => element('code', { text });

/** A state in a coloured pill: `good`, `bad`, `open` or nothing in particular. */
export const pill = (text, tone = 'plain') => element('span', { class: `pill ${tone}`, text });

/** What a press copies; `what` says what it is. */
export const chip = (text, what, copy) =>
  element(
    'button',
    { type: 'button', class: 'chip', 'aria-label': `Copy ${what} ${text}`, onclick: () => copy(text) },
    mono(text),
    icon('copy'),
  );

/**
 * A button of a card. While its action runs it takes no second press.
 * @param {{ text: string, label?: string, act: () => Promise<unknown> }} parts
 */
export function button({ text, label, act }) {
  const made = element('button', { type: 'button', class: 'button', text, 'aria-label': label });
  made.addEventListener('click', () => once(made, act));
  return made;
}

/** Runs `act` when the form is sent, one at a time. */
export function onSubmit(form, act) {
  const submit = form.querySelector('[type="submit"]');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    once(submit, act);
  });
}

async function once(pressed, act) {
  if (pressed.hasAttribute('aria-busy')) return;
  pressed.setAttribute('aria-busy', 'true');
  await act();
  pressed.removeAttribute('aria-busy');
}
