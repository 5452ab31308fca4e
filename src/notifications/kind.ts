import type { InlineKeyboardButton } from 'grammy/types';
import type { z } from 'zod';
import type { Mutable } from '../accounts/notice-settings.ts';
import type { Words } from '../i18n/texts.ts';
import { notice, paragraphs, type View } from '../i18n/view.ts';

/** Recipient of a notification: a private chat, and the account that the notification is about, if any. */
interface For {
  chat: number;
  account: number | undefined;
}

/** Kind of notification. To add one, define it in `kinds.ts`, add it to the list there, and add its texts. */
export interface NoticeKind<Name extends string = string, Data = unknown> {
  name: Name;
  /** Schema of the stored data. */
  data: z.ZodType<Data>;
  /** Sent before notifications that aren't about money. */
  isMoney: boolean;
  /** Setting that mutes this kind. Absent if the kind can't be muted. */
  mutable?: Mutable;
  /** May stop a theft. Also sent while the service doesn't say whether the user's key still opens the account. */
  isWarning?: true;
  /** Sent at once and never grouped with others, because each notification may need an action. */
  isAlone?: true;
  /**
   * Asks a question, and the response to a tap replaces the message. Messages of other kinds stay, and their buttons
   * open a new message below.
   */
  isQuestion?: true;
  /** Shown in all languages. A recipient without a linked account may have no known language. */
  inAllLanguages?: true;
  /** Renders one message for all given notifications. There is at least one. */
  view(words: Words, told: readonly Data[], to: For): View;
  /** Returns whether the notification is still relevant. Called right before sending. */
  isStill?(data: Data, to: For): Promise<boolean>;
}

/** Returns the kind unchanged, with the inferred type of its data. */
export function noticeKind<Name extends string, Data>(kind: NoticeKind<Name, Data>): NoticeKind<Name, Data> {
  return kind;
}

/** Creates the view of a kind that is never grouped. */
export function alone<Data>(
  view: (words: Words, told: Data, to: For) => View,
): NoticeKind<string, Data>['view'] {
  return (words, [told], to) => {
    if (told === undefined) throw new RangeError('a message needs at least one notification');
    return view(words, told, to);
  };
}

/** Creates a view that lists notifications below a heading. */
export function listed<Data>(list: {
  head(words: Words, count: number): string;
  text(words: Words, data: Data, to: For): string;
  buttons?(words: Words): InlineKeyboardButton[][];
}): NoticeKind<string, Data>['view'] {
  return (words, told, to) => {
    const each = told.map((data) => list.text(words, data, to));
    const html = paragraphs(list.head(words, told.length), ...each);
    return notice(words, html, ...(list.buttons?.(words) ?? []));
  };
}
