import { element, icon } from './element.js';

const STYLES = new Set(['danger', 'success', 'primary']);
const ICONS = { url: 'open', copy: 'copy' };

/**
 * Renders an inline keyboard.
 * @param {{ text: string, kind: string, style?: string }[][]} rows
 * @param {(button: object, pressed: HTMLButtonElement) => void} press
 */
export function keyboard(rows, press) {
  return element('div', { class: 'keyboard' }, ...rows.map((row) => keyRow(row, press)));
}

function keyRow(row, press) {
  return element('div', { class: 'keys' }, ...row.map((button) => key(button, press)));
}

function key(button, press) {
  const style = STYLES.has(button.style) ? ` ${button.style}` : '';
  const made = element(
    'button',
    { type: 'button', class: `key${style}` },
    element('span', { text: button.text }),
  );
  if (ICONS[button.kind]) made.append(icon(ICONS[button.kind]));
  made.disabled = button.kind === 'other';
  made.addEventListener('click', () => press(button, made));
  return made;
}
