import type { Operation } from '../operations/operation.ts';
import { neverOnOperators } from '../operations/preflight.ts';
import { OPERATORS } from '../rental-api/operator-invoices.ts';
import { payerOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { cardSays } from './middleware/card-replies.ts';

/** Reason why a card can't be confirmed, shown over the chat. `afresh`: a card with current data replaces it. */
export interface Obstacle {
  toast: string;
  afresh?: true;
}

type Deps = Pick<FeatureDeps, 'operations' | 'quotes' | 'links' | 'texts'>;

/**
 * Creates the function that returns why a tap on *Confirm* is rejected, or `undefined`. Without an obstacle it also
 * reserves the operation's amount in the spending limits that apply.
 */
export function createBeforeClaim({ operations, quotes, links, texts }: Deps) {
  const { kinds, rests, dailyCap, operatorCap } = operations;

  async function isOtherBalance(
    ctx: BotContext,
    { account, request, balance: shown }: Operation,
  ): Promise<boolean> {
    const { balanceObstacle } = kinds.of(request);
    const payer = balanceObstacle && (await payerOf({ links }, ctx));
    // The balance of an account that was linked later says nothing about this operation.
    const now = payer?.account === account ? await quotes.balance(payer) : undefined;
    // An unknown balance is no obstacle. It is checked again right before the request.
    return now !== undefined && balanceObstacle?.(request, { shown, now }) !== undefined;
  }

  /** Checks the rules for the operator's account. The user's link may have changed since the card was shown. */
  async function operatorsObstacle(ctx: BotContext, operation: Operation): Promise<Obstacle | undefined> {
    const { words } = ctx;
    const { account, request } = operation;
    const isOperators = (await payerOf({ links }, ctx))?.operators === true;
    if (!isOperators && !operation.operators) return undefined;
    if (!isOperators || !operation.operators || neverOnOperators(kinds.of(request), request))
      return { toast: words.plain('toast-operator-never') };
    ctx.tx.signal.throwIfAborted();
    if (await operatorCap.take(operation, 'decided')) return undefined;
    const [cap, left] = await Promise.all([operatorCap.most(), operatorCap.left(account)]);
    return { toast: words.plain('toast-operator-cap', { cap, left }) };
  }

  return async (ctx: BotContext, operation: Operation): Promise<Obstacle | undefined> => {
    const { words } = ctx;
    const kind = kinds.of(operation.request);
    if (!cardSays(ctx.callbackQuery, operation, { kind, texts }))
      return { toast: words.plain('toast-card-differs') };
    const restMs = await rests.left(operation);
    if (restMs > 0) return { toast: words.plain('toast-rests', { seconds: Math.ceil(restMs / 1000) }) };
    if (await isOtherBalance(ctx, operation))
      return { toast: words.plain('toast-balance-differs'), afresh: true };
    const ofOperators = operation.account === OPERATORS ? undefined : await operatorsObstacle(ctx, operation);
    if (ofOperators) return ofOperators;
    const isCapped = kind.takesOut !== undefined && kind.needsCode?.(operation.request) !== true;
    ctx.tx.signal.throwIfAborted();
    if (!isCapped || (await dailyCap.take(operation, 'decided'))) return undefined;
    const left = await dailyCap.left(operation.account);
    return { toast: words.plain('toast-cap', { cap: dailyCap.trx, left }) };
  };
}
