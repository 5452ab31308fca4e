import { sizeOf } from './attachment.js';
import { element, icon } from './element.js';

const PICTURES = ['image/jpeg', 'image/png'];

/**
 * Creates the attachment button. Shows the chosen file above the text box until it is sent or removed. The text is its caption.
 * @param {{ button: HTMLButtonElement, input: HTMLInputElement, place: HTMLElement, box: HTMLTextAreaElement }} parts
 */
export function createAttaching({ button, input, place, box }) {
  const { placeholder } = box;
  let file;

  /** @param {File} [chosen] removes the file if omitted */
  function put(chosen) {
    file = chosen;
    place.replaceChildren(...(file ? shown(file) : []));
    box.placeholder = file ? 'Add a caption…' : placeholder;
  }

  const shown = ({ name, size }) => {
    const takeOff = () => {
      put();
      box.focus();
    };
    const attributes = {
      type: 'button',
      class: 'round',
      'aria-label': 'Take the file off',
      onclick: takeOff,
    };
    return [
      icon('file'),
      element('span', { class: 'document-name', text: name }),
      ' ',
      element('span', { class: 'document-size', text: sizeOf(size) }),
      element('button', attributes, icon('close')),
    ];
  };

  button.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    if (input.files[0]) put(input.files[0]);
    /* Allows choosing the same file again. */
    input.value = '';
    box.focus();
  });

  return { file: () => file, put };
}

/** Creates the form for a file and its caption. Files other than JPEG, PNG and videos are sent as documents. */
export function formOf(file, caption) {
  const form = new FormData();
  const isVideo = file.type.startsWith('video/');
  form.set(PICTURES.includes(file.type) ? 'photo' : isVideo ? 'video' : 'document', file);
  if (caption) form.set('caption', caption);
  return form;
}
