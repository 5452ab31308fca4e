import { sandbox } from '../api.js';

const CONFIRM_WITHIN_MS = 4000;

/** Makes a button reset the sandbox on the second click. */
export function createReset(button, run) {
  let confirmTimer;
  const cancelConfirmation = () => {
    clearTimeout(confirmTimer);
    confirmTimer = undefined;
    button.textContent = 'Reset';
  };

  button.addEventListener('click', () => {
    if (confirmTimer === undefined) {
      confirmTimer = setTimeout(cancelConfirmation, CONFIRM_WITHIN_MS);
      button.textContent = 'Press again to reset';
      return;
    }
    cancelConfirmation();
    run(sandbox.reset);
  });
}
