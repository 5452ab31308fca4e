import type { Decision, Drafts } from '../../operations/drafts.ts';
import type { Operation, OperationRef } from '../../operations/operation.ts';
import type { Settlement } from '../../operations/settlement.ts';
import type { Till } from '../../operations/till.ts';
import { notice } from '../../texts/cards/menu.ts';
import { expiredCard, operationCard } from '../../texts/cards/operation.ts';
import type { BotContext } from '../context.ts';
import { BUY_ENERGY } from '../flows/buy-energy.ts';
import { show } from '../screen.ts';

export interface CardDeps {
  drafts: Drafts;
  settlement: Settlement;
  till: Till;
  /** Has a claimed operation carried out, away from the update. */
  carryOut: (ref: OperationRef) => Promise<void>;
}

/** What the buttons of an operation's card do. `message` is the card; only its owner finds the operation by it. */
export function cardButtons({ drafts, settlement, till, carryOut }: CardDeps) {
  type Claim = Extract<Decision, { kind: 'claim' }>;

  /** Takes a decision into the update's commit; whatever else it came to is shown, or nothing at all. */
  async function decide(
    ctx: BotContext,
    decision: Decision,
    claimed: (claim: Claim) => Promise<void>,
  ): Promise<void> {
    if (decision.kind === 'none') return;
    if (decision.kind === 'going') {
      ctx.toast = ctx.words.plain('toast-going');
      return;
    }
    delete ctx.session.card;
    if (decision.kind === 'expired') {
      ctx.toast = ctx.words.plain('toast-expired');
      await show(ctx, expiredCard(ctx.words));
      return;
    }
    ctx.tx.claim(decision.claim);
    await claimed(decision);
  }

  return {
    async confirm(ctx: BotContext, id: string, message: number) {
      if (ctx.from === undefined) return;
      const why = await till.closed();
      if (why !== undefined) {
        const reason = ctx.words.plain('money-off-volatile', { why });
        await show(ctx, notice(ctx.words, ctx.words.html('buy-off', { why: reason })));
        return;
      }
      const ref = { user: ctx.from.id, id };
      // Nothing is shown here: the executor does, once the claim stands.
      await decide(ctx, await drafts.confirm(ref, message), async () =>
        ctx.tx.afterCommit(() => carryOut(ref)),
      );
    },
    async cancel(ctx: BotContext, id: string, message: number) {
      if (ctx.from === undefined) return;
      await decide(ctx, await drafts.cancel({ user: ctx.from.id, id }, message), async ({ operation }) => {
        await show(ctx, operationCard(ctx.words, operation, { reported: false }));
      });
    },
    async back(ctx: BotContext, id: string, message: number) {
      if (ctx.from === undefined) return;
      await decide(ctx, await drafts.cancel({ user: ctx.from.id, id }, message), async ({ operation }) => {
        ctx.entering = { name: BUY_ENERGY, start: answersOf(operation) };
      });
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
