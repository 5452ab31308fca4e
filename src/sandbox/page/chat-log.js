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

  /* By the message's number: what it is, and its node. */
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

  /** The message that is replied to, as a reply names it: its first line, and the way to it. */
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
    /** At once, since an edit that takes buttons off scrolls the log by itself, which looks like a reader. */
    put(message) {
      place(message);
      keep();
    },
    remove,
    toEnd,
    /** Another chat is opened. */
    clear() {
      shown.clear();
      content.replaceChildren();
      welcome.hidden = true;
      atEnd = true;
    },
    /** Shows these messages, and draws them and further ones with `draw`. What hasn't changed isn't drawn again. */
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
