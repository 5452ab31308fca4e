import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData } from '../i18n/callback-data.ts';
import { inFours, shortened } from '../i18n/formats.ts';
import { helpBelow } from '../i18n/help-topics.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { button, lines, paragraphs, type View, withoutTags } from '../i18n/view.ts';
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

/** From here on a search without evidence is no longer counted out to the user. */
const NO_SIGN_AFTER_MS = 2 * 60_000;

export interface CardSurroundings {
  kind: OperationKind;
  /** Whether the service reports deliveries of this account to the bot. */
  reported: boolean;
  supportUrl?: string | undefined;
}

/** How it stands: the first line of every card. */
export function headline(words: Words, kind: OperationKind, operation: Operation): string {
  const { state, request, result, decided } = operation;
  // Whoever decided by hand said that it went through, and nothing of what it came to.
  // Nobody but the service knows whether nothing was charged.
  if (state === 'refused' && decided) return words.html('operation-decided');
  // Whoever decided by hand said that it went through, and nothing of what it came to.
  const own = state === 'done' && result && !decided ? kind.headline?.(request, result) : undefined;
  if (own) return words.html(own);
  if (state === 'done' && result?.status === 'failed') return words.html('order-undelivered');
  const keys: Record<Operation['state'], TextKey> = {
    draft: 'operation-check',
    cancelled: 'operation-cancelled',
    replaced: 'operation-replaced',
    expired: 'operation-expired',
    void: 'operation-void',
    awaiting: 'operation-awaiting',
    claimed: kindText(kind, 'going'),
    sent: kindText(kind, 'going'),
    done: kindText(kind, 'done'),
    refused: kindText(kind, 'refused'),
    unknown: 'operation-uncertain',
    likely: kindText(kind, 'likely'),
    closed: 'operation-closed',
  };
  return words.html(keys[state]);
}

/** What *Confirm* agrees to: the price as far as it is known, and what can't be undone. */
function conditions(words: Words, kind: OperationKind, operation: Operation): string {
  const { request, estimate, balance, operators } = operation;
  return paragraphs(
    operators && words.html('operation-operators'),
    kind.terms?.(words, request, { estimate, balance }),
    !kind.isFree?.(request) &&
      !kind.takesOut &&
      lines(
        // Its terms say already that nobody knows.
        estimate === undefined
          ? !kind.terms && words.html('operation-no-estimate')
          : words.html('operation-estimate', { estimate }),
        balance === undefined
          ? words.html('operation-no-balance')
          : words.html('operation-balance', { balance }),
      ),
    lines(
      words.html(kindText(kind, 'truth')),
      words.html('operation-lifetime', { minutes: Math.round(kind.lifetimeMs / 60_000) }),
    ),
  );
}

/** What its user should look at twice. */
function warnings(
  words: Words,
  kind: OperationKind,
  { request, warnings: { lookalike, like } = {} }: Operation,
): string {
  return paragraphs(
    lookalike &&
      words.html('operation-lookalike', {
        known: inFours(lookalike),
        given: inFours(kind.target(request)),
      }),
    like && words.html('operation-like', { id: like }),
  );
}

/** What came of it, below how it stands. */
function outcome(words: Words, operation: Operation, about: CardSurroundings): string | undefined {
  switch (operation.state) {
    case 'done':
      return paragraphs(byHand(words, operation), done(words, operation, about));
    case 'awaiting':
      return words.html('operation-awaiting-note');
    case 'refused': {
      const { refusal } = operation;
      if (refusal === undefined) return undefined;
      if (operation.decided) return byHand(words, operation);
      const { reason, code, seconds } = refusal;
      return words.html(`refusal-${reason}`, { code, seconds, minutes: Math.ceil(seconds / 60) });
    }
    case 'unknown':
      return paragraphs(uncertainty(words, operation), searched(words, about.kind, operation));
    case 'likely':
      return words.html('operation-likely');
    case 'closed':
      return words.html('operation-closed-note');
    default:
      return undefined;
  }
}

/** Says why the outcome isn't known and that the user shouldn't repeat the operation. */
function uncertainty(words: Words, { unexpectedReply }: Operation): string {
  return words.html(unexpectedReply ? 'operation-unexpected' : 'operation-unknown');
}

/** Who said so, and why, where nobody else did. */
function byHand(words: Words, { decided }: Operation): string | undefined {
  return decided && words.html('operation-by-hand', { outcome: decided.outcome, reason: decided.reason });
}

/** Whether what was bought is there. */
function statusLine(
  words: Words,
  { state, result }: Operation,
  { kind, reported }: CardSurroundings,
): string | undefined {
  if (state !== 'done') return undefined;
  const status = result?.status;
  const own = status === undefined ? undefined : kind.statusText?.(status);
  if (own) return words.html(own);
  switch (status) {
    case undefined:
      return undefined;
    case 'pending':
      return words.html(kind.report && reported ? 'order-pending' : 'order-pending-no-events');
    case 'filled':
      return words.html('order-filled');
    case 'failed':
      // Neither the specification nor any event says what a failed order gives back.
      return words.html('order-failed', { price: result?.price ?? 'none' });
    default:
      return words.html('order-status', { status });
  }
}

function done(words: Words, operation: Operation, about: CardSurroundings): string {
  // What a failed order was charged comes back, so that neither price nor balance is true any more.
  const { order, status, price, txHash, transferFee, balanceLeft } = operation.result ?? {};
  const { kind } = about;
  return lines(
    order !== undefined &&
      !kind.listing &&
      !kind.followUp &&
      words.html('operation-order', { order: String(order) }),
    status !== 'failed' && !kind.isFree?.(operation.request) && charged(words, price, operation.estimate),
    statusLine(words, operation, about),
    transferFee !== undefined && words.html('operation-transfer-fee', { fee: transferFee }),
    txHash !== undefined && words.html('operation-transaction', { hash: txHash }),
    status !== 'failed' &&
      balanceLeft !== undefined &&
      words.html('operation-left', { balance: balanceLeft }),
  );
}

function charged(words: Words, price: string | undefined, estimate: string | undefined): string {
  if (price === undefined) return words.html('operation-price-unknown');
  if (estimate === undefined || estimate === price) return words.html('operation-price', { price });
  return words.html('operation-price-differs', { price, estimate });
}

function searched(words: Words, kind: OperationKind, operation: Operation): string | undefined {
  const { search, sentAt = 0 } = operation;
  if (search === undefined) return undefined;
  if (search.over) return words.html('operation-search-over', { checked: words.plain('button-i-checked') });
  const { count, balance, at = 0 } = search;
  if (at - sentAt < NO_SIGN_AFTER_MS) return words.html('operation-searched', { count, balance });
  return words.html('operation-no-sign', { balance, kind: kind.fits ? 'purchase' : 'other' });
}
