import { BigNumber } from 'bignumber.js';
import type { Middleware } from 'grammy';
import { findSavedName } from '../accounts/address-book.ts';
import { lines, paragraphs, periodVariables, type Words } from '../i18n/texts.ts';
import { readEnergyOrder } from '../input/energy-terms.ts';
import { controlWordOf } from '../input/words.ts';
import { CARD_BUTTONS, confirmLabelOf, movedCard, REFRESH } from '../operations/card.ts';
import type { SendQueue } from '../operations/execute.ts';
import {
  type OperationKind,
  type OperationRequest,
  operatorAccountRefusal,
} from '../operations/kinds/kind.ts';
import type { Operation, StoredOperation } from '../operations/operation.ts';
import { closedTo } from '../operations/payments-gate.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { findAddressInput } from '../rental-api/tron.ts';
import { textOf } from '../telegram/message-content.ts';
import { callbackData, readCallbackData } from '../views/callback-data.ts';
import { addressBookOf } from './address-input.ts';
import type { BotContext, Payer } from './context.ts';
import { isFlowOpen, openFlow, repeatQuestion } from './dialogue.ts';
import { type BotDeps, CLOSED_FLOW, type FeatureDeps, maintenanceNotice } from './feature.ts';
import { addHeader, edit, hasTappedButton, remove, send, show, showText, takeHeader } from './reply.ts';
import type { Router } from './router.ts';
import type { Session } from './session.ts';

/**
 * Minimum age of a card that a tap confirms, or of a list whose buttons confirm, in milliseconds. Both replace the last
 * screen in its message, so the second tap of a double tap may hit one of their buttons. Nothing can be read in this time.
 */
export const CONFIRMABLE_AFTER_MS = 700;

interface FormerCard {
  stored: StoredOperation;
  message: number;
}

/**
 * Shows the card of a new draft, in place of the last question if that was tapped. If the update is handled again, its
 * message remains the card. Another replica sends a second message, and only the later one can be confirmed.
 */
export async function openCard(
  deps: FeatureDeps,
  ctx: BotContext,
  draft: Operation,
  former: FormerCard | undefined,
): Promise<void> {
  // A card begins with its status, and the header explains what its title names.
  const note = await noteOnCard(deps, ctx, draft);
  const book = await addressBookOf(deps, ctx);
  const view = await deps.card(ctx.words, draft, { note: lines(takeHeader(ctx), note), book });
  // The text may not have changed, so a toast says so.
  const isRefreshed = readCallbackData(ctx.callbackQuery?.data ?? '')?.button === REFRESH;
  if (isRefreshed && draft.estimate === undefined) ctx.toast = ctx.words.plain('toast-no-price');
  const present = draft.receipt.card ?? (await replacedInPlace(deps, ctx, former));
  const isEdited = present !== undefined && (await edit(ctx, present, view));
  const message = present !== undefined && isEdited ? present : await show(ctx, view);
  deps.operations.drafts.placeCard(draft, message);
  makeCurrentCard(deps, ctx, draft, message, former);
}

/**
 * Returns the message of the former draft if its card was tapped, for example to change an option. After a rollback of the
 * storage, the message may be the receipt of that draft.
 */
async function replacedInPlace(
  { operations }: FeatureDeps,
  ctx: BotContext,
  former: FormerCard | undefined,
): Promise<number | undefined> {
  if (former === undefined || ctx.callbackQuery?.message?.message_id !== former.message) return undefined;
  return (await operations.drafts.isOpen(former.stored.operation)) ? former.message : undefined;
}

/**
 * Makes an operation and claims it with the same update, because the tapped button confirms it
 * (`isConfirmedByItsButton`). The tapped message becomes the receipt. The button needs a token (`changes`), so that a
 * second tap on it does nothing.
 *
 * Returns true if the operation is claimed, or if a message says why it can't be. Returns false if it needs a card, for
 * example because an unresolved one may have the same intention. The card of this update then has the same draft.
 */
