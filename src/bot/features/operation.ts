import { CARD_BUTTONS, movedCard } from '../../operations/card.ts';
import { headline } from '../../operations/card-lines.ts';
import type { Decision } from '../../operations/drafts.ts';
import type { Operation } from '../../operations/operation.ts';
import { lines, notice } from '../../texts/view.ts';
import { cardSays } from '../card-says.ts';
import type { BotContext } from '../context.ts';
import { leaveFlow } from '../leave-flow.ts';
import { carriesTapped, edit, send } from '../reply.ts';
import type { CreateFeature } from './feature.ts';

/** What the buttons of every operation's card do. `message` is the card; only its owner finds the operation by it. */
export const createOperation: CreateFeature = (deps) => {
  const { operations, card, paymentsGate, carryOut, features, openMenu, texts } = deps;
  const { drafts, settlement } = operations;
  type Claim = Extract<Decision, { kind: 'claim' }>;

  /** Says whatever a decision came to but a claim; answers the claim. */
  async function claimOf(
    ctx: BotContext,
    decision: Decision,
    { id, message }: { id: string; message: number },
  ): Promise<Claim | undefined> {
    switch (decision.kind) {
      case 'none':
        ctx.toast = ctx.words.plain('toast-card-over');
        await showAsItIs(ctx, id, message);
        return undefined;
      case 'going':
        ctx.toast = ctx.words.plain('toast-going');
        return undefined;
      case 'expired':
        forget(ctx, decision.operation);
        ctx.toast = ctx.words.plain('toast-expired');
        await edit(ctx, message, await card(ctx.words, decision.operation));
        return undefined;
      case 'claim':
        forget(ctx, decision.operation);
        return decision;
    }
  }

  /** A card whose last edit failed says how its operation stands once it is tapped. */
  async function showAsItIs(ctx: BotContext, id: string, message: number): Promise<void> {
    if (ctx.from === undefined || !carriesTapped(ctx)) return;
    const operation = await drafts.find({ user: ctx.from.id, id });
    if (operation === undefined) return;
    const isHere = operation.card === message;
    const moved = movedCard(ctx.words, operation, operations.kinds.of(operation.request));
    await edit(ctx, message, isHere ? await card(ctx.words, operation) : moved);
  }

  /** Cancels the draft with this update. Answers it, where it could still be decided on. */
  async function cancelled(
    ctx: BotContext,
    id: string,
    message: number,
    way: 'ends' | 'goes on',
  ): Promise<Operation | undefined> {
    if (ctx.from === undefined) return undefined;
    const made = await claimOf(ctx, await drafts.cancel({ user: ctx.from.id, id }, message), { id, message });
    if (made === undefined) return undefined;
    ctx.tx.claim(made.claim);
    // Said only once it is so: a tap on *Confirm* may be waiting behind this one.
    const { html, keyboard } = await card(ctx.words, made.operation);
    ctx.tx.afterCommit(() => edit(ctx, message, { html, keyboard: way === 'ends' ? keyboard : [] }));
    return made.operation;
  }

  /** Enters the flow of an operation's kind with all that it asked for. */
  function enterAgain(ctx: BotContext, { request }: Operation, at: 'last question' | 'card'): void {
    const feature = features().find(({ again }) => again?.kind === request.kind);
    if (feature?.again === undefined) return;
    leaveFlow(ctx);
    ctx.entering = { feature: feature.name, start: feature.again.start(request, at) };
  }

  function inShort({ words }: BotContext, operation: Operation): string {
    const kind = operations.kinds.of(operation.request);
    return lines(
      words.html('operation-here', { id: operation.id }),
      kind.title(words, operation.request),
      headline(words, kind, operation),
    );
  }

  async function own(ctx: BotContext, id: string): Promise<Operation | undefined> {
    const operation = ctx.from && (await drafts.find({ user: ctx.from.id, id }));
    if (operation === undefined) ctx.toast = ctx.words.plain('toast-no-operation');
    return operation;
  }

  return {
    name: CARD_BUTTONS,
    keepsFlow: true,
    buttons: {
      async confirm(ctx, id, message) {
        if (ctx.from === undefined) return;
        const ref = { user: ctx.from.id, id };
        if (await paymentsGate.closedNow()) {
          await send(ctx, notice(ctx.words, ctx.words.html('gate-closed')));
          return;
        }
        const made = await claimOf(ctx, await drafts.confirm(ref, message), { id, message });
        if (made === undefined) return;
        const kind = operations.kinds.of(made.operation.request);
        if (!cardSays(ctx.callbackQuery, made.operation, { kind, texts })) {
          ctx.toast = ctx.words.plain('toast-card-differs');
          return;
        }
        ctx.tx.claim(made.claim);
        // Nothing is shown here: the executor does, once the claim stands.
        ctx.tx.afterCommit(() => carryOut(ref));
      },
      cancel: (ctx, id, message) => cancelled(ctx, id, message, 'ends'),
      async back(ctx, id, message) {
        const operation = await cancelled(ctx, id, message, 'goes on');
        if (operation) enterAgain(ctx, operation, 'last question');
      },
      async again(ctx, id) {
        const operation = await own(ctx, id);
        if (operation) enterAgain(ctx, operation, 'card');
      },
      async show(ctx, id) {
        const operation = await own(ctx, id);
        if (operation) await send(ctx, { html: inShort(ctx, operation), keyboard: [] }, operation.card);
      },
      async checked(ctx, id) {
        if (ctx.from !== undefined) await settlement.close({ user: ctx.from.id, id });
      },
      async menu(ctx) {
        leaveFlow(ctx);
        await openMenu(ctx);
      },
    },
  };
};

/** What is decided on is no longer answered in words. */
function forget({ session }: BotContext, { id }: Operation): void {
  if (session.card?.operation === id) delete session.card;
}
