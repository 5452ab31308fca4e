import { fundsQuestion } from '../../texts/cards/buying.ts';
import type { View } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { missing } from '../quote.ts';
import { type BuyingDeps, type BuyState, payer } from './state.ts';

/** Price against balance, as far as both are known: on to the card, or first to a deposit. */
export async function weigh(deps: BuyingDeps, ctx: BotContext, state: BuyState): Promise<BuyState> {
  const who = await payer(deps, ctx);
  if (who === undefined || state.amount === undefined) return { ...state, step: 'card' };
  const [prices, balance] = await Promise.all([
    deps.quotes.prices(who.account, who.apiKey, state.amount),
    deps.quotes.balance(who.apiKey),
  ]);
  const estimate = prices[state.hours === 24 ? 24 : 1];
  const short = estimate && balance ? missing(balance, estimate) : undefined;
  return { ...state, estimate, balance, step: short === undefined ? 'card' : 'funds' };
}

/** Said before any card: what is missing, and where to send it. */
export async function funds(deps: BuyingDeps, ctx: BotContext, state: BuyState): Promise<View> {
  const { amount = 0, hours = 0, estimate = '0', balance = '0' } = state;
  const who = await payer(deps, ctx);
  const depositAddress = who && (await deps.quotes.depositAddress(who.apiKey));
  const short = missing(balance, estimate) ?? '0';
  return fundsQuestion(ctx.words, { amount, hours, estimate, balance, missing: short, depositAddress });
}