export async function confirmAtOnce(
  deps: FeatureDeps & { sendQueue: Pick<SendQueue, 'enqueueClaim'> },
  ctx: BotContext,
  message: number,
  about: { payer: Pick<Payer, 'user' | 'account' | 'usesOperatorAccount'>; request: OperationRequest },
): Promise<boolean> {
  const { operations, paymentsGate, sendQueue } = deps;
  const { payer, request } = about;
  const { user, account, usesOperatorAccount } = payer;
  const kind = operations.kinds.of(request);
  const closed = closedTo(kind, request, await paymentsGate.closedNow());
  const rejection = closed
    ? ctx.words.html(CLOSED_FLOW[closed.by])
    : await operatorRejectionText(deps, ctx, { kind, payer, request, estimate: undefined });
  if (rejection !== undefined) {
    await showText(ctx, rejection);
    return true;
  }
  ctx.tx.signal.throwIfAborted();
  const draft = await operations.drafts.draft({
    update: ctx.update.update_id,
    user,
    account,
    usesOperatorAccount,
    language: ctx.words.language,
    request,
  });
  if (draft.warnings.like !== undefined || !hasTappedButton(ctx)) return false;
  const decision = await operations.decisions.confirmAtOnce(draft, message);
  if (decision.kind !== 'claim') return false;
  ctx.tx.claim(decision.claim);
  ctx.tx.afterCommit(async () => void sendQueue.enqueueClaim(decision.claimed));
  return true;
}

/** Returns the draft whose card the session names, or `undefined` if there is none. */
export async function readFormerCard(
  { operations }: FeatureDeps,
  { session, from }: BotContext,
): Promise<FormerCard | undefined> {
  if (session.draft === undefined) return undefined;
  const { operation: id, message } = session.draft;
  const stored = await operations.drafts.read({ user: from.id, id });
  return stored && { stored, message };
}

/** Returns the lines on a card about maintenance and from the feature of its draft. */
async function noteOnCard(deps: FeatureDeps, ctx: BotContext, { request }: Operation) {
  const { restart } = deps.features().find((one) => one.restart?.kind === request.kind) ?? {};
  const isOpen = deps.operations.kinds.of(request).onlyEndsCosts?.(request) === true;
  return lines(!isOpen && (await maintenanceNotice(deps, ctx)), await restart?.cardNote?.(ctx, request));
}

/**
 * Sends a draft's card again with the present notice about an earlier purchase, and with a `hint` if given. From then on
 * only the new message can be confirmed.
 */
export async function reopenCard(
  deps: FeatureDeps,
  ctx: BotContext,
  draft: Operation,
  { hint, old }: { hint?: string; old: number },
): Promise<void> {
  const { card, operations } = deps;
  const [note, earlier] = await Promise.all([
    noteOnCard(deps, ctx, draft),
    deps.findEarlierPurchase(ctx.from.id, draft.request),
  ]);
  const view = await card(ctx.words, { ...draft, warnings: { ...draft.warnings, earlier } }, { note });
  // A card begins with its status, so the header comes below it.
  const message = await send(ctx, { ...view, html: paragraphs(view.html, hint, takeHeader(ctx)) });
  const moved = movedCard(ctx.words);
  // Cosmetic: only the newer card can be confirmed, and a tap on the older one also says so.
  ctx.tx.afterCommit(() => remove(ctx, old, moved));
  ctx.tx.afterCommit(() => operations.drafts.updateEarlier({ user: ctx.from.id, id: draft.id }, earlier));
  makeCurrentCard(deps, ctx, draft, message, await readFormerCard(deps, ctx));
}

/**
 * Updates a receipt after the commit, and the tapped copy of it: the history shows copies, and one that Telegram didn't
 * acknowledge may be in the chat. So neither offers again what its user has just chosen.
 */
