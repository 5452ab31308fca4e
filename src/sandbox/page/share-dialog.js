import { element } from './element.js';
import { personName } from './people.js';

/**
 * Creates a dialog that asks for the user to share a link with.
 * @param {HTMLDialogElement} dialog
 * @returns {(shared: { url: string, text: string }, people: object[]) => Promise<object | undefined>} undefined if cancelled
 */
export function createShareDialog(dialog) {
  const [list, words] = ['.share-people', '.share-preview'].map((part) => dialog.querySelector(part));
  return async ({ url, text }, people) => {
    words.textContent = text ? `${text}\n${url}` : url;
    list.replaceChildren(
      ...people.map((person) =>
        element('button', { class: 'button', value: String(person.id), text: personName(person) }),
      ),
    );
    dialog.returnValue = '';
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
    return people.find(({ id }) => String(id) === dialog.returnValue);
  };
}
