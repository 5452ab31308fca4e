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
const HEADLINE = /^(<b>(Check before|Проверьте)|✖️ |⤵️ |⌛ |🔐 |⏳ |✅ |❌ |⚠️ |🟡 |☑️ )/u;

const numberOf = (text: string) =>
  /(?:Operation|Операция) ([0-9A-HJKMNP-TV-Z]{8})(?!\w)\s*(?:$|\n)/.exec(text)?.[1];

/**
 * Asserts that each shown operation has exactly one receipt in its chat, which begins with its state. Also asserts that
 * a message with a receipt never showed anything else later.
 */
export function expectReceipts(chats: ReadonlyMap<number, ShownMessage[]>, calls: readonly ChatCall[]): void {
  const cards = calls.filter(
    ({ status, params: { text = '' } }) => status === 200 && ADDRESS_LINE.test(text) && numberOf(text),
  );
  for (const { params } of cards) {
    expect(params.text, 'a card begins with its state').toMatch(HEADLINE);
    const shown = chats.get(Number(params.chat_id));
    const number = numberOf(params.text ?? '') ?? '';
    const receipts = shown?.filter(
      ({ text = '' }) => numberOf(text) === number && /\n(To|Адрес): T\w{33}/.test(text),
    );
    if (shown) expect(receipts?.length, `receipts of operation ${number} in the chat`).toBe(1);
  }
  expectNothingElseShown(calls);
}

/** Asserts that a message keeps showing its operation, or says that it is continued below. */
function expectNothingElseShown(calls: readonly ChatCall[]): void {
  const numbers = new Map<string, string>();
  for (const { method, status, params } of calls) {
    if (method !== 'editMessageText' || status !== 200) continue;
    const message = `${params.chat_id}/${params.message_id}`;
    const text = params.text ?? '';
    const number = numberOf(text);
    const before = numbers.get(message);
    if (before !== undefined && !/^⤵️ /u.test(text)) {
      expect(number, `message ${message} showed operation ${before} before this text: ${text}`).toBe(before);
    }
    if (number !== undefined) numbers.set(message, number);
  }
}