export async function updateReceipt(
  { card }: FeatureDeps,
  ctx: BotContext,
  operation: Operation,
  tapped: number,
): Promise<void> {
  const view = await card(ctx.words, operation);
  const copies = new Set([operation.receipt.card ?? tapped, ...(hasTappedButton(ctx) ? [tapped] : [])]);
  ctx.tx.afterCommit(() => Promise.all([...copies].map((message) => edit(ctx, message, view))));
}

/** Sends the open card again if it can still be decided on. Returns whether it did. */
export async function repeatCard(deps: FeatureDeps, ctx: BotContext): Promise<boolean> {
  const { card } = ctx.session;
  const draft = card && (await deps.operations.drafts.open({ user: ctx.from.id, id: card.operation }));
  if (!card || !draft) return false;
  await reopenCard(deps, ctx, draft, { old: card.message });
  return true;
}

/**
 * Shows the open card in the user's language: sends it again or, if it awaits its code, edits it. A code that is older than
 * its card's message would be refused.
 */
export async function translateCard(deps: FeatureDeps, ctx: BotContext): Promise<void> {
  const { code } = ctx.session;
  if (code === undefined) return void (await repeatCard(deps, ctx));
  const operation = await deps.operations.drafts.find({ user: ctx.from.id, id: code.operation });
  if (operation?.state === 'awaiting') await edit(ctx, code.message, await deps.card(ctx.words, operation));
}

/**
 * Makes a card the only one that can be decided on, and marks the previous draft as replaced. A card of the same kind for
 * the same address is deleted, because the new one is a change of it.
 */
function makeCurrentCard(
  deps: FeatureDeps,
  ctx: BotContext,
  draft: Operation,
  message: number,
  former: FormerCard | undefined,
): void {
  // Text that the user types from now on is meant for the newer card.
  stopExpectingCode(ctx);
  delete ctx.session.screen;
  Object.assign(ctx.session, currentCard(deps, draft, message));
  if (former === undefined || former.stored.operation.id === draft.id) return;
  // Cosmetic: the older card can't be confirmed any more, and a tap on it also says so.
  ctx.tx.afterCommit(async () => {
    const { card, operations } = deps;
    const replaced = await operations.drafts.supersede(former.stored);
    if (!replaced || former.message === message) return;
    const over = await card(ctx.words, replaced);
    const { target } = operations.kinds.of(draft.request);
    // The card of a void draft must say that it may have been used.
    const isChange =
      replaced.state === 'replaced' &&
      replaced.request.kind === draft.request.kind &&
      target(replaced.request) === target(draft.request);
    await (isChange ? remove(ctx, former.message, over) : edit(ctx, former.message, over));
  });
}

/**
 * Returns the session fields of the only card that can be decided on. For some minutes after a card that will ask for
 * a code, a number like a code is deleted.
 */
export function currentCard(
  { operations, now }: Pick<FeatureDeps, 'operations' | 'now'>,
  { id: operation, request }: Operation,
  message: number,
): Pick<Session, 'draft' | 'card' | 'codesUntil'> {
  const needsCode = operations.kinds.of(request).needsCode?.(request) === true;
  return {
    draft: { operation, message, shownAt: now() },
    card: { operation, message },
    ...(needsCode && { codesUntil: now() + TREAT_AS_CODES_MS }),
  };
}

/** Feature that handles one-time codes. */
export const CODE_INPUT = 'code';

/** Time after a card with a code in which numbers of six digits count as codes, in milliseconds. Covers a user who is slow. */
export const TREAT_AS_CODES_MS = 30 * MINUTE_MS;

/**
 * Expects the operation's one-time code in the next message. Updates the card before the commit: after it, the code could
 * arrive at another replica, whose receipt must not be overwritten.
 */
