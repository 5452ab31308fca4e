import { OPERATORS } from '../rental-api/operator-invoices.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import type { EnergyPrices } from './quotes.ts';
import { payerOf } from './with-account.ts';

/** User who makes an invoice, and the account on which it is made. The account's key is read when it is needed. */
export interface Maker {
  user: number;
  account: number;
}

type Deps = Pick<FeatureDeps, 'links' | 'quotes' | 'operatorKey' | 'isAdmin'>;

/**
 * Creates the functions that choose the account of an invoice: the operator's for admins and guests, otherwise the
 * user's own.
 */
export function createInvoiceMaker(deps: Deps) {
  const { quotes, operatorKey, isAdmin } = deps;

  async function of(ctx: BotContext): Promise<Maker | undefined> {
    const user = ctx.from?.id;
    if (user === undefined) return undefined;
    const payer = await payerOf(deps, ctx);
    const isOperators = operatorKey !== undefined && (payer === undefined || isAdmin(user));
    return isOperators ? { user, account: OPERATORS } : payer;
  }

  return {
    of,
    /**
     * Returns whether the invoice is for another person. This is so for admins, and for users with an account, who pay
     * from their own balance.
     */
    isForOthers: async (ctx: BotContext) => isAdmin(ctx.from?.id ?? 0) || !!(await payerOf(deps, ctx)),
    /** Returns the prices of an amount of energy on the account of the invoice. */
    async prices(ctx: BotContext, amount: number): Promise<EnergyPrices> {
      const [maker, payer] = await Promise.all([of(ctx), payerOf(deps, ctx)]);
      const apiKey = maker?.account === OPERATORS ? operatorKey : payer?.apiKey;
      return maker && apiKey ? quotes.energy({ ...maker, apiKey }, amount) : {};
    },
  };
}
