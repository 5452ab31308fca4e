import { BigNumber } from 'bignumber.js';
import type { Middleware } from 'grammy';
import type { CallbackQuery } from 'grammy/types';
import { LANGUAGES, type Texts } from '../i18n/texts.ts';
import { callbackData, htmlToPlainText, paragraphs } from '../i18n/view.ts';
import { CARD_BUTTONS, movedCard } from '../operations/card.ts';
import type { PlacedCard } from '../operations/confirm.ts';
import type { OperationKind, OperationRequest } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import { neverOnOperators } from '../operations/preflight.ts';
import type { Stored } from '../operations/store.ts';
import { findAddressInput } from '../rental-api/address.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { payerOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import { controlWordOf } from './dialogue.ts';
import type { FeatureDeps } from './feature.ts';
import type { Payer } from './quotes.ts';
import { edit, send } from './reply.ts';
import type { Router } from './router.ts';

interface FormerCard {
  stored: Stored;
  message: number;
}

type CardDeps = Pick<FeatureDeps, 'card' | 'operations'>;

/**
 * Shows the card of a new draft. The commit stores the id of its message in the session. If the update is handled
 * again, that message remains the card. On another replica a second message of the same draft is sent, and only the
 * later one can be confirmed.
 */
export async function openCard(
  deps: CardDeps,
  ctx: BotContext,
  draft: Operation,
  former: FormerCard | undefined,
): Promise<void> {
  const card = await deps.card(ctx.words, draft);
  // A card begins with its status, so the header comes below it.
  const view = { ...card, html: paragraphs(card.html, takeHeader(ctx)) };
  const isEdited = draft.card !== undefined && (await edit(ctx, draft.card, view));
  const message = draft.card !== undefined && isEdited ? draft.card : await send(ctx, view);
  deps.operations.drafts.placeCard(draft, message);
  makeCurrentCard(deps, ctx, { operation: draft.id, message }, former);
}

function takeHeader(ctx: BotContext): string | undefined {
  const { headerHtml } = ctx;
  delete ctx.headerHtml;
  return headerHtml;
}

/** Returns the card that the next one replaces. Read while the next one is created. */
export async function readFormerCard(
  { operations }: Pick<CardDeps, 'operations'>,
  { session, from }: BotContext,
): Promise<FormerCard | undefined> {
  if (session.draft === undefined || from === undefined) return undefined;
  const { operation: id, message } = session.draft;
  const stored = await operations.drafts.read({ user: from.id, id });
  return stored && { stored, message };
}

/**
 * Sends a draft's card again at the end of the chat, with a `hint`. From then on only the new message can be confirmed.
 */
export async function reopenCard(
  { card, operations }: CardDeps,
  ctx: BotContext,
  draft: Operation,
  { hint, old }: { hint: string; old: number },
): Promise<void> {
  const { kinds } = operations;
  const view = await card(ctx.words, draft);
  // A card begins with its status, so the header comes below it.
  const message = await send(ctx, { ...view, html: paragraphs(view.html, hint, takeHeader(ctx)) });
  const moved = movedCard(ctx.words, draft, kinds.of(draft.request));
  // Cosmetic: only the newer card can be confirmed, and a tap on the older one also says so.
  ctx.tx.afterCommit(() => edit(ctx, old, moved));
  makeCurrentCard(
    { card, operations },
    ctx,
    { operation: draft.id, message },
    await readFormerCard({ operations }, ctx),
  );
}

/**
 * Stores in the session the only card that can be decided on ({@link Drafts.confirm}), and marks the previous draft as
 * replaced.
 */
function makeCurrentCard(
  { card, operations }: CardDeps,
  ctx: BotContext,
  placed: PlacedCard,
  former: FormerCard | undefined,
): void {
  // Text that the user types from now on is meant for the newer card.
  stopExpectingCode(ctx);
  ctx.session.draft = placed;
  ctx.session.card = placed;
  if (former === undefined || former.stored.operation.id === placed.operation) return;
  // Cosmetic: the older card can't be confirmed any more, and a tap on it also says so.
  ctx.tx.afterCommit(async () => {
    const replaced = await operations.drafts.supersede(former.stored);
    if (replaced) await edit(ctx, former.message, await card(ctx.words, replaced));
  });
}

/** Name of the feature that accepts one-time codes. */
export const CODE_INPUT = 'code';

/** Time during which a message with only a number is treated as a one-time code and deleted, in milliseconds. */
const TREAT_AS_CODES_MS = 5 * 60_000;

