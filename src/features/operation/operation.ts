import { linkOf, withAccount } from '../../bot/accounts.ts';
import { ADDRESS_BUTTONS, addressBookOf } from '../../bot/address-input.ts';
import type { BotContext } from '../../bot/context.ts';
import { endFlow, leaveFlow } from '../../bot/dialogue.ts';
import {
  CLOSED_CARD,
  changes,
  createPrefetch,
  decides,
  defineFeature,
  type FeatureDeps,
  handlerOf,
  MESSAGE_TTL_MS,
  type RestartPoint,
} from '../../bot/feature.ts';
import {
  CONFIRMABLE_AFTER_MS,
  expectCode,
  reopenCard,
  stopExpectingCode,
  updateReceipt,
} from '../../bot/operation-card.ts';
import {
  edit,
  hasTappedButton,
  remove,
  removeTappedButton,
  send,
  showText,
  showToast,
} from '../../bot/reply.ts';
import type { TextKey } from '../../i18n/keys.ts';
import { escapeHtml, paragraphs } from '../../i18n/texts.ts';
import type { RentalReminders } from '../../notifications/rental-reminders.ts';
import { CARD_BUTTONS, confirmLabelOf, inShort, movedCard, REFRESH } from '../../operations/card.ts';
import type { Decision } from '../../operations/confirm.ts';
import type { SendQueue } from '../../operations/execute.ts';
import { isClaimed, isUncertain, isUpToDate, type Operation } from '../../operations/operation.ts';
import { closedTo } from '../../operations/payments-gate.ts';
import { isRecent } from '../../platform/clock.ts';
import { findAddresses } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, withMenuButton } from '../../views/view.ts';
import { press } from '../views/press.ts';
import { confirmationRejection } from './confirmation.ts';

const TOASTS = {
  expired: 'toast-expired',
  void: 'toast-void',
  'in-progress': 'toast-going',
  decided: 'toast-card-over',
  elsewhere: 'toast-card-below',
  replaced: 'toast-card-replaced',
} as const satisfies Partial<Record<Decision['kind'], TextKey>>;

const REMINDER_TOASTS = {
  scheduled: 'toast-reminder-on',
  'too-late': 'toast-reminder-late',
  none: 'toast-card-over',
  off: 'toast-card-over',
} as const satisfies Record<string, TextKey>;

interface OperationDeps extends FeatureDeps {
  sendQueue: Pick<SendQueue, 'enqueueClaim'>;
  rentalReminders: Pick<RentalReminders, 'turnOn' | 'turnOff'>;
  /** Minimum age of a card that can be confirmed, in milliseconds. Only tests set it. */
  confirmableAfterMs?: number | undefined;
}

