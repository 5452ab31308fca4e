/** On a narrow page one of the two views is seen at a time. */
export function createViews(root) {
  const buttons = [...root.querySelectorAll('.views button')];
  for (const button of buttons) {
    button.addEventListener('click', () => {
      root.dataset.view = button.dataset.view;
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
    });
  }
}
