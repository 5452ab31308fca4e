import { element } from './element.js';

/**
 * Creates the buttons that switch between views. A narrow page shows one view at a time.
 * @param {HTMLElement} nav
 */
export function createViews(nav) {
  let offered = [];
  let current;
  const news = new Set();

  const draw = () => {
    for (const { root, button } of offered) {
      const isCurrent = root === current;
      root.classList.toggle('current', isCurrent);
      button.toggleAttribute('data-news', news.has(root) && !isCurrent);
      button.setAttribute('aria-pressed', String(isCurrent));
    }
  };
  const show = (root) => {
    current = root;
    news.delete(root);
    draw();
  };

  return {
    show,
    /** Marks a view as changed. Its button shows the mark until the view is shown. */
    mark(root) {
      if (root !== current) news.add(root);
      draw();
    },
    /** @param {{ root: HTMLElement, name: string }[]} views in their order */
    offer(views) {
      const buttons = new Map(offered.map(({ root, button }) => [root, button]));
      offered = views.map(({ root, name }) => {
        const button = buttons.get(root) ?? element('button', { type: 'button', onclick: () => show(root) });
        button.textContent = name;
        return { root, button };
      });
      nav.replaceChildren(...offered.map(({ button }) => button));
      if (!offered.some(({ root }) => root === current)) current = offered[0].root;
      draw();
    },
  };
}
