import type { Forgotten } from '../accounts/erase-user.ts';
import type { Texts } from '../i18n/texts.ts';
import { notice, paragraphs } from '../i18n/view.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { keptLines } from './kept-lines.ts';
import { leftAccount } from './reports-outcome.ts';

/** Results after which nothing was sent, but a later attempt may succeed. */
const AGAIN: readonly Sent['kind'][] = ['later', 'away', 'failed'];

/**
 * Creates the function that notifies users that their data was deleted, in a message that isn't recorded. It returns
 * `unclear` if Telegram's answer got lost. It rejects if the message certainly wasn't delivered and must be sent again.
 */
export function createTellForgotten(deps: {
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  isAdmin: (user: number) => boolean;
}): (forgotten: Forgotten) => Promise<'told' | 'unclear'> {
  const { sender, texts, isAdmin } = deps;
  return async ({ user, language, left }) => {
    const words = texts.in(language);
    const html = paragraphs(
      words.html('forget-done'),
      keptLines(words, { isAdmin: isAdmin(user) }),
      left && leftAccount(words, left.account, left.events),
      left !== undefined &&
        left.unchecked > 0 &&
        words.html('unlinked-invoices', { account: String(left.account), count: left.unchecked }),
      words.html('forget-anew'),
    );
    const { kind } = await sender.send(user, notice(words, html));
    if (AGAIN.includes(kind)) throw new Error(`the user was not notified of the erasure: ${kind}`);
    return kind === 'unclear' ? 'unclear' : 'told';
  };
}