export async function expectCode(
  deps: FeatureDeps,
  ctx: BotContext,
  operation: Operation,
  message: number,
): Promise<void> {
  ctx.session.awaiting = CODE_INPUT;
  ctx.session.code = { operation: operation.id, message, until: operation.expiresAt };
  treatNumbersAsCodes(deps, ctx);
  await edit(ctx, message, await deps.card(ctx.words, operation));
}

/** Stops expecting a one-time code. With `of`, only if the code is for that operation. */
export function stopExpectingCode({ session }: BotContext, of?: Pick<Operation, 'id'>): void {
  if (session.code === undefined || (of && session.code.operation !== of.id)) return;
  delete session.awaiting;
  delete session.code;
}

/** Replies to a message with a code. Deletes the last such reply, so that several codes leave one. */
export async function replyToCode(ctx: BotContext, html: string): Promise<void> {
  const { session } = ctx;
  removeCodeReply(ctx);
  session.codeReply = await send(ctx, { html, keyboard: [] });
}

/** Deletes the last reply to a code after the commit. Its failure changes nothing. */
export function removeCodeReply(ctx: BotContext): void {
  const { codeReply } = ctx.session;
  if (codeReply === undefined) return;
  delete ctx.session.codeReply;
  ctx.tx.afterCommit(async () => void ctx.api.deleteMessage(ctx.chatId, codeReply).catch(() => undefined));
}

/**
 * Returns the reply to a deleted number like a code that no card awaits, in Telegram's HTML. Only an open question or an
 * order's card can mean an amount.
 */
export async function unexpectedCodeText(
  { operations, now }: Pick<FeatureDeps, 'operations' | 'now'>,
  { from, session, tx, words }: BotContext,
): Promise<string> {
  const { drafts, kinds } = operations;
  if (tx.conversation !== undefined) return words.html('code-or-amount', { what: 'any' });
  const draft = session.draft && (await drafts.open({ user: from.id, id: session.draft.operation }));
  const kind = draft && kinds.of(draft.request);
  if (draft && kind?.needsCode?.(draft.request)) {
    const { confirmableFrom = 0, expiresAt } = draft;
    return words.html('code-before-confirm', {
      button: words.plain(confirmLabelOf(kind, draft)),
      wait: confirmableFrom > now() ? 'yes' : 'no',
      ...periodVariables(confirmableFrom, expiresAt),
    });
  }
  return kind?.withText ? words.html('code-or-amount', { what: 'energy' }) : words.html('code-unasked');
}

export function treatNumbersAsCodes({ now }: FeatureDeps, { session }: BotContext): void {
  session.codesUntil = now() + TREAT_AS_CODES_MS;
}

/** Returns whether the flow in `ctx.flowToEnter` leads to this card and returns to it instead of beginning anew. */
function returnsTo({ features }: FeatureDeps, { flowToEnter }: BotContext, draft: Operation): boolean {
  const feature = features().find(({ restart }) => restart?.kind === draft.request.kind);
  if (feature === undefined || feature.name !== flowToEnter?.feature) return false;
  return feature.flow?.startsAnew?.(feature.restart?.start(draft.request, 'card')) !== true;
}

/**
 * Shows the open question or card of the flow in `ctx.flowToEnter` instead of beginning it anew. Returns false if none is
 * open, or if the flow starts anew, which ends the open one. The next view says that a card was closed.
 */
export async function continueFlow(deps: FeatureDeps, ctx: BotContext): Promise<boolean> {
  const { flowToEnter, session, from } = ctx;
  if (flowToEnter === undefined) return false;
  if (isFlowOpen(ctx, flowToEnter.feature)) {
    const open = openFlow(deps.features(), ctx);
    if (open?.feature.flow?.startsAnew?.(open.state)) return false;
    return repeatQuestion(deps.features(), ctx);
  }
  const { card } = session;
  const draft = card && (await deps.operations.drafts.open({ user: from.id, id: card.operation }));
  if (card === undefined || draft === undefined) return false;
  if (!returnsTo(deps, ctx, draft)) {
    addHeader(ctx, ctx.words.html('card-left'));
    return false;
  }
  delete ctx.flowToEnter;
  await reopenCard(deps, ctx, draft, { old: card.message });
  return true;
}

