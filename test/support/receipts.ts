import { expect } from 'vitest';
import type { ShownMessage } from './person.ts';

export interface ChatCall {
  method: string;
  status: number;
  params: { chat_id?: number | string; message_id?: number; text?: string };
}

/** Line that only the card of an operation contains, in every language. Replies about the operation don't. */
const ADDRESS_LINE = /^(To|Адрес): <code>T\w{33}<\/code>$/m;
/** Start of a card, in each state. */
const HEADLINE = /^(<b>(Review and|Проверьте)|✖️ |⤵️ |⌛ |🔐 |⏳ |✅ |❌ |⚠️ |🟠 |🟡 |☑️ )/u;
/** The same without tags. Other messages about an operation, such as an admin's, don't begin with its state. */
const SHOWN_HEADLINE = /^(Review and|Проверьте|✖️ |⤵️ |⌛ |🔐 |⏳ |✅ |❌ |⚠️ |🟠 |🟡 |☑️ )/u;
/** The line with the target, or a receipt of one line after a wrong code. */
const SHOWN_TARGET_OR_LINE = /\n(To|Адрес): T\w{33}|^❌ .+$/;
/** A card that *Back* removes shows only this state. */
const DRAFT = /^<b>(Review and|Проверьте)/;

const numberOf = (text: string) =>
  /(?:Ref\.|Операция) ([0-9A-HJKMNP-TV-Z]{8})(?!\w)\s*(?:$|\n)/.exec(text)?.[1];

/**
 * Asserts that each shown operation has exactly one receipt in its chat, which begins with its state, unless *Back* removed its card. Also asserts that
 * a message with a receipt never showed anything else later.
 */
export function expectReceipts(chats: ReadonlyMap<number, ShownMessage[]>, calls: readonly ChatCall[]): void {
  const cards = calls.filter(
    ({ status, params: { text = '' } }) => status === 200 && ADDRESS_LINE.test(text) && numberOf(text),
  );
  for (const { params } of cards) expect(params.text, 'a card begins with its state').toMatch(HEADLINE);
  const latest = new Map(cards.map(({ params }) => [numberOf(params.text ?? '') ?? '', params]));
  for (const [number, { chat_id, text: card = '' }] of latest) {
    const shown = chats.get(Number(chat_id));
    const receipts = shown?.filter(
      ({ text = '' }) =>
        numberOf(text) === number && SHOWN_HEADLINE.test(text) && SHOWN_TARGET_OR_LINE.test(text),
    );
    const isRemoved = receipts?.length === 0 && DRAFT.test(card);
    if (shown && !isRemoved) expect(receipts?.length, `receipts of operation ${number} in the chat`).toBe(1);
  }
  expectNothingElseShown(calls);
}

/** Asserts that a message keeps showing its operation once it was confirmed, or says that it is continued below. */
function expectNothingElseShown(calls: readonly ChatCall[]): void {
  const cards = new Map<string, string>();
  for (const { method, status, params } of calls) {
    if (method !== 'editMessageText' || status !== 200) continue;
    const message = `${params.chat_id}/${params.message_id}`;
    const text = params.text ?? '';
    const before = cards.get(message) ?? '';
    // An option on a card replaces its draft.
    if (numberOf(before) !== undefined && !/^⤵️ /u.test(text) && !(DRAFT.test(before) && DRAFT.test(text)))
      expect(numberOf(text), `message ${message} showed this before: ${before}`).toBe(numberOf(before));
    if (numberOf(text) !== undefined) cards.set(message, text);
  }
}
