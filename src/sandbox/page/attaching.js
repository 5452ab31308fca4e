import { sizeOf } from './attachment.js';
import { element, icon } from './element.js';

const PICTURES = ['image/jpeg', 'image/png'];

/**
 * The paper clip: what is chosen by it stands above the text box, whose words are its caption, until it is sent or taken off.
 * @param {{ button: HTMLButtonElement, input: HTMLInputElement, place: HTMLElement, box: HTMLTextAreaElement }} parts
 */
export function createAttaching({ button, input, place, box }) {
  const { placeholder } = box;
  let file;

  /** @param {File} [chosen] none takes it off */
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
    /* The same file can be chosen again. */
    input.value = '';
    box.focus();
  });

  return { file: () => file, put };
}

/** A file with its caption as the sandbox takes it: what is no picture or video that Telegram knows is a document. */
export function formOf(file, caption) {
  const form = new FormData();
  const isVideo = file.type.startsWith('video/');
  form.set(PICTURES.includes(file.type) ? 'photo' : isVideo ? 'video' : 'document', file);
  if (caption) form.set('caption', caption);
  return form;
}
