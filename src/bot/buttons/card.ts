import type { Decision, Drafts } from '../../operations/drafts.ts';
import type { Operation, OperationRef } from '../../operations/operation.ts';
import type { PaymentsGate } from '../../operations/payments-gate.ts';
import type { Settlement } from '../../operations/settlement.ts';
import { notice } from '../../texts/cards/menu.ts';
import { expiredCard, operationCard } from '../../texts/cards/operation.ts';
import type { BotContext } from '../context.ts';
import { BUY_ENERGY } from '../flows/buy-energy.ts';
import { leave } from '../leave.ts';
import { show } from '../screen.ts';

export interface CardDeps {
  drafts: Drafts;
  settlement: Settlement;
  paymentsGate: PaymentsGate;
  /** Has a claimed operation carried out, away from the update. */
  carryOut: (ref: OperationRef) => Promise<void>;
}

/** What the buttons of an operation's card do. `message` is the card; only its owner finds the operation by it. */
export function cardButtons({ drafts, settlement, paymentsGate, carryOut }: CardDeps) {
  type Claim = Extract<Decision, { kind: 'claim' }>;

  /** Shows whatever a decision came to but a claim; answers the claim. */
  async function claimOf(ctx: BotContext, decision: Decision): Promise<Claim | undefined> {
    if (decision.kind === 'none') return undefined;
    if (decision.kind === 'going') {
      ctx.toast = ctx.words.plain('toast-going');
      return undefined;
    }
    if (ctx.session.card?.operation === decision.operation.id) delete ctx.session.card;
    if (decision.kind === 'claim') return decision;
    ctx.toast = ctx.words.plain('toast-expired');
    await show(ctx, expiredCard(ctx.words));
    return undefined;
  }

  return {
    async confirm(ctx: BotContext, id: string, message: number) {
      if (ctx.from === undefined) return;
      const ref = { user: ctx.from.id, id };
      const made = await claimOf(ctx, await drafts.confirm(ref, message));
      if (made === undefined) return;
      if (await paymentsGate.closed()) {
        await show(ctx, notice(ctx.words, ctx.words.html('buy-off')));
        return;
      }
      ctx.tx.claim(made.claim);
      // Nothing is shown here: the executor does, once the claim stands.
      ctx.tx.afterCommit(() => carryOut(ref));
    },
    /** Answers whether there was something to cancel. */
    async cancel(ctx: BotContext, id: string, message: number): Promise<boolean> {
      if (ctx.from === undefined) return false;
      const made = await claimOf(ctx, await drafts.cancel({ user: ctx.from.id, id }, message));
      if (made === undefined) return false;
      ctx.tx.claim(made.claim);
      // Said only once it is so: a tap on *Confirm* may be waiting behind this one.
      ctx.tx.afterCommit(() => show(ctx, operationCard(ctx.words, made.operation, { reported: false })));
      return true;
    },
    async back(ctx: BotContext, id: string, message: number) {
      if (ctx.from === undefined) return;
      const made = await claimOf(ctx, await drafts.cancel({ user: ctx.from.id, id }, message));
      if (made === undefined) return;
      leave(ctx);
      ctx.tx.claim(made.claim);
      ctx.entering = { name: BUY_ENERGY, start: answersOf(made.operation) };
    },
    async checked(ctx: BotContext, id: string) {
      if (ctx.from !== undefined) await settlement.close({ user: ctx.from.id, id });
    },
  };
}

/** Where the flow goes on after *Back* from its card: everything known, the hours asked anew. */
function answersOf({ request }: Operation) {
  return { step: 'duration', address: request.address, amount: request.energy_amount };
}
