import { element } from './element.js';

/**
 * Creates the list of the bot's commands. The Menu button or typing `/` opens it.
 * @param {{ list: HTMLElement, button: HTMLButtonElement, box: HTMLTextAreaElement }} parts
 * @param {{ load: () => Promise<{ command: string, description: string }[]>, say: (text: string) => void }} bot
 */
export function createCommands({ list, button, box }, { load, say }) {
  const items = () => [...list.querySelectorAll('button')];
  /* Number of the latest input. Results for earlier input, or from before the list was closed, are ignored. */
  let turn = 0;

  const close = () => {
    turn += 1;
    list.hidden = true;
    button.setAttribute('aria-expanded', 'false');
  };
  const open = (commands) => {
    list.replaceChildren(...commands.map(item));
    if (commands.length === 0)
      list.append(element('p', { class: 'quiet', text: 'This bot has no commands.' }));
    list.hidden = false;
    button.setAttribute('aria-expanded', 'true');
  };
  const item = ({ command, description }) => {
    const choose = () => {
      close();
      box.value = '';
      box.focus();
      say(`/${command}`);
    };
    const name = element('span', { class: 'command', text: `/${command}` });
    const words = element('span', { class: 'quiet', text: description });
    return element('button', { type: 'button', onclick: choose }, name, words);
  };

  /** Returns the commands that start with the text in the box. */
  const begun = async () => {
    if (!/^\/\w*$/.test(box.value)) return [];
    const commands = await load();
    return commands.filter(({ command }) => `/${command}`.startsWith(box.value.toLowerCase()));
  };
  const typed = async () => {
    turn += 1;
    const mine = turn;
    const commands = await begun();
    if (mine !== turn) return;
    if (commands.length > 0 && box.value.startsWith('/')) open(commands);
    else close();
  };
  const toggle = async () => {
    if (!list.hidden) return close();
    open(await load());
    items()[0]?.focus();
  };
  const move = (event) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      close();
      box.focus();
    }
    if (!step || (event.target === box && step > 0)) return;
    event.preventDefault();
    const all = items();
    const next = event.target === box ? all.length - 1 : all.indexOf(event.target) + step;
    (all[next] ?? box).focus();
  };
  const leave = (event) => {
    if (!list.contains(event.target) && !button.contains(event.target)) close();
  };

  button.addEventListener('click', toggle);
  box.addEventListener('input', typed);
  box.form.addEventListener('keydown', move);
  box.form.addEventListener('submit', close);
  document.addEventListener('pointerdown', leave);
}
