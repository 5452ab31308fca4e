import { expect } from 'vitest';
import { withoutTags } from '../../src/i18n/texts.ts';
import { operationOf, type ShownMessage } from './person.ts';

export interface ChatCall {
  method: string;
  status: number;
  params: {
    chat_id?: number | string;
    message_id?: number;
    text?: string;
    reply_markup?: { inline_keyboard?: { text: string; callback_data?: string }[][] };
  };
}

/** Line that only the card of an operation contains, in every language. Replies about the operation don't. */
const ADDRESS_LINE = /^(To|Energy for|Адрес|Энергия для): T\w{33}$/m;
/** Start of a notice to admins about an operation on the operator account. */
const NOTICE = /^🏦 /u;
/** Start of a card, in each state. */
const HEADLINE = /^(Review and|Проверьте|✖️ |⤵️ |⌛ |🔐 |⏳ |✅ |❌ |⚠️ |🟠 |🟡 |☑️ |↩️ )/u;
/** A receipt after a wrong code. */
const IS_ONE_LINE = /^❌ .+$/;
/** A card that *Back* removes shows only this state. */
const DRAFT = /^(Review and|Проверьте)/;

/** Text that a message showed. `operation`: an empty string in a state without buttons or a number. */
interface Shown {
  text: string;
  operation: string;
}

function shownBy({ text = '', reply_markup: markup }: ChatCall['params']): Shown {
  const keyboard = markup?.inline_keyboard?.map((row) =>
    row.map(({ text: label, callback_data: data = '' }) => ({ text: label, kind: 'data', data })),
  );
  const plain = withoutTags(text);
  const message = { message_id: 0, from: 'bot' as const, html: text, text: plain };
  return { text: plain, operation: operationOf(keyboard ? { ...message, keyboard } : message) };
}

const isCard = ({ text }: Shown) => ADDRESS_LINE.test(text) && !NOTICE.test(text);
const titleOf = ({ text }: Shown) => text.split('\n')[1];

/**
 * Asserts that each shown operation has exactly one receipt in its chat, which begins with its state, unless *Back* removed
 * its card. Also asserts that a message with a receipt never showed anything else later.
 */
export function expectReceipts(chats: ReadonlyMap<number, ShownMessage[]>, calls: readonly ChatCall[]): void {
  const cards = calls
    .filter(({ status, params }) => status === 200 && params.text !== undefined)
    .map(({ params }) => ({ ...shownBy(params), chat: Number(params.chat_id) }))
    .filter((shown) => isCard(shown) && shown.operation !== '');
  for (const { text } of cards) expect(text, 'a card begins with its state').toMatch(HEADLINE);
  const latest = new Map(cards.map((card) => [card.operation, card]));
  for (const [operation, card] of latest) {
    const shown = chats
      .get(card.chat)
      ?.map((message) => ({ text: message.text ?? '', operation: operationOf(message) }))
      .filter((one) => HEADLINE.test(one.text) && (isCard(one) || IS_ONE_LINE.test(one.text)));
    if (shown === undefined) continue;
    const receipts = shown.filter((one) => one.operation === operation);
    const isNameless = shown.some((one) => one.operation === '' && titleOf(one) === titleOf(card));
    const isRemoved = receipts.length === 0 && (isNameless || DRAFT.test(card.text));
    if (!isRemoved) expect(receipts.length, `receipts of operation ${operation} in the chat`).toBe(1);
  }
  expectNothingElseShown(calls);
}

/** Asserts that a message keeps showing its operation once it was confirmed, or says that it is continued below. */
function expectNothingElseShown(calls: readonly ChatCall[]): void {
  const cards = new Map<string, Shown>();
  for (const { method, status, params } of calls) {
    if (method !== 'editMessageText' || status !== 200) continue;
    const message = `${params.chat_id}/${params.message_id}`;
    const shown = shownBy(params);
    const before = cards.get(message);
    // An option on a card replaces its draft.
    const isChanged = before !== undefined && DRAFT.test(before.text) && DRAFT.test(shown.text);
    if (before !== undefined && !/^⤵️ /u.test(shown.text) && !isChanged) {
      const isSame =
        shown.operation === before.operation ||
        (shown.operation === '' && titleOf(shown) === titleOf(before));
      expect(isSame, `message ${message} shows ${shown.text}\nafter ${before.text}`).toBe(true);
    }
    if (isCard(shown) && shown.operation !== '') cards.set(message, shown);
  }
}
