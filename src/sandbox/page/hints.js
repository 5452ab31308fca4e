import { rental, telegram } from './api.js';
import { element } from './element.js';

/** Texts that hints send. The address is valid, and the key opens the default account (docs/sandbox.md). */
const TEXTS = { address: 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig', key: 'demo-key' };
const LABELS = {
  en: { address: 'Paste a sample address', key: 'Link demo-key', invoice: 'Pay the invoice' },
  ru: { address: 'Вставить адрес', key: 'Привязать demo-key', invoice: 'Оплатить счёт' },
};
/** Lower-case words of a text, which leave out addresses and currencies, by language. */
const WORDS = { en: /(?<!\S)[a-z]+(?![\p{L}\d])/gu, ru: /(?<!\S)[а-яё]+(?![\p{L}\d])/gu };
const LINKING_ROLES = ['account holder', 'merchant'];
/** Callback data of the bot's button that asks for a key, and the wait for the bot's replies. */
const ASK_FOR_KEY = 'link:open';
const WAIT = { tries: 20, ms: 250 };

/**
 * Creates the buttons above the text box that suggest what to do. A hint is hidden once its text was sent, until the chat
 * is empty again. *Pay the invoice* is shown while the chat shows the payment address of an unpaid invoice.
 * @param {{ list: HTMLElement, box: HTMLElement }} parts
 * @param {{ say: (text: string) => Promise<boolean>, attempt: (action: Promise) => Promise, shows: (text: string) => boolean }} chat
 *   `attempt` reports an error to the user, `shows` returns whether the chat contains a text
 */
export function createHints({ list, box }, { say, attempt, shows }) {
  let person;
  let invoice;
  let used = [];
  /* Numbers of paid invoices. The service's state may have been loaded before the payment. */
  const paid = new Set();
  const actions = {
    address: () => say(TEXTS.address),
    async key() {
      const asked = person;
      const asking = (await findAsking()) ?? (await startAndFindAsking());
      if (person !== asked) return;
      if (asking) {
        await telegram.tap(person.id, { ...asking, data: ASK_FOR_KEY, from: person.id });
        /* A text that arrives before the tap is no answer. The question takes the place of the button. */
        await until(async () => (await findAsking())?.message_id !== asking.message_id);
      }
      if (person === asked) await say(TEXTS.key);
    },
    async invoice() {
      const { invoice_id } = invoice;
      await rental.pay(invoice_id, { currency: 'TRX' });
      paid.add(invoice_id);
      invoice = undefined;
      draw();
    },
  };

  /** Returns the latest message of the bot with the button that asks for a key. */
  async function findAsking() {
    const messages = await telegram.messages(person.id);
    const found = messages.findLast(({ keyboard = [] }) =>
      keyboard.flat().some(({ data }) => data === ASK_FOR_KEY),
    );
    return found && { message_id: found.message_id };
  }

  async function startAndFindAsking() {
    await say('/start');
    return until(findAsking);
  }

  /** Returns the first result of `find` that is true, or `undefined` after some seconds. */
  async function until(find) {
    for (let tries = 0; tries < WAIT.tries; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, WAIT.ms));
      const found = await find();
      if (found) return found;
    }
    return undefined;
  }

  /** Runs a hint's action. A second click on the button meanwhile does nothing. */
  async function run(name) {
    if (buttons[name].hasAttribute('aria-busy')) return;
    buttons[name].setAttribute('aria-busy', 'true');
    await attempt(actions[name]());
    buttons[name].removeAttribute('aria-busy');
  }

  const buttons = Object.fromEntries(
    Object.keys(actions).map((name) => [
      name,
      element('button', { type: 'button', class: 'hint', onclick: () => run(name) }),
    ]),
  );
  list.append(...Object.values(buttons).map((button) => element('li', {}, button)));

  const storageKey = () => `hints used by ${person.id}`;
  const isOffered = {
    address: () => !used.includes('address'),
    key: () => LINKING_ROLES.includes(person.role) && !used.includes('key'),
    invoice: () => invoice !== undefined,
  };

  function draw() {
    const focused = list.querySelector(':focus-visible');
    for (const [name, button] of Object.entries(buttons)) button.parentElement.hidden = !isOffered[name]();
    list.hidden = list.querySelector('li:not([hidden])') === null;
    if (focused?.closest('[hidden]')) box.focus();
  }

  function store(names) {
    used = names;
    localStorage.setItem(storageKey(), JSON.stringify(used));
    draw();
  }

  function speak(language) {
    const labels = LABELS[language] ?? LABELS.en;
    list.lang = language;
    for (const [name, button] of Object.entries(buttons)) button.textContent = labels[name];
  }

  return {
    /** Shows the hints of another user. */
    open(chosen) {
      person = chosen;
      invoice = undefined;
      used = JSON.parse(localStorage.getItem(storageKey()) ?? '[]');
      speak(person.language_code);
      draw();
    },
    /** Shows the hints in the language of the bot's latest message, if that has words. */
    heard({ text, caption = '' }) {
      const count = (words) => ((text ?? caption).match(words) ?? []).length;
      const [en, ru] = [count(WORDS.en), count(WORDS.ru)];
      if (en !== ru) speak(ru > en ? 'ru' : 'en');
    },
    /** Hides the hints whose text a message contains. */
    sent(text) {
      const names = Object.keys(TEXTS).filter((name) => text.includes(TEXTS[name]));
      if (names.length > 0) store([...new Set([...used, ...names])]);
    },
    /** Shows all hints again. */
    reset() {
      paid.clear();
      store([]);
    },
    /** Receives all invoices of the service, newest first. */
    invoices(all) {
      invoice = all.find(
        ({ invoice_id, status, payment_address }) =>
          status === 'pending' && !paid.has(invoice_id) && shows(payment_address),
      );
      draw();
    },
  };
}