/**
 * Creates the middleware for text typed while the last card is open:
 *
 * - *Back* and *Cancel* work like the buttons.
 * - Another amount or duration replaces the card. One that can't be ordered shows the card again, with the range.
 * - A text with an address or its saved name starts something else, unless the flow reads it as an answer, such as the new
 *   recipient.
 * - A text that can be a part of the order, such as its note, leads to the question whether it is one.
 * - The name of a feature opens it. Below what only shows something, the card follows.
 * - Any other text shows the card again, with a reply to small talk. Only a tap confirms.
 */
export function handleTextAtCard(router: Router, deps: BotDeps): Middleware<BotContext> {
  const { drafts } = deps.operations;

  return async (ctx, next) => {
    const waiting = ctx.session.card;
    if (waiting === undefined || ctx.message === undefined) return next();
    const draft = await drafts.open({ user: ctx.from.id, id: waiting.operation });
    if (draft === undefined) {
      delete ctx.session.card;
      return next();
    }
    const typed = textOf(ctx.message);
    const { aside } = ctx;
    const kind = deps.operations.kinds.of(draft.request);
    const feature = deps.features().find(({ restart }) => restart?.kind === draft.request.kind);
    const word = controlWordOf(typed);
    const problem = kind.textProblem?.(ctx.words, typed);
    const request = kind.withText?.(draft.request, typed);
    const isOther =
      word !== undefined || (aside && (aside.isExact || aside.kind === 'talk' || aside.keepsFlow));
    const asked = feature?.restart?.questionAbout?.(draft.request, typed, isOther === true);
    const answer = word ?? problem ?? request ?? feature?.restart?.answersIn?.(draft.request, typed);
    const named = answer === undefined ? findSavedName(typed, await addressBookOf(deps, ctx)) : undefined;
    // Among other words, a name may be part of a note or of a question.
    const isNamed = named && ((!isOther && !asked) || readEnergyOrder(named.rest).rest === '');
    const text = isNamed && findAddressInput(typed) === undefined ? named.text : typed;
    const answers = feature?.restart?.answersIn?.(draft.request, text);
    if (feature && answers) {
      const back = callbackData(CARD_BUTTONS, 'back', draft.id);
      await router.routeTap(back, ctx)?.press(ctx, waiting.message);
      if (ctx.flowToEnter === undefined) return;
      const start = { ...(ctx.flowToEnter.start as object), ...answers };
      // Not continued: the address is checked like the answer to its question.
      ctx.flowToEnter = { feature: feature.name, start };
      return next();
    }
    if (findAddressInput(text) !== undefined) return next();
    if (word === 'back' || word === 'cancel') {
      await router.routeTap(callbackData(CARD_BUTTONS, word, draft.id), ctx)?.press(ctx, waiting.message);
      if (ctx.flowToEnter) await next();
      return;
    }
    if (problem !== undefined) return reopenCard(deps, ctx, draft, { hint: problem, old: waiting.message });
    if (request && feature?.restart) {
      const { voided, wantedHours } = draft.warnings;
      const start = feature.restart.start(request, 'fresh card', { voided, wantedHours });
      ctx.flowToEnter = { feature: feature.name, start, isContinued: true };
      return next();
    }
    if (asked) {
      const back = callbackData(CARD_BUTTONS, 'back', `${draft.id}_${asked.question}`);
      await router.routeTap(back, ctx)?.press(ctx, waiting.message);
      if (ctx.flowToEnter === undefined) return;
      Object.assign(ctx.flowToEnter.start as object, asked.answers);
      return next();
    }
    if (aside?.kind === 'feature') {
      await aside.open(ctx);
      if (ctx.flowToEnter && !returnsTo(deps, ctx, draft)) {
        addHeader(ctx, ctx.words.html('card-left'));
        return next();
      }
      delete ctx.flowToEnter;
      if (aside.keepsFlow || aside.hasFlow) await reopenCard(deps, ctx, draft, { old: waiting.message });
      return;
    }
    const isAgreement = word === 'confirm' || aside?.reply === 'talk-ok';
    const reply = isAgreement ? 'operation-only-tap' : (aside?.reply ?? 'operation-decide');
    const hint = ctx.words.html(reply, { takes: kind.withText ? 'terms' : 'none' });
    await reopenCard(deps, ctx, draft, { hint, old: waiting.message });
  };
}

