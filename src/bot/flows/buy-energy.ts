import { menu, notice } from '../../texts/cards/menu.ts';
import { showCard } from '../buying/card.ts';
import type { BuyingDeps, BuyState } from '../buying/state.ts';
import { buyingSteps } from '../buying/steps.ts';
import type { BotContext, Flow } from '../context.ts';
import { dialogue } from '../dialogue.ts';
import { show } from '../screen.ts';

export const BUY_ENERGY = 'buy-energy';

/** Buying energy: address, amount, hours, then the card. */
export function createBuyEnergy(deps: BuyingDeps): Flow<BuyState> {
  const steps = buyingSteps(deps);

  async function finish(ctx: BotContext, state: BuyState): Promise<void> {
    if (state.step === 'card') return showCard(deps, ctx, state);
    if (state.step === 'cancelled') {
      await show(ctx, notice(ctx.words, ctx.words.html('cancelled')));
      return;
    }
    const link = ctx.from && (await deps.links.find(ctx.from.id));
    await show(ctx, menu(ctx.words, { tail: link?.tail }));
  }

  return dialogue<BuyState>({
    step: (state) => steps[state.step],
    finish,
    giveUp: (ctx) => finish(ctx, { step: 'cancelled' }),
  });
}
