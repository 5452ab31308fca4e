import { telegram } from './api.js';
import { createAttaching } from './attaching.js';
import { openChat } from './chat.js';
import { createChatLog } from './chat-log.js';
import { createCommands } from './commands.js';
import { createComposer } from './composer.js';
import { createHints } from './hints.js';
import { createNotices } from './notices.js';
import { offerPeople, personName } from './people.js';
import { createShares } from './shares.js';
import { createStartBar } from './start-bar.js';

/**
 * Creates the view of a chat: user selection, log, commands and text box.
 * @param {{ template: HTMLTemplateElement, alert: HTMLDialogElement, askWhom: Function, now: () => number }} page
 *   `askWhom` asks for the user to share a link with
 * @param {{ choose: (id: string) => void, add: () => void, leave: () => void, arrived: () => void }} whole
 *   actions on the whole view; `arrived` is called when a message arrives
 */
export function createChatView({ template, alert, askWhom, now }, { choose, add, leave, arrived }) {
  const root = template.content.firstElementChild.cloneNode(true);
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const notices = createNotices({ toasts: part('toasts'), alert });
  const log = createChatLog({
    log: part('log'),
    content: part('log-content'),
    welcome: part('welcome'),
    latest: part('latest'),
  });
  const box = part('message');
  let people = [];
  let person;
  let chat;

  const online = (yes) => {
    part('connection').textContent = yes ? '' : 'Reconnecting…';
  };

  /** Sends a text, or a file with the text as its caption. Returns whether it was sent. */
  async function say(text, file) {
    try {
      await chat.say(text, file);
      hints.sent(text);
      return true;
    } catch (error) {
      notices.toast(error.message);
      return false;
    }
  }

  const loadCommands = async () => {
    const bot = await telegram.bot(person.language_code, person.id).catch(() => undefined);
    return bot?.commands ?? [];
  };
  createCommands({ list: part('commands'), button: part('menu'), box }, { load: loadCommands, say });
  const attaching = createAttaching({
    button: part('clip'),
    input: part('file'),
    place: part('attached'),
    box,
  });
  createComposer({ form: part('composer'), box, attaching, say });
  const hints = createHints(
    { list: part('hints'), box },
    {
      say,
      attempt: (action) => action.catch((error) => notices.toast(error.message)),
      shows: (text) => part('log-content').textContent.includes(text),
    },
  );
  const startBar = createStartBar(
    {
      bar: part('start-bar'),
      begin: part('begin'),
      leave: part('not-now'),
      composer: part('composer'),
      box,
    },
    say,
  );
  const shares = createShares(part('shares'), (id) =>
    telegram.putAway(person.id, id).catch((error) => notices.toast(error.message)),
  );

  async function share({ url, text }) {
    const from = person;
    const others = people.filter((one) => one !== from);
    const chosen = await askWhom({ url, text }, others);
    if (!chosen) return;
    await telegram.share(chosen.id, { from: from.id, url, text });
    notices.toast(`Shared with ${personName(chosen)}`);
  }

  part('start').addEventListener('click', () => say('/start'));
  for (const name of ['log', 'shares']) {
    part(name).addEventListener('click', (event) => chat?.touch(event));
  }
  part('person').addEventListener('change', () => choose(part('person').value));
  part('add').addEventListener('click', add);
  part('leave').addEventListener('click', leave);

  return {
    root,
    online,
    person: () => person,
    /** Sets the users and the bot. */
    meet(everybody, bot) {
      people = everybody;
      shares.meet(people);
      offerPeople(part('person'), people);
      part('bot-name').textContent = bot.name;
      part('bot-username').textContent = `@${bot.username}`;
      part('description').textContent = bot.description ?? '';
    },
    /** Opens the chat of this user. */
    open(chosen, bot) {
      part('person').value = String(chosen.id);
      if (person === chosen) return;
      chat?.close();
      log.clear();
      shares.show([]);
      startBar.close();
      person = chosen;
      hints.open(person);
      root.setAttribute('aria-label', `Chat as ${personName(person)}`);
      chat = openChat({
        ...{ person, bot, log, notices, online, now, arrived, share },
        begin: startBar.open,
        shared: shares.show,
        emptied: hints.reset,
        heard: hints.heard,
      });
    },
    /** Sets whether a second chat can be added and whether this one can be closed. */
    beside({ canAdd, canLeave }) {
      part('add').hidden = !canAdd;
      part('leave').hidden = !canLeave;
    },
    invoices: hints.invoices,
    focus: () => box.focus(),
    close() {
      chat?.close();
      root.remove();
    },
  };
}
