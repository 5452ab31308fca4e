import type { InlineKeyboardButton } from 'grammy/types';
import type { Words } from '../../i18n/texts.ts';
import { lines } from '../../i18n/view.ts';
import { ENERGY_DURATIONS } from '../../rental-api/limits.ts';
import type { Step } from '../dialogue.ts';
import type { MoneyState } from '../money-state.ts';
import type { EnergyPrices } from '../quotes.ts';
import { answer } from './question.ts';

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

/** Returns the buttons for the hours of energy, with prices if they are known. */
export function energyHours(words: Words, prices: EnergyPrices = {}): InlineKeyboardButton[][] {
  return ENERGY_DURATIONS.map((hours) => {
    const key = hours === 1 ? 'button-1-hour' : 'button-24-hours';
    const price = prices[hours];
    return [answer(price === undefined ? words.plain(key) : words.plain(`${key}-priced`, { price }), hours)];
  });
}

/** Parses the hours of energy: `1`, `1h`, `24 hours`, `1 day`, and the same in Russian. */
export function readHours(text: string): 1 | 24 | undefined {
  const said = text.trim().toLowerCase();
  if (/^1 ?(h|hour|hr|ч|час)?\.?$/.test(said)) return 1;
  return /^(24 ?(h|hours|hrs|ч|часа|часов)?\.?|1? ?(day|d|день|сутки))$/.test(said) ? 24 : undefined;
}
