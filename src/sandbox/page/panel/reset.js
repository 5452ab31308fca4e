import { sandbox } from '../api.js';

const CERTAIN_MS = 4000;

/** Makes a button reset the sandbox on the second click. */
export function createReset(button, run) {
  let certain;
  const calm = () => {
    clearTimeout(certain);
    certain = undefined;
    button.textContent = 'Reset';
  };

  button.addEventListener('click', () => {
    if (certain === undefined) {
      certain = setTimeout(calm, CERTAIN_MS);
      button.textContent = 'Press again to reset';
      return;
    }
    calm();
    run(sandbox.reset);
  });
}
