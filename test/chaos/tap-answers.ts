import type { Tap } from './acts.ts';
import type { Seen } from './chat.ts';
import { readReceipt } from './purchase.ts';

/** An apology may come after its person has gone on. */
const APOLOGY =
  /can't reach my storage|can't tell yet whether|went wrong on my side|a lot at once|can't take any money|stopped what you had begun/;
const APOLOGY_WITHIN_MS = 120_000;

/** Whether a tap came to anything that its person could see: words over the chat, a changed card, a message. */
export function isAnswered(tap: Tap, seen: readonly Seen[]): boolean {
  // What was decided changes by itself later on, whoever taps: only words are an answer then.
  const { isLive } = tap;
  return seen.some((one) => {
    if (one.at < tap.at) return false;
    if (one.kind === 'toast') return one.callback === tap.callback && one.text !== '';
    if (one.kind === 'delete') return one.message_id === tap.message;
    if (one.message?.from !== 'bot') return false;
    const text = one.message.text ?? '';
    if (isLive && one.message_id === tap.message && one.kind === 'edit') return true;
    if (isLive && tap.operation !== undefined && readReceipt(text)?.operation === tap.operation) return true;
    if (APOLOGY.test(text)) return one.at - tap.at < APOLOGY_WITHIN_MS;
    return one.at <= tap.until && !isOfAnother(tap, text);
  });
}

/** News of another operation answers nothing. */
function isOfAnother({ operation }: Tap, text: string): boolean {
  const named: string[] = text.match(/(?<=[Oo]peration )[0-9A-HJKMNP-TV-Z]{8}\b/g) ?? [];
  return operation !== undefined && named.length > 0 && !named.includes(operation);
}
