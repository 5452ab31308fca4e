/**
 * Creates the bar that replaces the text box after a link with a payload, as in Telegram. Its button sends the payload.
 * @param {{ bar: HTMLElement, begin: HTMLButtonElement, leave: HTMLButtonElement, composer: HTMLFormElement, box: HTMLElement }} parts
 * @param {(text: string) => Promise<boolean>} say returns whether the text was sent
 */
export function createStartBar({ bar, begin, leave, composer, box }, say) {
  let payload;

  const close = () => {
    bar.hidden = true;
    composer.hidden = false;
  };
  begin.addEventListener('click', async () => {
    if (await say(`/start ${payload}`)) {
      close();
      box.focus();
    }
  });
  leave.addEventListener('click', () => {
    close();
    box.focus();
  });

  return {
    close,
    /** Shows the bar. Without a payload it only focuses the text box. */
    open(given) {
      if (given === undefined) return box.focus();
      payload = given;
      bar.hidden = false;
      composer.hidden = true;
      begin.focus();
    },
  };
}
