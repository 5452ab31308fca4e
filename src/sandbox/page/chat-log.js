import { element } from './element.js';
import { dayName } from './time.js';

/** Maximum distance from the end, in pixels, at which the log still counts as scrolled to the end. */
const NEAR_PX = 48;

/**
 * Creates the message log with one node per message and a heading per day. Stays at the end unless the user scrolled up.
 * @param {{ log: HTMLElement, content: HTMLElement, welcome: HTMLElement, latest: HTMLButtonElement }} parts
 */
export function createChatLog({ log, content, welcome, latest }) {
  /* Some browsers allow keyboard scrolling only of focusable elements. */
  log.tabIndex = 0;

  /* Shown messages and their nodes, by message id. */
  const shown = new Map();
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

  /** Returns the quote of a message for its replies: its first line and a function that scrolls to it. */
  function quoteOf(id) {
    const quoted = shown.get(id);
    if (!quoted) return undefined;
    const [line = ''] = (quoted.message.text ?? quoted.message.caption ?? '').split('\n');
    return { line, show: () => shown.get(id)?.node.scrollIntoView({ block: 'center' }) };
  }

  function place(message) {
    const id = message.message_id;
    const content = JSON.stringify(message);
    const old = shown.get(id);
    if (old?.content === content) return;
    const node = render(message, quoteOf(message.reply_to));
    shown.set(id, { content, node, message });
    if (old) swap(old.node, node);
    else append(message, node);
    welcome.hidden = true;
  }

  function remove(id) {
    const node = shown.get(id)?.node;
    if (!node) return;
    if (node.contains(document.activeElement)) log.focus();
    shown.delete(id);
    const group = node.parentElement;
    node.remove();
    if (!group.querySelector('.message')) group.remove();
    welcome.hidden = shown.size > 0;
  }

  return {
    /** Adds or replaces a message. Scrolls at once: an edit that removes buttons scrolls the log, like a user would. */
    put(message) {
      place(message);
      keep();
    },
    remove,
    toEnd,
    /** Empties the log for another chat. */
    clear() {
      shown.clear();
      content.replaceChildren();
      welcome.hidden = true;
      atEnd = true;
    },
    /** Shows these messages. Draws them and later ones with `draw`. Doesn't redraw unchanged messages. */
    show(messages, draw) {
      render = draw;
      const present = new Set(messages.map((message) => message.message_id));
      for (const id of [...shown.keys()]) if (!present.has(id)) remove(id);
      for (const message of messages) place(message);
      welcome.hidden = shown.size > 0;
      keep();
    },
  };
}

/** Replaces a message's node. Keeps the focus on the button with the same text, or else on the message. */
function swap(old, node) {
  const focused = old.contains(document.activeElement) ? document.activeElement : undefined;
  old.replaceWith(node);
  if (!focused) return;
  const same = [...node.querySelectorAll('button')].find(
    (button) => button.textContent === focused.textContent,
  );
  (same ?? node).focus({ preventScroll: true });
}
