const TALLEST_PX = 160;

/**
 * Creates the text box. Enter sends, Shift+Enter starts a new line. If sending fails, the text is restored.
 * @param {{ form: HTMLFormElement, box: HTMLTextAreaElement, attaching: object, say: (text: string, file?: File) => Promise<boolean> }} parts
 */
export function createComposer({ form, box, attaching, say }) {
  const grow = () => {
    box.style.height = 'auto';
    const borders = box.offsetHeight - box.clientHeight;
    box.style.height = `${Math.min(box.scrollHeight + borders, TALLEST_PX)}px`;
  };
  box.addEventListener('input', grow);
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = box.value.trim();
    box.focus();
    const file = attaching.file();
    if (!text && !file) return;
    box.value = '';
    attaching.put();
    grow();
    const sent = await say(text, file);
    if (sent || box.value || attaching.file()) return;
    box.value = text;
    attaching.put(file);
    grow();
  });
}
