import { lines } from '../../texts/view.ts';
import type { Step } from '../dialogue.ts';
import type { MoneyState } from '../money-state.ts';

/** A question for hours that isn't asked of who has set them once for all; `next`: the step that follows. */
export function orDefaultHours(
  step: Step<MoneyState>,
  next: (state: MoneyState) => string,
): Step<MoneyState> {
  return {
    ...step,
    async known(ctx, state) {
      const { hours } = ctx.session;
      if (hours === undefined) return undefined;
      ctx.lead = lines(ctx.lead, ctx.words.html('hours-default-taken', { hours }));
      return { ...state, hours, step: next(state) };
    },
  };
}
