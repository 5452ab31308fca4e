import { rememberAddress } from '../bot/address-views.ts';
import type { BotContext } from '../bot/context.ts';
import { endFlow } from '../bot/conversations.ts';
import {
  changes,
  createPrefetch,
  decides,
  defineFeature,
  MESSAGE_TTL_MS,
  type RestartPoint,
} from '../bot/feature.ts';
import { CLOSED_CARD } from '../bot/maintenance.ts';
import { createConfirmationCheck, expectCode, reopenCard, stopExpectingCode } from '../bot/operation-card.ts';
import { edit, hasTappedButton, send } from '../bot/reply.ts';
import type { TextKey } from '../i18n/keys.ts';
import { escapeHtml } from '../i18n/texts.ts';
import { paragraphs, withMenuButton } from '../i18n/view.ts';
import { CARD_BUTTONS, inShort, movedCard } from '../operations/card.ts';
import type { Decision } from '../operations/confirm.ts';
import { isUncertain, type Operation } from '../operations/operation.ts';

/** Texts over the chat for taps that decided nothing. */
const TOASTS = {
  expired: 'toast-expired',
  void: 'toast-void',
  'in-progress': 'toast-going',
  decided: 'toast-card-over',
  elsewhere: 'toast-card-below',
  replaced: 'toast-card-replaced',
} as const satisfies Partial<Record<Decision['kind'], TextKey>>;

/**
 * Creates the feature with the buttons of all operations' cards. `message` is the card. Only its owner can find the
 * operation.
 */
