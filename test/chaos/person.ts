import { setTimeout as delay } from 'node:timers/promises';
import type { TextKey } from '../../src/i18n/keys.ts';
import { beginningOf, fixedPart } from '../support/locales.ts';
import { findButton, type ShownMessage } from '../support/person.ts';
import type { Random } from '../support/random.ts';
import type { Chat, ChatMessage } from './chat.ts';
import { accountOf, addressOf, keyOf } from './people.ts';

/** Pause before *Confirm*. The bot ignores a tap on a card that is younger than 0.7 seconds. */
const READING_MS = 750;

/** A user's tap on a button and the bot's response to it. Judged after each round. */
export interface Tap {
  chat: number;
  at: number;
  /** Time of the user's next action. A message before it may be the response to this tap. */
  until: number;
  label: string;
  message: number;
  /** Text of the message at the time of the tap. */
  text: string;
  /** Whether the message still had the button at the time of the tap. */
  isLive: boolean;
  /** Operation of the tapped card. */
  operation?: string | undefined;
  callback: string;
  update: number | null;
}

export interface Acts {
  taps: Tap[];
  /** Number of purchases that were started, and of those given up because of a missing response. */
  begun: number;
  givenUp: number;
}

/** State of an operation, as its message shows it. */
type ReceiptState =
  | 'open'
  | 'going'
  | 'done'
  | 'undelivered'
  | 'refused'
  | 'unknown'
  | 'likely'
  | 'closed'
  | 'cancelled'
  | 'replaced'
  | 'expired'
  | 'void';

export interface Receipt {
  operation: string;
  state: ReceiptState;
  /** Purchase by kind, amount, hours and address. Each is made at most once here. */
  purchase: string;
}

const RECEIPT_STATES: [begins: string, ReceiptState][] = [
  [fixedPart('operation-check'), 'open'],
  [fixedPart('operation-unpriced'), 'open'],
  [beginningOf('order-awaited'), 'done'],
  [beginningOf('order-unseen'), 'done'],
  ['⏳', 'going'],
  ['✅', 'done'],
  [beginningOf('order-over'), 'done'],
  ['↩️', 'done'],
  [beginningOf('order-undelivered'), 'undelivered'],
  ['❌', 'refused'],
  [beginningOf('operation-void'), 'void'],
  ['⚠️', 'unknown'],
  ['🟡', 'likely'],
  ['☑️', 'closed'],
  ['✖️', 'cancelled'],
  ['⤵️', 'replaced'],
  ['⌛', 'expired'],
];

/** Labels of buttons that confirm a card. */
export const CONFIRMING = (
  ['button-confirm', 'energy-anyway', 'bandwidth-anyway', 'activation-anyway'] as const
).map((key) => fixedPart(key));

/** States of operations that were never executed. A void card isn't one that was used, because Redis loses nothing. */
export const NEVER_BEGUN: readonly ReceiptState[] = ['cancelled', 'replaced', 'expired', 'void'];
/** States in which nothing was charged. */
export const UNCHARGED: readonly ReceiptState[] = ['open', 'refused', ...NEVER_BEGUN];
/** States without a known outcome. */
export const UNREPORTED: readonly ReceiptState[] = ['open', 'going'];

/** Parses the message of an operation. Returns `undefined` for any other message. */
export function readReceipt({
  text = '',
  operation,
}: Pick<ChatMessage, 'text' | 'operation'>): Receipt | undefined {
  const address = /^(?:To|Energy for[^:\n]*): (T\w{33})$/m.exec(text)?.[1];
  const state = RECEIPT_STATES.find(([begins]) => text.startsWith(begins))?.[1];
  if (address === undefined || operation === undefined || state === undefined) return undefined;
  const [, amount = '', kind, hours] = /([\d,]+) (energy|bandwidth) · (\d+) h/.exec(text) ?? [];
  const what = kind === undefined ? 'activation' : `${kind}/${amount.replaceAll(',', '')}/${hours}`;
  return { operation, state, purchase: `${what}/${address}` };
}

/** Maximum wait of a user, in milliseconds. Longer than a killed bot needs to restart and a chat lease to expire. */
const PATIENCE_MS = 25_000;

