import type { CallbackQuery } from 'grammy/types';
import type { OperationKind } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import { LANGUAGES, type Texts } from '../texts/texts.ts';
import { shownText } from '../texts/view.ts';

/**
 * Whether the tapped message, as Telegram has it, names what the record says: the address, the amount, the duration. So
 * that nobody agrees to one thing and gets another, whatever was done to the record.
 */
export function cardSays(
  tap: CallbackQuery | undefined,
  { request }: Operation,
  { kind, texts }: { kind: OperationKind; texts: Texts },
): boolean {
  const message = tap?.message;
  const said = bare(message !== undefined && 'text' in message ? (message.text ?? '') : '');
  // The card may have been brought again in another language than that of its operation.
  const titles = LANGUAGES.map((language) => kind.title(texts.in(language), request));
  return (
    said.includes(bare(kind.target(request))) && titles.some((title) => said.includes(bare(shownText(title))))
  );
}

/** Letters and digits alone: Telegram may give spaces and signs back otherwise than they were sent. */
function bare(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}
