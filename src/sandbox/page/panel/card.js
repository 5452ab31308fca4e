import { element, icon } from '../element.js';

/** Creates a row of a card with its parts at both ends. */
export const row = (...parts) => element('div', { class: 'row' }, ...parts);
export const buttons = (...parts) => element('div', { class: 'buttons' }, ...parts);

export const strong = (text) => element('strong', { text });
export const quiet = (...parts) => element('span', { class: 'quiet' }, ...parts);
export const mono = (text) => element('code', { text });

/** Creates a coloured label of a state. `tone` is `good`, `bad`, `open` or `plain`. */
export const pill = (text, tone = 'plain') => element('span', { class: `pill ${tone}`, text });

/** Creates a button that copies its text. `what` describes the text. */
export const chip = (text, what, copy) =>
  element(
    'button',
    { type: 'button', class: 'chip', 'aria-label': `Copy ${what} ${text}`, onclick: () => copy(text) },
    mono(text),
    icon('copy'),
  );

/**
 * Creates a button of a card. Ignores further clicks while its action runs.
 * @param {{ text: string, label?: string, act: () => Promise<unknown> }} parts
 */
export function button({ text, label, act }) {
  const made = element('button', { type: 'button', class: 'button', text, 'aria-label': label });
  made.addEventListener('click', () => once(made, act));
  return made;
}

/** Runs `act` when the form is submitted. Ignores further submits while it runs. */
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