/** Creates the feature with the buttons of operations' cards. Only the owner can find an operation. */
export const operationFeature = defineFeature((deps: OperationDeps) => {
  const { operations, card, paymentsGate, sendQueue, features, openMenu, rentalReminders, links, now } = deps;
  const { confirmableAfterMs = CONFIRMABLE_AFTER_MS } = deps;
  const { drafts, decisions, settlement } = operations;
  type Claim = Extract<Decision, { kind: 'claim' }>;

  const toConfirm = createPrefetch(async ({ from }, id) =>
    Promise.all([paymentsGate.closedNow(), decisions.read({ user: from.id, id })]),
  );

  /** Returns the claim, or shows any other decision. Every tap gets a reply. */
  async function claimOf(ctx: BotContext, decision: Decision, message: number): Promise<Claim | undefined> {
    const { words } = ctx;
    if (decision.kind === 'claim') return decision;
    if (decision.kind === 'none' && hasTappedButton(ctx)) {
      await showWithoutRecord(ctx, message);
    } else if (decision.kind === 'none' || !isCard(ctx, decision.operation, message)) {
      // Forged data on a message that isn't the card: the reply doesn't reveal the reason.
      showToast(ctx, 'toast-card-over');
    } else if (decision.kind === 'unplaced') {
      showToast(ctx, 'toast-card-below');
      const hint = words.html('operation-shown-again');
      // The card replaces a question that was asked later.
      endFlow(ctx);
      await reopenCard(deps, ctx, decision.operation, { hint, old: message });
    } else {
      const { kind, operation } = decision;
      if (kind === 'expired' || kind === 'void') detachCard(ctx, operation);
      // The void card stays as it is when it is shown again.
      if (kind === 'void' && ctx.session.draft?.operation === operation.id) delete ctx.session.draft;
      showToast(ctx, TOASTS[kind]);
      await showAsItIs(ctx, kind === 'replaced' ? { ...operation, state: 'replaced' } : operation, message);
    }
    return undefined;
  }

  /** Returns the address of a tapped card without a record, and the button of its feature that begins anew with it. */
  async function addressOfTapped(ctx: BotContext) {
    const isGuest = (await linkOf(deps, ctx)) === undefined;
    // An account holder's card may be about anything else than an order.
    return { isGuest, address: findAddresses(textOfTapped(ctx))[0], button: isGuest ? 'order' : 'use' };
  }

  /** Replaces a tapped card without a record. The way on begins anew with its address. */
  async function showWithoutRecord(ctx: BotContext, message: number): Promise<void> {
    const { words } = ctx;
    const { isGuest, address, button: use } = await addressOfTapped(ctx);
    showToast(ctx, 'toast-card-old');
    // Below its first line, which shows an earlier status. A guest has nothing to compare the rest with.
    const body = isGuest ? (address ?? '') : textOfTapped(ctx).split('\n').slice(1).join('\n').trim();
    const html = paragraphs(
      words.html('operation-no-record', { reader: isGuest ? 'guest' : 'holder' }),
      escapeHtml(body),
    );
    const again = address && [button(words, 'button-try-again', callbackData(ADDRESS_BUTTONS, use, address))];
    await edit(ctx, message, withMenuButton(words, html, ...(again ? [again] : [])));
  }

  /** Begins anew with the address of a tapped card or receipt without a record, and removes the button. */
  async function beginAnew(ctx: BotContext): Promise<void> {
    const { address, button: use } = await addressOfTapped(ctx);
    showToast(ctx, 'toast-card-old');
    if (!hasTappedButton(ctx)) return;
    await removeTappedButton(ctx);
    const addresses = features().find(({ name }) => name === ADDRESS_BUTTONS);
    if (address !== undefined) await handlerOf(addresses?.buttons?.[use])?.(ctx, address, 0);
  }

  /** Creates a button that turns the reminders of a receipt's user on or off, and shows the receipt anew. */
  const changesReminders = (change: (operation: Operation) => Promise<TextKey>) =>
    changes(
      (ctx, id, message) =>
        withAccount(deps, ctx, async () => {
          const operation = await findOwn(ctx, id);
          if (operation === undefined) return;
          ctx.tx.signal.throwIfAborted();
          showToast(ctx, await change(operation));
          if (isCard(ctx, operation, message)) await updateReceipt(deps, ctx, operation, message);
        }),
      MESSAGE_TTL_MS,
    );

  /** Updates a tapped card, in case its last edit failed or another message is the card now. */
  async function showAsItIs(ctx: BotContext, operation: Operation, message: number): Promise<void> {
    const { state, receipt } = operation;
    const { draft } = ctx.session;
    // A newer draft has replaced this one in the same message.
    if (draft?.message === message && draft.operation !== operation.id) return;
    if (state !== 'expired' && state !== 'void' && !hasTappedButton(ctx)) return;
    // The first of two quick taps on Cancel has edited the card.
    if (state === 'cancelled' && receipt.card === message && isUpToDate(operation)) return;
    const currentMessage = (state === 'draft' ? ctx.session.draft?.message : receipt.card) ?? message;
    if (currentMessage !== message) {
      await edit(ctx, message, movedCard(ctx.words));
      // An operation in progress is updated by its executor, possibly at this moment.
    } else if (state !== 'claimed' && state !== 'sent') {
      await edit(ctx, message, await card(ctx.words, operation, { message }));
    }
  }

  /** Cancels the draft with this update. Returns it if it could still be decided on. */
  async function cancelDraft(
    ctx: BotContext,
    id: string,
    message: number,
    way: 'ends' | 'goes on',
  ): Promise<Operation | undefined> {
    const decision = await decisions.cancel({ user: ctx.from.id, id }, message, ctx.session.draft);
    const made = await claimOf(ctx, decision, message);
    if (made === undefined) return undefined;
    detachCard(ctx, made.operation);
    stopExpectingCode(ctx, made.operation);
    ctx.tx.claim(made.claim);
    // The card is above the request for its code that was repeated, and above what followed.
    if (way === 'ends' && ctx.message && ctx.session.codeReply !== undefined) {
      delete ctx.headerHtml;
      await showText(ctx, ctx.words.html('cancelled'));
    }
    // After the commit: a tap on *Confirm* may be waiting behind this one.
    const { html, keyboard } = await card(ctx.words, made.operation, way === 'ends' ? { message } : {});
    ctx.tx.afterCommit(async () => {
      const isShown =
        way === 'ends'
          ? await edit(ctx, message, { html, keyboard })
          : await remove(ctx, message, { html, keyboard: [] });
      if (isShown) await drafts.markNotified(made.claimed);
    });
    return made.operation;
  }

  /** Returns the draft if its card can be replaced by a newer one, or shows why it can't. */
  async function replaceable(ctx: BotContext, id: string, message: number): Promise<Operation | undefined> {
    const decision = await decisions.cancel({ user: ctx.from.id, id }, message, ctx.session.draft);
    const operation = (await claimOf(ctx, decision, message))?.operation;
    return operation?.state === 'cancelled' ? operation : undefined;
  }

  /** Enters the flow of an operation's kind with everything that it requested, and the warning about a void card. */
  function enterAgain(ctx: BotContext, operation: Operation, at: RestartPoint, question?: string): void {
    const { id, request, state, warnings } = operation;
    const feature = features().find(({ restart }) => restart?.kind === request.kind);
    if (feature?.restart === undefined) {
      showToast(ctx, 'toast-over');
      return;
    }
    leaveFlow(ctx);
    const continues = at === 'question' || at === 'fresh card';
    const voided = state === 'void' ? id : warnings.voided;
    const formerEstimate = state === 'refused' ? operation.estimate : undefined;
    const wantedHours = at === 'one more' ? undefined : warnings.wantedHours;
    const start = feature.restart.start(request, at, { voided, formerEstimate, wantedHours, question });
    ctx.flowToEnter = { feature: feature.name, start, ...(continues && { isContinued: continues }) };
  }

  async function findOwn(ctx: BotContext, id: string): Promise<Operation | undefined> {
    const operation = await drafts.find({ user: ctx.from.id, id });
    if (operation === undefined) showToast(ctx, 'toast-no-operation');
    return operation;
  }

  return {
    name: CARD_BUTTONS,
    keepsFlow: true,
    forSuspended: ['confirm', 'cancel'],
    prefetch: { confirm: toConfirm.start },
    buttons: {
      confirm: decides(async (ctx, id, message) => {
        const ref = { user: ctx.from.id, id };
        const [closed, prefetched] = await toConfirm.get(ctx, id);
        const decision = await decisions.confirm(ref, message, ctx.session.draft, prefetched);
        const { shownAt = 0 } = ctx.session.draft ?? {};
        // A card from before the clock was set back can't be that new: a guard of 0.7 s must not block it for an hour.
        if (decision.kind === 'claim' && isRecent(shownAt, confirmableAfterMs, now()))
          return showToast(ctx, 'toast-card-new');
        // The card stays as it is: it can be confirmed later, until it expires.
        if (decision.kind === 'claim' || decision.kind === 'unplaced') {
          const { operation } = decision;
          const kind = operations.kinds.of(operation.request);
          const why = closedTo(kind, operation.request, closed);
          if (why) {
            const confirm = ctx.words.plain(confirmLabelOf(kind, operation));
            const html = ctx.words.html(CLOSED_CARD[why.by], { confirm });
            return void (await send(ctx, withMenuButton(ctx.words, html)));
          }
        }
        const made = await claimOf(ctx, decision, message);
        if (made === undefined) return;
        const kind = operations.kinds.of(made.operation.request);
        if (ctx.isUsable && !kind.onlyEndsCosts?.(made.operation.request))
          return showToast(ctx, 'toast-banned');
        const { restart } = features().find((one) => one.restart?.kind === made.operation.request.kind) ?? {};
        if (await restart?.insteadOfConfirming?.(ctx, made.operation.request))
          return cancelDraft(ctx, id, message, 'goes on');
        const obstacle = await confirmationRejection(deps, ctx, made.operation);
        if (obstacle) {
          ctx.toast = obstacle.toast;
          if (obstacle.showFreshCard) enterAgain(ctx, made.operation, 'fresh card');
          return;
        }
        detachCard(ctx, made.operation);
        ctx.tx.claim(made.claim);
        const { claimed } = made;
        // The executor shows the result after the commit.
        if (isClaimed(claimed)) ctx.tx.afterCommit(async () => void sendQueue.enqueueClaim(claimed));
        else {
          endFlow(ctx);
          await expectCode(deps, ctx, made.operation, message);
        }
        await rememberAddress(deps, ctx, made.operation);
      }),
      /** Replaces the draft by one with another option, in the same message. */
      option: decides(async (ctx, argument, message) => {
        const [id = '', value = ''] = argument.split('_');
        const operation = await replaceable(ctx, id, message);
        if (operation === undefined) return;
        const request = operations.kinds.of(operation.request).withOption?.(operation.request, value);
        if (request === undefined) return showToast(ctx, 'toast-card-over');
        // The new price takes a request to the service.
        ctx.answerTap();
        enterAgain(ctx, { ...operation, request }, 'fresh card');
      }),
      /** Replaces the draft by one with the present price. */
      [REFRESH]: decides(async (ctx, id, message) => {
        const operation = await replaceable(ctx, id, message);
        if (operation) enterAgain(ctx, operation, 'fresh card');
      }),
      cancel: decides((ctx, id, message) => cancelDraft(ctx, id, message, 'ends')),
      /** Asks the named question, or the last one, in place of the card. */
      back: decides(async (ctx, argument, message) => {
        const [id = '', question] = argument.split('_');
        const operation = await cancelDraft(ctx, id, message, 'goes on');
        if (operation) enterAgain(ctx, operation, 'question', question);
      }),
      /** Shows what else can be done with the card's address. */
      more: decides(async (ctx, id, message) => {
        const operation = await cancelDraft(ctx, id, message, 'goes on');
        const address = operation && operations.kinds.of(operation.request).target(operation.request);
        if (address === undefined) return;
        const about = { feature: ADDRESS_BUTTONS, button: 'use', argument: `${address}_${id}`, message };
        await press(deps, ctx, about);
      }),
      async again(ctx, id) {
        const operation = await drafts.find({ user: ctx.from.id, id });
        if (operation === undefined) await beginAnew(ctx);
        else enterAgain(ctx, operation, operation.state === 'done' ? 'one more' : 'card');
      },
      async show(ctx, id) {
        const operation = await findOwn(ctx, id);
        if (operation === undefined) return;
        const html = inShort(ctx.words, operation, { kinds: operations.kinds, now: now() });
        await send(ctx, { html, keyboard: [] }, operation.receipt.card);
      },
      checked: changes(async (ctx, id, message) => {
        const operation = await drafts.find({ user: ctx.from.id, id });
        ctx.tx.signal.throwIfAborted();
        if (operation && isUncertain(operation)) return settlement.close({ user: operation.user, id });
        showToast(ctx, 'toast-card-over');
        if (operation) await showAsItIs(ctx, operation, message);
      }, MESSAGE_TTL_MS),
      remind: changesReminders(async (operation) => REMINDER_TOASTS[await rentalReminders.turnOn(operation)]),
      unremind: changesReminders(async ({ user }) => {
        await rentalReminders.turnOff(user);
        return 'toast-reminder-off';
      }),
      sell: changes(
        (ctx, id, message) =>
          withAccount(deps, ctx, async () => {
            const operation = await findOwn(ctx, id);
            if (operation === undefined) return;
            ctx.tx.signal.throwIfAborted();
            await links.setMerchant(ctx.from.id, true);
            delete ctx.linked;
            showToast(ctx, 'toast-seller-mode-on');
            if (isCard(ctx, operation, message)) await updateReceipt(deps, ctx, operation, message);
          }),
        MESSAGE_TTL_MS,
      ),
      'remind-off': changes(async (ctx) => {
        ctx.tx.signal.throwIfAborted();
        await rentalReminders.turnOff(ctx.from.id);
        showToast(ctx, 'toast-reminder-off');
        await removeTappedButton(ctx);
      }, MESSAGE_TTL_MS),
      async menu(ctx) {
        leaveFlow(ctx);
        await openMenu(ctx);
      },
    },
  };
});

function textOfTapped({ callbackQuery: tap }: BotContext): string {
  return tap?.message && 'text' in tap.message ? (tap.message.text ?? '') : '';
}

/** Returns whether a message has the tapped button, or is the operation's card. */
function isCard(ctx: BotContext, { id, receipt }: Operation, message: number): boolean {
  const { draft } = ctx.session;
  return (
    hasTappedButton(ctx) || receipt.card === message || (draft?.operation === id && draft.message === message)
  );
}

/** Stops applying typed text to this card. */
function detachCard({ session }: BotContext, { id }: Operation): void {
  if (session.card?.operation === id) delete session.card;
}

/** Adds a confirmed operation's address to the address book, except lookalikes and withdrawals. */
async function rememberAddress(
  deps: FeatureDeps,
  ctx: BotContext,
  { user, request, warnings }: Operation,
): Promise<void> {
  const kind = deps.operations.kinds.of(request);
  if (kind.withdrawalAmount !== undefined || warnings.lookalike !== undefined) return;
  const known = await addressBookOf(deps, ctx);
  const isCustomers = kind.isPaidByOther?.(request) === true;
  ctx.tx.afterCommit(() => deps.addressBook.remember(user, kind.target(request), { known, isCustomers }));
}