/** Expects the operation's one-time code in the next message. Updates the card after the commit. */
export function expectCode(
  { card, now }: Pick<FeatureDeps, 'card' | 'now'>,
  ctx: BotContext,
  operation: Operation,
  message: number,
): void {
  ctx.session.awaiting = CODE_INPUT;
  ctx.session.code = { operation: operation.id, message, until: operation.expiresAt };
  treatNumbersAsCodes({ now }, ctx);
  ctx.tx.afterCommit(async () => edit(ctx, message, await card(ctx.words, operation)));
}

/** Stops expecting a one-time code. With `of`, only if the code is for that operation. */
export function stopExpectingCode({ session }: BotContext, of?: Pick<Operation, 'id'>): void {
  if (session.code === undefined || (of && session.code.operation !== of.id)) return;
  delete session.awaiting;
  delete session.code;
}

export function treatNumbersAsCodes({ now }: Pick<FeatureDeps, 'now'>, { session }: BotContext): void {
  session.codesUntil = now() + TREAT_AS_CODES_MS;
}

/**
 * Creates the middleware for text that the user types while the last card can still be decided on. *Back* and *Cancel*
 * are understood. Any other text shows the card again below it. Only a tap confirms.
 */
export function handleTextAtCard({
  card,
  operations,
  router,
}: Pick<FeatureDeps, 'card' | 'operations'> & { router: Router }): Middleware<BotContext> {
  const { drafts } = operations;

  return async (ctx, next) => {
    const waiting = ctx.session.card;
    if (waiting === undefined || ctx.message === undefined || ctx.from === undefined) return next();
    const draft = await drafts.open({ user: ctx.from.id, id: waiting.operation });
    if (draft === undefined) {
      delete ctx.session.card;
      return next();
    }
    const text = ctx.message.text ?? ctx.message.caption ?? '';
    // Another address starts something else, and the card stays as it is.
    if (findAddressInput(text) !== undefined) return next();
    const way = controlWordOf(text);
    if (way === 'back' || way === 'cancel') {
      await router.routeTap(callbackData(CARD_BUTTONS, way, draft.id), ctx)?.press(ctx, waiting.message);
      if (ctx.flowToEnter) await next();
      return;
    }
    const hint = ctx.words.html(way === 'confirm' ? 'operation-only-tap' : 'operation-decide');
    await reopenCard({ card, operations }, ctx, draft, { hint, old: waiting.message });
  };
}

/**
 * Returns whether the tapped message, as Telegram has it, contains the operation's target and title: its address,
 * amount and duration. A manipulated record therefore can't be confirmed with a card that shows something else.
 */
function showsOperation(
  tap: CallbackQuery | undefined,
  { request }: Operation,
  { kind, texts }: { kind: OperationKind; texts: Texts },
): boolean {
  const message = tap?.message;
  const messageText = lettersAndDigits(
    message !== undefined && 'text' in message ? (message.text ?? '') : '',
  );
  // The card may have been shown again in another language than its operation's.
  const titles = LANGUAGES.map((language) => kind.title(texts.in(language), request));
  return (
    messageText.includes(lettersAndDigits(kind.target(request))) &&
    titles.some((title) => messageText.includes(lettersAndDigits(htmlToPlainText(title))))
  );
}

