import { isDeepStrictEqual } from 'node:util';
import type { FormattedText } from './html.ts';
import type { InlineKeyboard } from './keyboard.ts';
import type { Person } from './people.ts';
import type { Photo } from './photos.ts';

/** What a message shows and an edit changes: a text, or a photo with a caption. */
export interface Content extends FormattedText {
  photo?: Photo | undefined;
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
    [a.text, a.entities, a.photo?.fileId, a.keyboard],
    [b.text, b.entities, b.photo?.fileId, b.keyboard],
  );
