import { lines } from '../../i18n/view.ts';
import type { Step } from '../dialogue.ts';
import type { MoneyState } from '../money-state.ts';

/** Skips a question for hours if the user has set a default. `next`: step after the question. */
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
