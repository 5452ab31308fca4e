import { isDeepStrictEqual } from 'node:util';
import type { FormattedText } from './html.ts';
import type { InlineKeyboard } from './keyboard.ts';
import type { Media } from './media.ts';
import type { Person } from './people.ts';

/** What a message shows and an edit changes: a text, or a file with a caption. */
export interface Content extends FormattedText {
  media?: Media | undefined;
  keyboard?: InlineKeyboard | undefined;
}

export interface Message extends Content {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly editedAt?: number | undefined;
  /** Without it, the message is the bot's. */
  readonly author?: Person | undefined;
  readonly replyTo?: number | undefined;
}

export const sameContent = (a: Content, b: Content): boolean =>
  isDeepStrictEqual(
    [a.text, a.entities, a.media?.fileId, a.keyboard],
    [b.text, b.entities, b.media?.fileId, b.keyboard],
  );
