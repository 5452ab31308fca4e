import { sandbox } from '../api.js';

const CERTAIN_MS = 4000;

/** Resets the sandbox at the second press. */
export function createReset(button, notices) {
  let certain;
  const calm = () => {
    clearTimeout(certain);
    certain = undefined;
    button.textContent = 'Reset';
  };

  button.addEventListener('click', async () => {
    if (certain === undefined) {
      certain = setTimeout(calm, CERTAIN_MS);
      button.textContent = 'Press again to reset';
      return;
    }
    calm();
    await sandbox.reset().then(
      () => notices.toast('The sandbox starts over'),
      (error) => notices.toast(error.message),
    );
  });
}
