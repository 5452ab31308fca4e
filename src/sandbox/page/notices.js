import { element } from './element.js';

const SHOWN_MS = 4000;

/**
 * Creates toasts over the chat, and alerts that the user has to close.
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
    /** Copies a text and shows a toast. If the browser refuses, shows the text for copying by hand. */
    async copy(text) {
      await navigator.clipboard.writeText(text).then(
        () => toast('Copied to the clipboard'),
        () => open(text),
      );
    },
  };
}
