import type { InlineKeyboardButton } from 'grammy/types';
import type { z } from 'zod';
import type { Mutable } from '../accounts/notice-settings.ts';
import type { Words } from '../i18n/texts.ts';
import { notice, paragraphs, type View } from '../i18n/view.ts';

/** For whom a notice is: in this private chat, and of this account, if of any. */
interface For {
  chat: number;
  account: number | undefined;
}

/**
 * Something that people are told, in a message of its own. A further kind is a file like `low-balance.ts`, a line in
 * `kinds.ts`, and its words.
 */
export interface NoticeKind<Name extends string = string, Data = unknown> {
  name: Name;
  /** As it is stored until it is told. */
  data: z.ZodType<Data>;
  /** It goes before what isn't about money. */
  isMoney: boolean;
  /** What it is muted by; some of it can't be. */
  mutable?: Mutable;
  /** It may stop a theft: told also while the service doesn't say whether their key still opens the account. */
  isWarning?: true;
  /** Told at once, and never together with another: each has something to be done about it. */
  isAlone?: true;
  /** It asks something, and its answer takes its place; every other notice stays, and its buttons lead to what is below. */
  isQuestion?: true;
  /** In every language: whom it is for may have no account, and so none that is known. */
  inAllLanguages?: true;
  /** One message of all of these, which are never none. */
  view(words: Words, told: readonly Data[], to: For): View;
  /** Asked again as it is told. */
  isStill?(data: Data, to: For): Promise<boolean>;
}

/** With its data's type kept. */
export function noticeKind<Name extends string, Data>(kind: NoticeKind<Name, Data>): NoticeKind<Name, Data> {
  return kind;
}

/** The one that such a message tells. */
export function alone<Data>(
  view: (words: Words, told: Data, to: For) => View,
): NoticeKind<string, Data>['view'] {
  return (words, [told], to) => {
    if (told === undefined) throw new RangeError('there is nothing to be told');
    return view(words, told, to);
  };
}

/** Several below one line that says what they are. */
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
