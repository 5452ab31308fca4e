import { OPERATORS } from '../rental/operator-invoices.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import type { EnergyPrices } from './quotes.ts';
import { payerOf } from './with-account.ts';

/** On whose account an invoice is made; an account's key is looked up when it is needed. */
export interface Maker {
  user: number;
  account: number;
}

type Deps = Pick<FeatureDeps, 'links' | 'quotes' | 'operatorKey' | 'isAdmin'>;

/** Who makes an invoice: who has an account on that, admins and guests on the operator's. */
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
    /** For somebody else: who has an account pays from their balance. */
    isForOthers: async (ctx: BotContext) => isAdmin(ctx.from?.id ?? 0) || !!(await payerOf(deps, ctx)),
    /** What so much energy costs by the prices of that account. */
    async prices(ctx: BotContext, amount: number): Promise<EnergyPrices> {
      const [maker, payer] = await Promise.all([of(ctx), payerOf(deps, ctx)]);
      const apiKey = maker?.account === OPERATORS ? operatorKey : payer?.apiKey;
      return maker && apiKey ? quotes.energy({ ...maker, apiKey }, amount) : {};
    },
  };
}