/** Creates a simulated user who taps, writes and waits. All taps are recorded for the verdict. */
export function createPerson(deps: { chat: Chat; random: Random; acts: Acts; signal(): AbortSignal }) {
  const { chat, random, acts, signal } = deps;
  let last: Tap | undefined;

  function actsNow(): number {
    const at = Date.now();
    if (last !== undefined && last.until > at) last.until = at;
    return at;
  }

  const person = {
    chat,
    random,
    /** Sends a text. Returns the message's id. */
    say(text: string): Promise<number> {
      actsNow();
      return chat.say(text);
    },
    /** Taps a button of this message, even if the message has changed since. Returns whether the button exists. */
    async tap(message: ShownMessage, label: string): Promise<boolean> {
      const data = findButton([message], label)?.[1].data;
      if (data === undefined) return false;
      const present = chat.messages().find(({ message_id }) => message_id === message.message_id);
      const text = (present ?? message).text ?? '';
      const isLive = present !== undefined && findButton([present], label) !== undefined;
      const at = actsNow();
      const tapped = await chat.tap(message.message_id, data);
      if (tapped === undefined) return false;
      const operation = readReceipt(message)?.operation;
      last = {
        ...{ chat: chat.id, at, until: Number.POSITIVE_INFINITY, label, message: message.message_id },
        ...{ text, isLive, operation, ...tapped },
      };
      acts.taps.push(last);
      return true;
    },
    /** Waits for a message of the bot after `id` that contains `part`. Returns `undefined` on timeout. */
    below: (id: number, part: string): Promise<ShownMessage | undefined> =>
      person.waits(() =>
        chat.messages().findLast((m) => m.from === 'bot' && m.message_id > id && m.text?.includes(part)),
      ),
    /** Waits until `find` returns a result. */
    waits: <T>(find: () => T | undefined, ms = PATIENCE_MS) => chat.until(find, ms, signal()),
    async pause(): Promise<void> {
      await delay(200 + random.below(1_500), undefined, { signal: signal() }).catch(() => undefined);
    },
    async link(): Promise<void> {
      const asked = await person.below(await person.say('/start'), fixedPart('menu-guest'));
      if (asked) await person.tap(asked, fixedPart('button-link'));
      await person.below((asked?.message_id ?? 1) - 1, fixedPart('link-question'));
      await person.below(await person.say(keyOf(accountOf(chat.id))), fixedPart('link-done'));
    },
    /** Turns on alerts of the account. */
    async turnOnReports(): Promise<void> {
      const account = await person.below(await person.say('/account'), fixedPart('account-card'));
      if (!account || !(await person.tap(account, fixedPart('button-reports-on')))) return;
      const asked = await person.waits(() => {
        const [message] = findButton(chat.messages(), fixedPart('button-reports-allow')) ?? [];
        return message;
      });
      if (asked) await person.tap(asked, fixedPart('button-reports-allow'));
      await person.below(account.message_id - 1, fixedPart('reports-on'));
    },
  };
  return person;
}

type Person = ReturnType<typeof createPerson>;

const OUTCOME_MS = 45_000;

