import { telegram } from './api.js';
import { renderMessage } from './message.js';
import { listen } from './stream.js';
import { createWaiting } from './waiting.js';

const RETRY_MS = 1500;

/**
 * A person's private chat with the bot, live until it is closed.
 * @param {{ person: object, bot: object, log: object, notices: object, online: (yes: boolean) => void, now: () => number, arrived: () => void }} surroundings
 *   `now` is the sandbox's time, in epoch milliseconds; `arrived` is told of each new message of the bot
 */
export function openChat({ person, bot, log, notices, online, now, arrived }) {
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
  const say = (text) => {
    log.toEnd();
    return telegram.write(person.id, { text, from: person.id });
  };

  function press(message, button, pressed) {
    if (button.kind === 'url') return open(button.url);
    if (button.kind === 'copy') return notices.copy(button.copy);
    const tap = { message_id: message.message_id, data: button.data, from: person.id };
    return attempt(waiting.tap(pressed, () => telegram.tap(person.id, tap)));
  }

  /** Opens an address; one that starts this bot is said here. */
  function open(url) {
    const payload = startPayload(url, bot.username);
    if (payload === undefined) window.open(url, '_blank', 'noopener,noreferrer');
    else attempt(say(`/start ${payload}`.trim()));
  }

  /** What happens while messages are being loaded is shown after them. */
  const then = (action) => (held ? held.push(action) : action());

  async function load() {
    clearTimeout(retry);
    const later = [];
    held = later;
    try {
      const messages = await telegram.messages(person.id);
      if (closed || held !== later) return;
      log.show(messages, draw);
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
          if (message.from === 'bot') arrived();
        }),
      edit: (message) => then(() => log.put(message)),
      delete: (message) => then(() => log.remove(message.message_id)),
      chat: load,
      toast: ({ callback_id, text, alert }) => {
        waiting.answered(callback_id);
        if (text) (alert ? notices.alert : notices.toast)(text);
      },
    },
  });

  return {
    say,
    /** What was touched inside a text: links open, commands are said, code is copied. */
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

/** What `/start` is told by a link to the bot, perhaps nothing; `undefined` when the link leads elsewhere. */
export function startPayload(url, username) {
  const link = URL.canParse(url) ? new URL(url) : undefined;
  const web = link?.hostname === 't.me' ? link.pathname.slice(1) : undefined;
  const app =
    link?.protocol === 'tg:' && link.hostname === 'resolve' ? link.searchParams.get('domain') : undefined;
  if ((web ?? app)?.toLowerCase() !== username.toLowerCase()) return undefined;
  return link.searchParams.get('start') ?? '';
}
