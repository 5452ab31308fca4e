import { expect } from 'vitest';
import type { ShownMessage } from './person.ts';

export interface ChatCall {
  method: string;
  status: number;
  params: { chat_id?: number | string; message_id?: number; text?: string };
}

/** The line that only the card of an operation has, in every language; a reply about it hasn't. */
const ADDRESS_LINE = /^(To|Адрес): <code>T\w{33}<\/code>$/m;
/** How a card begins, whatever became of it. */
const HEADLINE = /^(<b>(Check before|Проверьте)|✖️ |⤵️ |⌛ |🔐 |⏳ |✅ |❌ |⚠️ |🟡 |☑️ )/u;

const numberOf = (text: string) =>
  /(?:Operation|Операция) ([0-9A-HJKMNP-TV-Z]{8})(?!\w)\s*(?:$|\n)/.exec(text)?.[1];

/**
 * Every operation that was ever shown has exactly one receipt in its chat, which says first how it stands; and in no
 * message that was a receipt anything but that operation was ever shown.
 */
export function expectReceipts(chats: ReadonlyMap<number, ShownMessage[]>, calls: readonly ChatCall[]): void {
  const cards = calls.filter(
    ({ status, params: { text = '' } }) => status === 200 && ADDRESS_LINE.test(text) && numberOf(text),
  );
  for (const { params } of cards) {
    expect(params.text, 'a card begins with how it stands').toMatch(HEADLINE);
    const shown = chats.get(Number(params.chat_id));
    const number = numberOf(params.text ?? '') ?? '';
    const receipts = shown?.filter(
      ({ text = '' }) => numberOf(text) === number && /\n(To|Адрес): T\w{33}/.test(text),
    );
    if (shown) expect(receipts?.length, `the receipt of operation ${number} is in the chat, once`).toBe(1);
  }
  expectNothingElseShown(calls);
}

/** A message that shows an operation goes on with it, or says that it is continued below. */
function expectNothingElseShown(calls: readonly ChatCall[]): void {
  const numbers = new Map<string, string>();
  for (const { method, status, params } of calls) {
    if (method !== 'editMessageText' || status !== 200) continue;
    const message = `${params.chat_id}/${params.message_id}`;
    const text = params.text ?? '';
    const number = numberOf(text);
    const before = numbers.get(message);
    if (before !== undefined && !/^⤵️ /u.test(text)) {
      expect(number, `message ${message} was operation ${before}'s, and then said ${text}`).toBe(before);
    }
    if (number !== undefined) numbers.set(message, number);
  }
}
