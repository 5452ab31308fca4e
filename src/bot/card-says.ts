import type { CallbackQuery } from 'grammy/types';
import { LANGUAGES, type Texts } from '../i18n/texts.ts';
import { shownText } from '../i18n/view.ts';
import type { OperationKind } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';

/**
 * Returns whether the tapped message, as Telegram has it, contains the operation's target and title: its address,
 * amount and duration. A manipulated record therefore can't be confirmed with a card that shows something else.
 */
export function cardSays(
  tap: CallbackQuery | undefined,
  { request }: Operation,
  { kind, texts }: { kind: OperationKind; texts: Texts },
): boolean {
  const message = tap?.message;
  const said = bare(message !== undefined && 'text' in message ? (message.text ?? '') : '');
  // The card may have been shown again in another language than its operation's.
  const titles = LANGUAGES.map((language) => kind.title(texts.in(language), request));
  return (
    said.includes(bare(kind.target(request))) && titles.some((title) => said.includes(bare(shownText(title))))
  );
}

/** Keeps only letters and digits: Telegram may return other spaces and signs than were sent. */
function bare(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}
