import type { CallbackQuery } from 'grammy/types';
import { payerOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { htmlToPlainText, LANGUAGES } from '../../i18n/texts.ts';
import { lacksPrice } from '../../operations/card.ts';
import { operatorAccountRefusal } from '../../operations/kinds/kind.ts';
import type { Operation } from '../../operations/operation.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';

/**
 * Returns why *Confirm* is rejected, or reserves the amount in the limits and returns `undefined`. `showFreshCard`: a card
 * with current data replaces this one.
 */
export async function confirmationRejection(
  deps: FeatureDeps,
  ctx: BotContext,
  operation: Operation,
): Promise<{ toast: string; showFreshCard?: true } | undefined> {
  const { kinds, cooldowns, dailyCap } = deps.operations;
  const { words } = ctx;
  const kind = kinds.of(operation.request);
  if (!showsOperation(deps, ctx.callbackQuery, operation)) return { toast: words.plain('toast-expired') };
  if (lacksPrice(kind, operation)) return { toast: words.plain('toast-no-price'), showFreshCard: true };
  const { earlier } = operation.warnings;
  if (earlier && (await deps.hasEarlierPurchaseChanged(operation.user, earlier)))
    return { toast: words.plain('toast-notice-changed'), showFreshCard: true };
  const needsCode = kind.needsCode?.(operation.request) === true;
  // With a code, the withdrawal waits for the end of the cooldown only once the code is there.
  const cooldownMs = needsCode ? 0 : await cooldowns.remainingMs(operation);
  if (cooldownMs > 0)
    return { toast: words.plain('toast-cooldown', { seconds: Math.ceil(cooldownMs / 1000) }) };
  if (await hasBalanceChanged(deps, ctx, operation))
    return { toast: words.plain('toast-balance-differs'), showFreshCard: true };
  const operatorRejection =
    operation.account === OPERATOR_ACCOUNT ? undefined : await operatorRejectionOf(deps, ctx, operation);
  if (operatorRejection) return operatorRejection;
  const isCapped = kind.withdrawalAmount !== undefined && !needsCode;
  ctx.tx.signal.throwIfAborted();
  if (!isCapped || (await dailyCap.reserve(operation, 'decided'))) return undefined;
  const left = await dailyCap.remaining(operation.account);
  return { toast: words.plain('toast-cap', { cap: dailyCap.trx, left }) };
}

/**
 * Returns whether the tapped message contains the operation's target and title. A manipulated record
 * therefore can't be confirmed with a card that shows something else.
 */
function showsOperation(
  { operations, texts }: FeatureDeps,
  tap: CallbackQuery | undefined,
  { request }: Operation,
): boolean {
  const kind = operations.kinds.of(request);
  const message = tap?.message;
  const messageText = lettersAndDigits(
    message !== undefined && 'text' in message ? (message.text ?? '') : '',
  );
  // The card may have been shown again in another language than its operation's.
  const titles = LANGUAGES.map((language) => kind.title(texts.in(language), request));
  return (
    messageText.includes(lettersAndDigits(kind.target(request))) &&
    titles.some((title) => messageText.includes(lettersAndDigits(htmlToPlainText(title))))
  );
}

/** Telegram may return other spaces and signs than were sent. */
function lettersAndDigits(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

async function hasBalanceChanged(
  deps: FeatureDeps,
  ctx: BotContext,
  { account, request, balance: shown }: Operation,
): Promise<boolean> {
  const { balanceObstacle } = deps.operations.kinds.of(request);
  const payer = balanceObstacle && (await payerOf(deps, ctx));
  // The balance of an account that was linked later says nothing about this operation.
  const now = payer?.account === account ? await deps.quotes.balance(payer) : undefined;
  // An unknown balance is no obstacle. Balance and account are checked again right before the request.
  return typeof now === 'string' && balanceObstacle?.(request, { shown, now }) !== undefined;
}

/** Checks the rules for the operator's account. The user's link may have changed since the card was shown. */
async function operatorRejectionOf(deps: FeatureDeps, ctx: BotContext, operation: Operation) {
  const { kinds, operatorCap } = deps.operations;
  const { words } = ctx;
  const { account, request } = operation;
  const isOperatorAccount = (await payerOf(deps, ctx))?.usesOperatorAccount === true;
  if (!isOperatorAccount && !operation.usesOperatorAccount) return undefined;
  if (
    !isOperatorAccount ||
    !operation.usesOperatorAccount ||
    operatorAccountRefusal(kinds.of(request), request)
  )
    return { toast: words.plain('toast-operator-never') };
  ctx.tx.signal.throwIfAborted();
  if (await operatorCap.reserve(operation, 'decided')) return undefined;
  const [cap, left] = await Promise.all([operatorCap.limit(), operatorCap.remaining(account)]);
  return { toast: words.plain('toast-operator-cap', { cap, left }) };
}
