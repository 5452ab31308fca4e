import { telegram } from './api.js';
import { openChat } from './chat.js';
import { createChatLog } from './chat-log.js';
import { createCommands } from './commands.js';
import { createComposer } from './composer.js';
import { updateRelativeTimes } from './date-time.js';
import { createNotices } from './notices.js';
import { createPanel } from './panel/panel.js';
import { createPeople } from './people.js';
import { createViews } from './views.js';

const RETRY_MS = 1500;
const part = (id) => document.getElementById(id);

const notices = createNotices({ toasts: part('toasts'), alert: part('alert') });
const log = createChatLog({
  log: part('log'),
  content: part('log-content'),
  welcome: part('welcome'),
  latest: part('latest'),
});
let person;
let chat;
/* By the sandbox's clock. */
let now = Date.now();

const online = (yes) => {
  part('connection').textContent = yes ? '' : 'Reconnecting…';
};

/** Answers whether it was sent. */
async function say(text) {
  try {
    await chat.say(text);
    return true;
  } catch (error) {
    notices.toast(error.message);
    return false;
  }
}

const box = part('message');
const loadCommands = async () => {
  const bot = await telegram.bot(person.language_code).catch(() => undefined);
  return bot?.commands ?? [];
};
createViews(document.body);
createPanel({
  part,
  notices: createNotices({ toasts: part('panel-toasts'), alert: part('alert') }),
  ticked(time) {
    now = time;
    updateRelativeTimes(part('log'), now);
  },
});
createCommands({ list: part('commands'), button: part('menu'), box }, { load: loadCommands, say });
createComposer({ form: part('composer'), box, say });
part('start').addEventListener('click', () => say('/start'));
part('log').addEventListener('click', (event) => chat?.touch(event));

async function start() {
  try {
    const [people, bot] = await Promise.all([telegram.people(), telegram.bot('en')]);
    online(true);
    part('bot-name').textContent = bot.name;
    part('bot-username').textContent = `@${bot.username}`;
    part('description').textContent = bot.description ?? '';
    createPeople({
      select: part('person'),
      people,
      choose(chosen) {
        chat?.close();
        log.clear();
        person = chosen;
        chat = openChat({ person, bot, log, notices, online, now: () => now });
      },
    });
  } catch {
    online(false);
    setTimeout(start, RETRY_MS);
  }
}

start();
