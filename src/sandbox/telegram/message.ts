import { isDeepStrictEqual } from 'node:util';
import type { FormattedText } from './html.ts';
import type { InlineKeyboard } from './keyboard.ts';
import type { Media } from './media.ts';
import type { MessageKind } from './message-kind.ts';
import type { Person } from './people.ts';

/** What a message shows and an edit changes: a text, a file with a caption, or something else. */
export interface Content extends FormattedText {
  media?: Media | undefined;
  kind?: MessageKind | undefined;
  keyboard?: InlineKeyboard | undefined;
}

export interface NewMessage extends Content {
  /** Without it, the message is the bot's. */
  readonly author?: Person | undefined;
  readonly replyTo?: number | undefined;
  /** Who wrote it first, where it was forwarded. */
  readonly forwardedFrom?: Person | undefined;
  /** Those of one album have the same. */
  readonly albumId?: string | undefined;
}

export interface Message extends NewMessage {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly editedAt?: number | undefined;
}

export const sameContent = (a: Content, b: Content): boolean =>
  isDeepStrictEqual(
    [a.text, a.entities, a.media?.fileId, a.keyboard],
    [b.text, b.entities, b.media?.fileId, b.keyboard],
  );
