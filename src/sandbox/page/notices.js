import { element } from './element.js';

const SHOWN_MS = 4000;

/**
 * Short words over the chat, and alerts that have to be answered.
 * @param {{ toasts: HTMLElement, alert: HTMLDialogElement }} parts
 */
export function createNotices({ toasts, alert }) {
  const words = alert.querySelector('p');

  return {
    toast(text) {
      const toast = element('p', { class: 'toast', text });
      toasts.replaceChildren(toast);
      setTimeout(() => toast.remove(), SHOWN_MS);
    },
    alert(text) {
      words.textContent = text;
      if (!alert.open) alert.showModal();
    },
  };
}
