import { element } from './element.js';
import { dayName } from './time.js';

/** How far from its end, in pixels, the log still counts as read to its end. */
const NEAR_PX = 48;

/**
 * The log of messages: one node a message, in their order, a heading a day. It stays at its end unless the reader scrolled up.
 * @param {{ log: HTMLElement, content: HTMLElement, welcome: HTMLElement, latest: HTMLButtonElement }} parts
 */
export function createChatLog({ log, content, welcome, latest }) {
  /* Not every browser lets the keyboard scroll what can't be focused. */
  log.tabIndex = 0;

  const nodes = new Map();
  let render;
  let atEnd = true;

  const toEnd = () => {
    atEnd = true;
    log.scrollTop = log.scrollHeight;
  };
  const look = () => {
    atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_PX;
    latest.hidden = atEnd;
  };
  const keep = () => (atEnd ? toEnd() : look());
  log.addEventListener('scroll', look, { passive: true });
  latest.addEventListener('click', () => {
    toEnd();
    log.focus();
  });
  const sizes = new ResizeObserver(keep);
  sizes.observe(log);
  sizes.observe(content);

  function append(message, node) {
    const day = dayName(message.date * 1000);
    let group = content.lastElementChild;
    if (group?.dataset.day !== day) {
      group = element(
        'section',
        { class: 'day', 'data-day': day },
        element('p', { class: 'day-name', text: day }),
      );
      content.append(group);
    }
    group.append(node);
  }

  function put(message) {
    const node = render(message);
    const old = nodes.get(message.message_id);
    nodes.set(message.message_id, node);
    if (old) swap(old, node);
    else append(message, node);
    welcome.hidden = true;
  }

  function clear() {
    nodes.clear();
    content.replaceChildren();
    welcome.hidden = true;
  }

  return {
    clear,
    /** Shows these messages instead, and draws further ones with `draw`. */
    show(messages, draw) {
      clear();
      render = draw;
      for (const message of messages) put(message);
      welcome.hidden = nodes.size > 0;
      keep();
    },
    put,
    remove(id) {
      const node = nodes.get(id);
      if (!node) return;
      nodes.delete(id);
      const group = node.parentElement;
      node.remove();
      if (!group.querySelector('.message')) group.remove();
      welcome.hidden = nodes.size > 0;
    },
    toEnd,
  };
}

/** An edit leaves the reader where they were: on the button of the same words, or on the message. */
function swap(old, node) {
  const focused = old.contains(document.activeElement) ? document.activeElement : undefined;
  old.replaceWith(node);
  if (!focused) return;
  const same = [...node.querySelectorAll('button')].find(
    (button) => button.textContent === focused.textContent,
  );
  (same ?? node).focus({ preventScroll: true });
}