/** Simulates a user who buys, cancels, and taps twice and on old cards, until the signal aborts. */
export function createShopping({ person, seed, acts }: { person: Person; seed: number; acts: Acts }) {
  const { chat, random } = person;
  const cards: number[] = [];
  let bought = 0;

  const oneIn = (chances: number) => random.below(chances) === 0;
  const now = (id: number) => chat.messages().find(({ message_id }) => message_id === id);

  /** Returns an address for one purchase only, so that its purchase can be identified. */
  const newAddress = () => addressOf(`${seed}/${chat.id}/${bought++}`);

  /** Starts a purchase with a command, and sends the address when the bot asks for it. */
  async function begin(command: string, question: TextKey) {
    const id = await person.say(command);
    if (!(await person.below(id, fixedPart(question)))) return undefined;
    const address = newAddress();
    await person.say(address);
    return { id, address };
  }

  async function energy(): Promise<ShownMessage | undefined> {
    const begun = await begin('/buy', 'energy-address');
    const offered = begun && (await cardBelow(begun.id, begun.address));
    if (!offered) return undefined;
    await person.say(String(65_000 + random.below(60_000)));
    return cardBelow(offered.message_id, begun.address);
  }

  async function bandwidth(): Promise<ShownMessage | undefined> {
    const begun = await begin('/bandwidth', 'bandwidth-address');
    const asked = begun && (await person.below(begun.id, fixedPart('bandwidth-amount')));
    if (!asked) return undefined;
    await person.tap(asked, '350');
    if (!(await person.below(begun.id, fixedPart('bandwidth-duration')))) return undefined;
    await person.say(String(2 + random.below(20)));
    return cardBelow(begun.id, begun.address);
  }

  async function activation(): Promise<ShownMessage | undefined> {
    const begun = await begin('/activate', 'activation-address');
    return begun && cardBelow(begun.id, begun.address);
  }

  function cardBelow(id: number, address: string): Promise<ShownMessage | undefined> {
    return person.waits(() =>
      chat.messages().findLast((m) => m.message_id > id && isOpen(m) && m.text?.includes(address)),
    );
  }

  /** Goes back to the last question and gives another answer, which makes it another purchase. */
  async function otherwise(card: ShownMessage): Promise<ShownMessage | undefined> {
    const address = addressIn(card);
    await person.tap(card, fixedPart('button-back'));
    const asked = await person.below(card.message_id, '');
    if (!asked) return undefined;
    if (asked.text?.includes(fixedPart('bandwidth-duration'))) {
      await person.say('24');
      return cardBelow(card.message_id, address);
    }
    const other = newAddress();
    await person.say(other);
    return cardBelow(card.message_id, other);
  }

  async function confirm(card: ShownMessage): Promise<void> {
    const label = CONFIRMING.find((one) => findButton([card], one)) ?? '';
    await delay(READING_MS);
    // A card whose price isn't known has no such button.
    if (!(await person.tap(card, label))) return;
    if (oneIn(4)) await person.tap(card, label);
    const old = oneIn(4) ? random.pick(cards) : undefined;
    const tapped = chat.seen.length;
    await person.waits(() => (chat.seen.length > tapped ? true : undefined));
    const outcome = () => {
      const shown = now(card.message_id);
      const receipt = shown && readReceipt(shown);
      return receipt === undefined || UNREPORTED.includes(receipt.state) ? undefined : receipt;
    };
    if (!oneIn(4)) await person.waits(outcome, OUTCOME_MS);
    if (old !== undefined) await tapOld(old);
  }

  /** Taps the card as it was while it was open. A real client may not have received the change yet. */
  async function tapOld(id: number): Promise<void> {
    const was = chat.seen.find(({ message }) => message?.message_id === id && isOpen(message))?.message;
    if (was) await person.tap(was, fixedPart('button-confirm'));
    await person.pause();
  }

  async function purchase(): Promise<void> {
    acts.begun += 1;
    const kinds = [energy, energy, energy, bandwidth, bandwidth, activation];
    let card = await random.pick(kinds)?.();
    if (card && oneIn(8)) card = await otherwise(card);
    if (!card) {
      acts.givenUp += 1;
      return;
    }
    cards.push(card.message_id);
    const chance = random.below(60);
    if (chance < 5) await person.tap(card, fixedPart('button-cancel'));
    else if (chance < 9) await inWords(card);
    else if (chance > 13) await confirm(card);
  }

  /** Sends a text instead of a tap. The bot repeats the card, and the user taps both cards. */
  async function inWords(card: ShownMessage): Promise<void> {
    const address = addressIn(card);
    const again = await cardBelow(await person.say('confirm'), address);
    await tapOld(card.message_id);
    if (again) await confirm(again);
  }

  async function check(): Promise<void> {
    const [message] = findButton(chat.messages(), fixedPart('button-i-checked')) ?? [];
    if (message) await person.tap(message, fixedPart('button-i-checked'));
  }

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await person.pause();
      if (signal.aborted) return;
      if (oneIn(12)) await person.below(await person.say('/start'), fixedPart('menu-title'));
      else if (oneIn(10)) await check();
      else await purchase();
    }
  };
}

/** Returns the address of a card's purchase, or an empty string. */
function addressIn(card: ChatMessage): string {
  return readReceipt(card)?.purchase.split('/').at(-1) ?? '';
}

function isOpen(message: ChatMessage): boolean {
  return readReceipt(message)?.state === 'open';
}
