import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData } from '../texts/callback-data.ts';
import { shortened } from '../texts/formats.ts';
import { helpBelow } from '../texts/help-topics.ts';
import type { Words } from '../texts/texts.ts';
import { button, lines, paragraphs, type View, withoutTags } from '../texts/view.ts';
import {
  type CardSurroundings,
  conditions,
  headline,
  outcome,
  statusLine,
  uncertainty,
  warnings,
} from './card-lines.ts';
import { kindText, type OperationKind } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import { isUncertain, type Operation } from './operation.ts';

/** The feature that hears the buttons of a card. */
export const CARD_BUTTONS = 'operation';

/**
 * The one card of an operation, through its whole life: how it stands, what it is, for which address, what it costs,
 * what it can't undo, its number.
 */
export function operationCard(words: Words, operation: Operation, about: CardSurroundings): View {
  const { kind } = about;
  const isDraft = operation.state === 'draft';
  const what = lines(
    headline(words, kind, operation),
    kind.title(words, operation.request),
    words.html('operation-address', { address: kind.target(operation.request) }),
  );
  const number = words.html('operation-number', { id: operation.id });
  const person = support(words, operation, about);
  return {
    html: isDraft
      ? paragraphs(what, warnings(words, kind, operation), conditions(words, kind, operation), number)
      : paragraphs(what, outcome(words, operation, about), lines(number, person)),
    keyboard: isDraft ? draftButtons(words, kind, operation) : laterButtons(words, kind, operation),
  };
}

/** What happened to an operation after its first outcome, in a short message below its receipt. */
export function operationNews(words: Words, operation: Operation, about: CardSurroundings): string {
  const uncertain =
    operation.state === 'unknown' && operation.search?.over !== true
      ? uncertainty(words, operation)
      : undefined;
  const { kind } = about;
  const title = kind.title(words, operation.request);
  const number = words.html('operation-number', { id: operation.id });
  // The receipt that it replies to says all the rest.
  if (operation.state === 'done' && operation.result?.status === 'filled') {
    const to = `→ ${shortened(kind.target(operation.request))}`;
    return [words.html('order-delivered'), `${title} ${to}`, number].join(' · ');
  }
  return lines(
    headline(words, kind, operation),
    title,
    uncertain ?? statusLine(words, operation, about) ?? outcome(words, operation, about),
    number,
  );
}

/**
 * The least that its user must learn of an operation, for where Telegram takes neither its card nor its news: how it
 * stands and its number, in words of our own alone.
 */
export function plainCard(words: Words, operation: Operation, about: CardSurroundings): View {
  const { kind } = about;
  const html = lines(
    headline(words, kind, operation),
    kind.title(words, operation.request),
    operation.state === 'unknown' && uncertainty(words, operation),
    operation.state === 'likely' && words.html('operation-likely'),
    words.html('operation-number', { id: operation.id }),
    support(words, operation, about),
  );
  return { html: withoutTags(html), keyboard: [] };
}

/** In a reply to its receipt: which it is, and how it stands right now. */
export function inShort(words: Words, operation: Operation, kinds: Pick<Kinds, 'of'>): string {
  const kind = kinds.of(operation.request);
  return lines(
    words.html('operation-here', { id: operation.id }),
    kind.title(words, operation.request),
    headline(words, kind, operation),
  );
}

/** What the old message of a card says once the card stands further down. */
export function movedCard(words: Words, operation: Operation, kind: OperationKind): View {
  const html = lines(words.html('operation-continued'), kind.title(words, operation.request));
  return { html, keyboard: [] };
}

function support(words: Words, operation: Operation, { supportUrl }: CardSurroundings): string | undefined {
  return isUncertain(operation) && supportUrl
    ? words.html('operation-support', { url: supportUrl })
    : undefined;
}

function draftButtons(words: Words, kind: OperationKind, operation: Operation): InlineKeyboardButton[][] {
  const { id, warnings: { like } = {} } = operation;
  const confirm = callbackData(CARD_BUTTONS, 'confirm', id);
  const deciding = like
    ? [
        [button(words, 'button-show-it', callbackData(CARD_BUTTONS, 'show', like))],
        [button(words, kindText(kind, 'anyway'), confirm, 'danger')],
      ]
    : [[button(words, 'button-confirm', confirm, 'success')]];
  return [
    ...deciding,
    [
      button(words, 'button-back', callbackData(CARD_BUTTONS, 'back', id)),
      button(words, 'button-cancel', callbackData(CARD_BUTTONS, 'cancel', id)),
    ],
  ];
}

function laterButtons(words: Words, kind: OperationKind, operation: Operation): InlineKeyboardButton[][] {
  const { id, state, request } = operation;
  const menu = button(words, 'button-menu', callbackData(CARD_BUTTONS, 'menu', id));
  const oneMore = state === 'done' ? kind.oneMore?.(request) : undefined;
  const again = button(words, oneMore ?? kindText(kind, 'again'), callbackData(CARD_BUTTONS, 'again', id));
  switch (state) {
    case 'claimed':
    case 'sent':
    case 'replaced':
      return [];
    case 'awaiting':
      return [[button(words, 'button-cancel', callbackData(CARD_BUTTONS, 'cancel', id))]];
    case 'unknown':
    case 'likely':
      return [
        [
          button(words, 'button-i-checked', callbackData(CARD_BUTTONS, 'checked', id)),
          helpBelow(words, 'unknown'),
        ],
        [menu],
      ];
    case 'done':
      // What is so for good can't be wanted again.
      return kind.once || (kind.listing && !kind.takesOut) ? [[menu]] : [[again, menu]];
    default:
      return [[again, menu]];
  }
}
