import { findButton, type ShownMessage } from '../support/person.ts';
import type { Acts } from './acts.ts';
import { addressOf } from './addresses.ts';
import type { Person } from './person.ts';
import { readReceipt, UNTOLD } from './purchase.ts';

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

  async function energy(): Promise<ShownMessage | undefined> {
    const id = await person.say('/buy');
    if (!(await person.below(id, 'Which address'))) return undefined;
    const address = newAddress();
    await person.say(address);
    if (!(await person.below(id, 'What is it for'))) return undefined;
    await person.say(String(65_000 + random.below(60_000)));
    const asked = await person.below(id, 'For how long');
    if (!asked) return undefined;
    await person.tap(asked, '1 hour');
    return cardBelow(id, address);
  }

  async function bandwidth(): Promise<ShownMessage | undefined> {
    const id = await person.say('/bandwidth');
    if (!(await person.below(id, 'Which address'))) return undefined;
    const address = newAddress();
    await person.say(address);
    const asked = await person.below(id, 'How much');
    if (!asked) return undefined;
    await person.tap(asked, '350');
    if (!(await person.below(id, 'For how long'))) return undefined;
    await person.say(String(2 + random.below(20)));
    return cardBelow(id, address);
  }

  async function activation(): Promise<ShownMessage | undefined> {
    const id = await person.say('/activate');
    if (!(await person.below(id, 'Which address'))) return undefined;
    const address = newAddress();
    await person.say(address);
    return cardBelow(id, address);
  }

  function cardBelow(id: number, address: string): Promise<ShownMessage | undefined> {
    return person.waits(() =>
      chat.messages().findLast((m) => m.message_id > id && isOpen(m) && m.text?.includes(address)),
    );
  }

  /** Goes back to the last question and gives another answer, which makes it another purchase. */
  async function otherwise(card: ShownMessage): Promise<ShownMessage | undefined> {
    const address =
      readReceipt(card.text ?? '')
        ?.purchase.split('/')
        .at(-1) ?? '';
    await person.tap(card, 'Back');
    const asked = await person.below(card.message_id, '');
    if (!asked) return undefined;
    if (asked.text?.includes('For how long')) {
      await person.say('24');
      return cardBelow(card.message_id, address);
    }
    const other = newAddress();
    await person.say(other);
    return cardBelow(card.message_id, other);
  }

  async function confirm(card: ShownMessage): Promise<void> {
    const label = findButton([card], 'anyway') ? 'anyway' : 'Confirm';
    await person.tap(card, label);
    if (oneIn(4)) await person.tap(card, label);
    const old = oneIn(4) ? random.pick(cards) : undefined;
    const tapped = chat.seen.length;
    await person.waits(() => (chat.seen.length > tapped ? true : undefined));
    const outcome = () => {
      const receipt = readReceipt(now(card.message_id)?.text ?? '');
      return receipt === undefined || UNTOLD.includes(receipt.standing) ? undefined : receipt;
    };
    if (!oneIn(4)) await person.waits(outcome, OUTCOME_MS);
    if (old !== undefined) await tapOld(old);
  }

  /** Taps the card as it was while it was open. A real client may not have received the change yet. */
  async function tapOld(id: number): Promise<void> {
    const was = chat.seen.find(({ message }) => message?.message_id === id && isOpen(message))?.message;
    if (was) await person.tap(was, 'Confirm');
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
    if (chance < 5) await person.tap(card, 'Cancel');
    else if (chance < 9) await inWords(card);
    else if (chance > 13) await confirm(card);
  }

  /** Sends a text instead of a tap. The bot repeats the card, and the user taps both cards. */
  async function inWords(card: ShownMessage): Promise<void> {
    const address =
      readReceipt(card.text ?? '')
        ?.purchase.split('/')
        .at(-1) ?? '';
    const again = await cardBelow(await person.say('confirm'), address);
    await tapOld(card.message_id);
    if (again) await confirm(again);
  }

  async function check(): Promise<void> {
    const [message] = findButton(chat.messages(), 'I have checked') ?? [];
    if (message) await person.tap(message, 'I have checked');
  }

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await person.pause();
      if (signal.aborted) return;
      if (oneIn(12)) await person.below(await person.say('/start'), 'What would you like');
      else if (oneIn(10)) await check();
      else await purchase();
    }
  };
}

function isOpen({ text = '' }: ShownMessage): boolean {
  return readReceipt(text)?.standing === 'open';
}
