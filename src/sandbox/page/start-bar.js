/**
 * What stands in the place of the text box after a link to the bot with a payload, as in Telegram: one button, which sends it.
 * @param {{ bar: HTMLElement, begin: HTMLButtonElement, leave: HTMLButtonElement, composer: HTMLFormElement, box: HTMLElement }} parts
 * @param {(text: string) => Promise<boolean>} say answers whether it was sent
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
    /** Without a payload the chat is only opened. */
    open(given) {
      if (given === undefined) return box.focus();
      payload = given;
      bar.hidden = false;
      composer.hidden = true;
      begin.focus();
    },
  };
}
