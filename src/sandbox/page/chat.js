import { telegram } from './api.js';
import { formOf } from './attaching.js';
import { linkTarget } from './link-target.js';
import { renderMessage } from './message.js';
import { listen } from './stream.js';
import { createWaiting } from './waiting.js';

const RETRY_MS = 1500;

/**
 * Opens a user's private chat with the bot. The chat is updated until it is closed.
 * @param {object} surroundings user, bot and the parts of the page:
 *   `now` returns the sandbox's time in epoch milliseconds; `arrived` is called for each new message of the bot and each share;
 *   `shared` receives all links shared with the user; `emptied` is called when the chat has no messages; `heard` receives each message of the bot that is new, edited or the latest one; `begin` offers to start the bot with a payload; `share` shares a link.
 */
export function openChat({
  person,
  bot,
  log,
  notices,
  online,
  now,
  arrived,
  begin,
  share,
  shared,
  emptied,
  heard,
}) {
  const waiting = createWaiting();
  let held;
  let retry;
  let closed = false;

  const draw = (message, quote) => {
    const mine = message.from === 'person' && message.from_id === person.id;
    const reader = { mine, name: mine ? 'You' : bot.name, language: person.language_code, now };
    return renderMessage(message, { ...reader, quote, press, remove });
  };

  const attempt = (action) => action.catch((error) => notices.toast(error.message));
  const remove = (id) => attempt(telegram.remove(person.id, id));
  const say = (text, file) => {
    log.toEnd();
    return telegram.write(person.id, file ? formOf(file, text) : { text, from: person.id });
  };

  function press(message, button, pressed) {
    if (button.kind === 'url') return open(button.url);
    if (button.kind === 'copy') return notices.copy(button.copy);
    const tap = { message_id: message.message_id, data: button.data, from: person.id };
    return attempt(waiting.tap(pressed, () => telegram.tap(person.id, tap)));
  }

  /** Opens a URL. Handles Telegram links like a Telegram client. */
  function open(url) {
    const target = linkTarget(url, bot.username);
    if (target.kind === 'elsewhere') window.open(url, '_blank', 'noopener,noreferrer');
    else if (target.kind === 'share') attempt(share(target));
    else begin(target.payload);
  }

  /** Runs `action`, but delays it while messages are being loaded. */
  const then = (action) => (held ? held.push(action) : action());

  async function load() {
    clearTimeout(retry);
    const later = [];
    held = later;
    try {
      const [messages, shares] = await Promise.all([
        telegram.messages(person.id),
        telegram.shares(person.id),
      ]);
      if (closed || held !== later) return;
      shared(shares);
      log.show(messages, draw);
      if (messages.length === 0) emptied();
      const latest = messages.findLast(({ from }) => from === 'bot');
      if (latest) heard(latest);
      held = undefined;
      for (const action of later) action();
      online(true);
    } catch {
      if (!closed && held === later) retry = setTimeout(load, RETRY_MS);
    }
  }

  const stop = listen(telegram.stream(person.id), {
    opened: load,
    lost: () => online(false),
    events: {
      message: (message) =>
        then(() => {
          log.put(message);
          if (message.from !== 'bot') return;
          heard(message);
          arrived();
        }),
      edit: (message) =>
        then(() => {
          log.put(message);
          if (message.from === 'bot') heard(message);
        }),
      delete: (message) => then(() => log.remove(message.message_id)),
      chat: load,
      share: (shares) =>
        then(() => {
          shared(shares);
          arrived();
        }),
      toast: ({ callback_id, text, alert }) => {
        waiting.answered(callback_id);
        if (text) (alert ? notices.alert : notices.toast)(text);
      },
    },
  });

  return {
    say,
    /** Handles a click inside a text: opens links, sends commands, copies code. */
    touch(event) {
      const touched = event.target.closest('a:not([download]), .said, .text code');
      if (!touched) return;
      event.preventDefault();
      if (touched.matches('.said')) attempt(say(touched.textContent));
      else if (touched.matches('code')) notices.copy(touched.textContent);
      else open(touched.href);
    },
    close() {
      closed = true;
      clearTimeout(retry);
      stop();
    },
  };
}