export const operationFeature = defineFeature((deps) => {
  const { operations, card, paymentsGate, sendQueue, features, openMenu } = deps;
  const { drafts, decisions, settlement } = operations;
  const beforeClaim = createConfirmationCheck(deps);
  type Claim = Extract<Decision, { kind: 'claim' }>;

  /** Reads everything that decides whether a tap on *Confirm* may claim. */
  const toConfirm = createPrefetch(async ({ from }, id) =>
    Promise.all([paymentsGate.closedNow(), from && decisions.read({ user: from.id, id })]),
  );

  /** Returns the claim, or shows the user any other decision. Every tap gets a reply. */
  async function claimOf(ctx: BotContext, decision: Decision, message: number): Promise<Claim | undefined> {
    const { words } = ctx;
    if (decision.kind === 'claim') return decision;
    if (decision.kind === 'none' && hasTappedButton(ctx)) {
      ctx.toast = words.plain('toast-no-operation');
      const html = paragraphs(words.html('operation-no-record'), escapeHtml(bodyOf(ctx.callbackQuery)));
      await edit(ctx, message, { html, keyboard: [] });
      return undefined;
    }
    // Forged data on a message that isn't the operation's card: the reply doesn't reveal the reason.
    if (decision.kind === 'none' || !isCard(ctx, decision.operation, message)) {
      ctx.toast = words.plain('toast-card-over');
      return undefined;
    }
    const { kind, operation } = decision;
    if (kind === 'unplaced') {
      ctx.toast = words.plain('toast-card-below');
      const hint = words.html('operation-shown-again');
      // The card replaces a question that was asked later.
      endFlow(ctx);
      await reopenCard({ card, operations }, ctx, operation, { hint, old: message });
      return undefined;
    }
    if (kind === 'expired' || kind === 'void') forget(ctx, operation);
    ctx.toast = words.plain(TOASTS[kind]);
    await showAsItIs(ctx, kind === 'replaced' ? { ...operation, state: 'replaced' } : operation, message);
    return undefined;
  }

  /** Brings a tapped card up to date, in case its last edit failed or another message is the card now. */
  async function showAsItIs(ctx: BotContext, operation: Operation, message: number): Promise<void> {
    const { state, notified, revision } = operation;
    if (state !== 'expired' && state !== 'void' && !hasTappedButton(ctx)) return;
    // The first of two quick taps on Cancel has edited the card.
    if (state === 'cancelled' && operation.card === message && notified >= revision) return;
    const place = (state === 'draft' ? ctx.session.draft?.message : operation.card) ?? message;
    if (place !== message) {
      await edit(ctx, message, movedCard(ctx.words, operation, operations.kinds.of(operation.request)));
      // While the operation is being executed, its executor updates the card, possibly at this moment.
    } else if (state !== 'claimed' && state !== 'sent') {
      await edit(ctx, message, await card(ctx.words, operation));
    }
  }

  /** Cancels the draft with this update. Returns the draft if it could still be decided on. */
  async function cancelled(
    ctx: BotContext,
    id: string,
    message: number,
    way: 'ends' | 'goes on',
  ): Promise<Operation | undefined> {
    if (ctx.from === undefined) return undefined;
    const decision = await decisions.cancel({ user: ctx.from.id, id }, message, ctx.session.draft);
    const made = await claimOf(ctx, decision, message);
    if (made === undefined) return undefined;
    forget(ctx, made.operation);
    stopExpectingCode(ctx, made.operation);
    ctx.tx.claim(made.claim);
    // Shown only after the commit, because a tap on *Confirm* may be waiting behind this one.
    const { html, keyboard } = await card(ctx.words, made.operation);
    ctx.tx.afterCommit(async () => {
      const isShown = await edit(ctx, message, { html, keyboard: way === 'ends' ? keyboard : [] });
      if (isShown) await drafts.markNotified(made.claimed);
    });
    return made.operation;
  }

  /** Enters the flow of an operation's kind with everything that the operation requested. */
  function enterAgain(ctx: BotContext, { request }: Operation, at: RestartPoint): void {
    const feature = features().find(({ restart }) => restart?.kind === request.kind);
    if (feature?.restart === undefined) {
      ctx.toast = ctx.words.plain('toast-over');
      return;
    }
    endFlow(ctx);
    const goesOn = at === 'last question' || at === 'fresh card';
    const start = feature.restart.start(request, at);
    ctx.flowToEnter = { feature: feature.name, start, ...(goesOn && { isContinued: goesOn }) };
  }

  async function own(ctx: BotContext, id: string): Promise<Operation | undefined> {
    const operation = ctx.from && (await drafts.find({ user: ctx.from.id, id }));
    if (operation === undefined) ctx.toast = ctx.words.plain('toast-no-operation');
    return operation;
  }

  return {
    name: CARD_BUTTONS,
    keepsFlow: true,
    prefetch: { confirm: toConfirm.start },
    buttons: {
      confirm: decides(async (ctx, id, message) => {
        if (ctx.from === undefined) return;
        const ref = { user: ctx.from.id, id };
        const [closed, looked] = await toConfirm.get(ctx, id);
        const decision = await decisions.confirm(ref, message, ctx.session.draft, looked);
        // The card stays as it is: it can be confirmed later, until it expires.
        if (closed && (decision.kind === 'claim' || decision.kind === 'unplaced')) {
          await send(ctx, withMenuButton(ctx.words, ctx.words.html(CLOSED_CARD[closed.by])));
          return;
        }
        const made = await claimOf(ctx, decision, message);
        if (made === undefined) return;
        const obstacle = await beforeClaim(ctx, made.operation);
        if (obstacle) {
          ctx.toast = obstacle.toast;
          if (obstacle.showFreshCard) enterAgain(ctx, made.operation, 'fresh card');
          return;
        }
        forget(ctx, made.operation);
        ctx.tx.claim(made.claim);
        if (made.operation.state === 'awaiting') {
          endFlow(ctx);
          expectCode(deps, ctx, made.operation, message);
          // Shows nothing here: the executor does that after the commit.
        } else ctx.tx.afterCommit(async () => void sendQueue.add(made.claimed));
        await rememberAddress(deps, ctx, made.operation);
      }),
      cancel: decides((ctx, id, message) => cancelled(ctx, id, message, 'ends')),
      back: decides(async (ctx, id, message) => {
        const operation = await cancelled(ctx, id, message, 'goes on');
        if (operation) enterAgain(ctx, operation, 'last question');
      }),
      async again(ctx, id) {
        const operation = await own(ctx, id);
        if (operation) enterAgain(ctx, operation, operation.state === 'done' ? 'one more' : 'card');
      },
      async show(ctx, id) {
        const operation = await own(ctx, id);
        if (operation)
          await send(
            ctx,
            { html: inShort(ctx.words, operation, operations.kinds), keyboard: [] },
            operation.card,
          );
      },
      checked: changes(async (ctx, id, message) => {
        const operation = ctx.from && (await drafts.find({ user: ctx.from.id, id }));
        ctx.tx.signal.throwIfAborted();
        if (operation && isUncertain(operation)) return settlement.close({ user: operation.user, id });
        ctx.toast = ctx.words.plain('toast-card-over');
        if (operation) await showAsItIs(ctx, operation, message);
      }, MESSAGE_TTL_MS),
      async menu(ctx) {
        endFlow(ctx);
        await openMenu(ctx);
      },
    },
  };
});

/** Returns the text of the tapped card below its first line, which shows the operation's earlier status. */
function bodyOf(tap: BotContext['callbackQuery']): string {
  const text = tap?.message && 'text' in tap.message ? (tap.message.text ?? '') : '';
  return text.split('\n').slice(1).join('\n').trim();
}

/** Returns whether a message shows this operation: it has the tapped button, or is the operation's card. */
function isCard(ctx: BotContext, { id, card }: Operation, message: number): boolean {
  const { draft } = ctx.session;
  return hasTappedButton(ctx) || card === message || (draft?.operation === id && draft.message === message);
}

/** Stops applying typed text to this card, because it has been decided on. */
function forget({ session }: BotContext, { id }: Operation): void {
  if (session.card?.operation === id) delete session.card;
}
