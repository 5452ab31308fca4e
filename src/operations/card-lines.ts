import { inFours } from '../texts/formats.ts';
import type { TextKey } from '../texts/keys.ts';
import type { Words } from '../texts/texts.ts';
import { lines, paragraphs } from '../texts/view.ts';
import { kindText, type OperationKind } from './kinds/kind.ts';
import type { Operation } from './operation.ts';

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
export function conditions(words: Words, kind: OperationKind, operation: Operation): string {
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
export function warnings(
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
export function outcome(words: Words, operation: Operation, about: CardSurroundings): string | undefined {
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
export function uncertainty(words: Words, { unexpectedReply }: Operation): string {
  return words.html(unexpectedReply ? 'operation-unexpected' : 'operation-unknown');
}

/** Who said so, and why, where nobody else did. */
function byHand(words: Words, { decided }: Operation): string | undefined {
  return decided && words.html('operation-by-hand', { outcome: decided.outcome, reason: decided.reason });
}

/** Whether what was bought is there. */
export function statusLine(
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
