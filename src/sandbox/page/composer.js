const TALLEST_PX = 160;

/**
 * The text box: Enter sends, Shift+Enter begins a line. What couldn't be sent stays in it.
 * @param {{ form: HTMLFormElement, box: HTMLTextAreaElement, say: (text: string) => Promise<void> }} parts
 */
export function createComposer({ form, box, say }) {
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
    if (!text) return;
    box.value = '';
    grow();
    const sent = await say(text);
    if (sent || box.value) return;
    box.value = text;
    grow();
  });
}
