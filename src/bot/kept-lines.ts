import { KEPT_KINDS, KEPT_OF_ADMINS } from '../accounts/erase-user.ts';
import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';

/** Returns what is retained of a user whose data is deleted, and why, one line each. */
export function keptLines(words: Words, { isAdmin }: { isAdmin: boolean }): string {
  const kinds = isAdmin ? [...KEPT_KINDS, KEPT_OF_ADMINS] : KEPT_KINDS;
  return lines(...kinds.map(({ text }) => words.html(text)));
}
