import { element } from './element.js';

const SHOWN_MS = 4000;

/**
 * Short words over the chat, and alerts that have to be answered.
 * @param {{ toasts: HTMLElement, alert: HTMLDialogElement }} parts
 */
export function createNotices({ toasts, alert }) {
  const words = alert.querySelector('p');

  const toast = (text) => {
    const shown = element('p', { class: 'toast', text });
    toasts.replaceChildren(shown);
    setTimeout(() => shown.remove(), SHOWN_MS);
  };
  const open = (text) => {
    words.textContent = text;
    if (!alert.open) alert.showModal();
  };

  return {
    toast,
    alert: open,
    /** Copies and says so; what the browser won't copy is shown, to be copied by hand. */
    async copy(text) {
      await navigator.clipboard.writeText(text).then(
        () => toast('Copied to the clipboard'),
        () => open(text),
      );
    },
  };
}
