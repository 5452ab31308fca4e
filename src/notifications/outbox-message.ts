import { isDeepStrictEqual } from 'node:util';
import type { InlineKeyboardButton } from 'grammy/types';
import { type Language, paragraphs, type Texts, type Words, withoutTags } from '../i18n/texts.ts';
import { replyBelow } from '../views/callback-data.ts';
import type { View } from '../views/view.ts';
import type { NotificationKind, Unpaid } from './kinds.ts';
import type { PendingNotification } from './outbox-store.ts';

/** Maximum notifications and characters in a message. Telegram's limit is 4,096 characters. */
const MAX_PER_MESSAGE = 10;
const MAX_LENGTH = 3_000;
/** Length of the plain version of a message that Telegram refused. */
const PLAIN_LENGTH = 300;

export interface Group {
  kind: NotificationKind;
  pending: readonly PendingNotification[];
}

/** Composed message. `repeated`: notifications below the others that may already have been delivered. */
export interface Composed {
  view: View;
  replyTo: number | undefined;
  included: readonly PendingNotification[];
  repeated: readonly PendingNotification[];
}

/** Recipient of a message. `unclear`: notifications to repeat in it, one in each group. */
export interface Recipient {
  chat: number;
  language: Language;
  unclear: readonly Group[];
  unpaid?: Unpaid | undefined;
}

export function maxPerMessage({ neverGrouped }: NotificationKind): number {
  return neverGrouped ? 1 : MAX_PER_MESSAGE;
}

/** Composes a message from as many notifications of a kind as fit, with unclear ones repeated below them. */
export function compose(
  texts: Texts,
  { kind, pending }: Group,
  { chat, language, unclear, unpaid }: Recipient,
): Composed {
  const render = (words: Words, group: Group) =>
    group.kind.view(
      words,
      group.pending.map(({ notification }) => group.kind.data.parse(notification.data)),
      { chat, account: group.pending[0]?.notification.account, unpaid },
    );
  const words = texts.in(language);
  const included = takeFitting(pending.slice(0, maxPerMessage(kind)), MAX_LENGTH, 1, (one) =>
    lengthOf([render(words, { kind, pending: [one] })]),
  );
  const composed = render(words, { kind, pending: included });
  const repeatable = unclear.map((group) => ({ ...group, view: render(words, group) }));
  const repeated = takeFitting(repeatable, MAX_LENGTH - lengthOf([composed]), 0, ({ view }) =>
    lengthOf([view]),
  );
  const html = paragraphs(
    included.some(({ notification }) => notification.mayBeDuplicate) && words.html('notice-unclear'),
    composed.html,
    repeated.length > 0 && words.html('notice-unclear'),
    ...repeated.map(({ view }) => view.html),
  );
  // Only kinds that are never grouped keep their buttons when they are repeated.
  const withButtons = repeated.filter((group) => group.kind.neverGrouped).map(({ view }) => view);
  const view = { html, keyboard: mergeKeyboards([...withButtons, composed]) };
  const [single, ...others] = included;
  return {
    replyTo:
      single && others.length === 0 ? kind.replyTo?.(kind.data.parse(single.notification.data)) : undefined,
    view: kind.isQuestion && repeated.length === 0 ? view : withButtonsReplyingBelow(view),
    included,
    repeated: repeated.flatMap((group) => group.pending),
  };
}

/** Returns a view with the start of its text, without formatting, for a message that Telegram refused. */
export function toPlain({ keyboard, html }: View): View {
  const short = [...withoutTags(html)].slice(0, PLAIN_LENGTH).join('');
  return { keyboard, html: short.replace(/&#?\w*$/, '') };
}

/** Marks the buttons so that a tap leaves the message unchanged. */
function withButtonsReplyingBelow({ keyboard, ...view }: View): View {
  const mark = (button: InlineKeyboardButton) =>
    'callback_data' in button ? { ...button, callback_data: replyBelow(button.callback_data) } : button;
  return { ...view, keyboard: keyboard.map((row) => row.map(mark)) };
}

/** Returns as many of the first items as fit into `maxLength`, but at least `minCount`. */
function takeFitting<T>(
  items: readonly T[],
  maxLength: number,
  minCount: number,
  lengthOfItem: (item: T) => number,
): T[] {
  let length = 0;
  const end = items.findIndex((item, at) => {
    length += lengthOfItem(item);
    return at >= minCount && length > maxLength;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** Returns the number of characters as Telegram counts them. */
function lengthOf(views: readonly View[]): number {
  return views.reduce((sum, { html }) => sum + withoutTags(html).replace(/&#?\w+;/g, '.').length, 0);
}

/** Returns the keyboard rows of all views without duplicates, such as repeated menu buttons. */
function mergeKeyboards(views: readonly View[]): View['keyboard'] {
  const rows = views.flatMap(({ keyboard }) => keyboard);
  return rows.filter((row, at) => rows.findIndex((earlier) => isDeepStrictEqual(earlier, row)) === at);
}