/** Keeps only letters and digits: Telegram may return other spaces and signs than were sent. */
function lettersAndDigits(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

/**
 * Creates the middleware that cancels the open card of a chat once this update has asked a newer question. Only one
 * thing in a chat waits for the user, so an old *Confirm* beside a newer question does nothing.
 */
export function cancelAbandonedCard({
  card,
  operations,
}: Pick<FeatureDeps, 'card' | 'operations'>): Middleware<BotContext> {
  const { drafts } = operations;
  return async (ctx, next) => {
    await next();
    const { from, session } = ctx;
    const { draft, awaiting } = session;
    const isAsked = ctx.tx.conversation !== undefined || awaiting !== undefined;
    if (from === undefined || draft === undefined || !isAsked) return;
    // From the commit on the session contains no card, so the card can't be confirmed any more.
    delete session.draft;
    delete session.card;
    ctx.tx.afterCommit(async () => {
      const cancelled = await drafts.cancelAbandoned({ user: from.id, id: draft.operation });
      if (cancelled) await edit(ctx, draft.message, await card(ctx.words, cancelled));
    });
  };
}

/** Reason why a card can't be confirmed, shown over the chat. `showFreshCard`: a card with current data replaces it. */
interface ConfirmationRejection {
  toast: string;
  showFreshCard?: true;
}

type ConfirmDeps = Pick<FeatureDeps, 'operations' | 'quotes' | 'links' | 'texts'>;

/**
 * Creates the function that returns why a tap on *Confirm* is rejected, or `undefined`. Without an obstacle it also
 * reserves the operation's amount in the spending limits that apply.
 */
export function createConfirmationCheck({ operations, quotes, links, texts }: ConfirmDeps) {
  const { kinds, cooldowns, dailyCap, operatorCap } = operations;

  async function hasBalanceChanged(
    ctx: BotContext,
    { account, request, balance: shown }: Operation,
  ): Promise<boolean> {
    const { balanceObstacle } = kinds.of(request);
    const payer = balanceObstacle && (await payerOf({ links }, ctx));
    // The balance of an account that was linked later says nothing about this operation.
    const now = payer?.account === account ? await quotes.balance(payer) : undefined;
    // An unknown balance is no obstacle. It is checked again right before the request.
    return now !== undefined && balanceObstacle?.(request, { shown, now }) !== undefined;
  }

  /** Checks the rules for the operator's account. The user's link may have changed since the card was shown. */
  async function operatorRejectionOf(
    ctx: BotContext,
    operation: Operation,
  ): Promise<ConfirmationRejection | undefined> {
    const { words } = ctx;
    const { account, request } = operation;
    const isOperatorAccount = (await payerOf({ links }, ctx))?.operators === true;
    if (!isOperatorAccount && !operation.operators) return undefined;
    if (!isOperatorAccount || !operation.operators || neverOnOperators(kinds.of(request), request))
      return { toast: words.plain('toast-operator-never') };
    ctx.tx.signal.throwIfAborted();
    if (await operatorCap.reserve(operation, 'decided')) return undefined;
    const [cap, left] = await Promise.all([operatorCap.limit(), operatorCap.remaining(account)]);
    return { toast: words.plain('toast-operator-cap', { cap, left }) };
  }

  return async (ctx: BotContext, operation: Operation): Promise<ConfirmationRejection | undefined> => {
    const { words } = ctx;
    const kind = kinds.of(operation.request);
    if (!showsOperation(ctx.callbackQuery, operation, { kind, texts }))
      return { toast: words.plain('toast-card-differs') };
    const cooldownMs = await cooldowns.remainingMs(operation);
    if (cooldownMs > 0)
      return { toast: words.plain('toast-rests', { seconds: Math.ceil(cooldownMs / 1000) }) };
    if (await hasBalanceChanged(ctx, operation))
      return { toast: words.plain('toast-balance-differs'), showFreshCard: true };
    const operatorRejection =
      operation.account === OPERATOR_ACCOUNT ? undefined : await operatorRejectionOf(ctx, operation);
    if (operatorRejection) return operatorRejection;
    const isCapped = kind.withdrawalAmount !== undefined && kind.needsCode?.(operation.request) !== true;
    ctx.tx.signal.throwIfAborted();
    if (!isCapped || (await dailyCap.reserve(operation, 'decided'))) return undefined;
    const left = await dailyCap.remaining(operation.account);
    return { toast: words.plain('toast-cap', { cap: dailyCap.trx, left }) };
  };
}

/**
 * Returns why the operator's account can't be used for this, in Telegram's HTML, or `undefined`. `estimate` is in TRX,
 * decimal. This check only avoids cards that couldn't be confirmed.
 */
export async function operatorRejectionText(
  { operations }: { operations: Pick<FeatureDeps['operations'], 'operatorCap'> },
  { words }: BotContext,
  about: {
    kind: OperationKind;
    payer: Pick<Payer, 'account' | 'operators'>;
    request: OperationRequest;
    estimate: string | undefined;
  },
): Promise<string | undefined> {
  const { kind, payer, request, estimate } = about;
  if (!payer.operators) return undefined;
  const forbidden = neverOnOperators(kind, request);
  if (forbidden) return words.html(forbidden === 'operator' ? 'withdrawal-operator' : 'operator-ongoing');
  if (kind.isFree?.(request)) return undefined;
  if (estimate === undefined) return words.html('operator-no-price');
  const { operatorCap } = operations;
  const [cap, left] = await Promise.all([operatorCap.limit(), operatorCap.remaining(payer.account)]);
  return new BigNumber(left).gte(estimate)
    ? undefined
    : words.html('operator-cap-reached', { cap, left, operator: words.plain('button-operator') });
}
