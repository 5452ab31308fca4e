import { isDeepStrictEqual } from 'node:util';
import type { FormattedText } from './html.ts';
import type { InlineKeyboard } from './keyboard.ts';
import type { Media } from './media.ts';
import type { MessageKind } from './message-kind.ts';
import type { Person } from './people.ts';

/** Content of a message, which an edit replaces: a text, a file with a caption, or another kind. */
export interface Content extends FormattedText {
  media?: Media | undefined;
  kind?: MessageKind | undefined;
  keyboard?: InlineKeyboard | undefined;
}

export interface NewMessage extends Content {
  /** Undefined if the bot is the author. */
  readonly author?: Person | undefined;
  readonly replyTo?: number | undefined;
  /** Original author of a forwarded message. */
  readonly forwardedFrom?: Person | undefined;
  /** Common id of an album's messages. */
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
