import type { Tap } from './acts.ts';
import type { Seen } from './chat.ts';
import { readReceipt } from './purchase.ts';

/** Apologies, which may arrive after the user's next action. */
const APOLOGY =
  /can't reach my storage|can't tell yet whether|went wrong on my side|a lot at once|can't take any money|stopped what you had begun/;
const APOLOGY_WITHIN_MS = 120_000;

/** Returns whether the user could see a result of a tap: a toast, a changed card or a message. */
export function isAnswered(tap: Tap, seen: readonly Seen[]): boolean {
  // A settled card may change later without a tap. Then only a text counts as the response.
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

/** Returns whether a text is about another operation. Such a text doesn't count as a response. */
function isOfAnother({ operation }: Tap, text: string): boolean {
  const named: string[] = text.match(/(?<=[Oo]peration )[0-9A-HJKMNP-TV-Z]{8}\b/g) ?? [];
  return operation !== undefined && named.length > 0 && !named.includes(operation);
}