/**
 * Cancels cards that can't be used any more: the open one after a newer question, because an old *Confirm* beside it must
 * do nothing, and one whose code the chat no longer expects.
 */
export function cancelAbandonedCards(deps: BotDeps): Middleware<BotContext> {
  return async (ctx, next) => {
    const { code, codeReply } = ctx.session;
    await next();
    const { session, tx, words } = ctx;
    if (code !== undefined && session.code?.operation !== code.operation) {
      cancelCardsAfterCommit(deps, ctx, words, { code });
      if (session.codeReply === codeReply) removeCodeReply(ctx);
    }
    const { draft, awaiting } = session;
    const isAsked = tx.conversation !== undefined || awaiting !== undefined;
    if (draft === undefined || !isAsked) return;
    delete session.draft;
    delete session.card;
    cancelCardsAfterCommit(deps, ctx, words, { draft });
  };
}

/**
 * Cancels cards that the session has just forgotten, once that is committed: after that, no code is read and no *Confirm*
 * is accepted for them. The update may have claimed or cancelled them itself.
 */
export function cancelCardsAfterCommit(
  { card, operations }: Pick<FeatureDeps, 'card' | 'operations'>,
  ctx: BotContext,
  words: Words,
  { code, draft }: Pick<Session, 'code' | 'draft'>,
): void {
  const { drafts } = operations;
  const user = ctx.from.id;
  if (code !== undefined)
    ctx.tx.afterCommit(async () => {
      const cancelled = await drafts.cancelAwaiting({ user, id: code.operation });
      if (cancelled && (await edit(ctx, code.message, await card(words, cancelled.operation))))
        await drafts.markNotified(cancelled);
    });
  if (draft !== undefined)
    ctx.tx.afterCommit(async () => {
      const cancelled = await drafts.cancelAbandoned({ user, id: draft.operation });
      if (cancelled) await edit(ctx, draft.message, await card(words, cancelled, { message: draft.message }));
    });
}

/**
 * Returns why the operator's account can't be used, in Telegram's HTML, or `undefined`. `estimate` is in TRX.
 * This check only avoids cards that couldn't be confirmed.
 */
export async function operatorRejectionText(
  { operations }: FeatureDeps,
  { words }: BotContext,
  about: {
    kind: OperationKind;
    payer: Pick<Payer, 'account' | 'usesOperatorAccount'>;
    request: OperationRequest;
    estimate: string | undefined;
  },
): Promise<string | undefined> {
  const { kind, payer, request, estimate } = about;
  if (!payer.usesOperatorAccount) return undefined;
  const forbidden = operatorAccountRefusal(kind, request);
  if (forbidden)
    return words.html(forbidden === 'operator' ? 'refusal-operator' : 'refusal-operator-ongoing');
  if (kind.isFree?.(request)) return undefined;
  if (estimate === undefined) return words.html('operator-no-price');
  const { operatorCap } = operations;
  const [cap, left] = await Promise.all([operatorCap.limit(), operatorCap.remaining(payer.account)]);
  if (new BigNumber(left).gte(estimate)) return undefined;
  return words.html('operator-cap-reached', { cap, left, price: estimate });
}
