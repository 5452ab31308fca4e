import { BigNumber } from 'bignumber.js';
import type { OperationKind, OperationRequest } from '../operations/kinds/kind.ts';
import { neverOnOperators } from '../operations/preflight.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature-deps.ts';
import type { Payer } from './quotes.ts';

/**
 * Returns why the operator's account can't be used for this, in Telegram's HTML, or `undefined`. `estimate` is in TRX,
 * decimal. This check only avoids cards that couldn't be confirmed.
 */
export async function operatorObstacle(
  { operations }: { operations: Pick<FeatureDeps['operations'], 'operatorCap'> },
  { words }: BotContext,
  about: {
    kind: OperationKind;
    payer: Pick<Payer, 'account' | 'operators'>;
    request: OperationRequest;
    estimate: string | undefined;
  },
): Promise<string | undefined> {
  const { kind, payer, request, estimate } = about;
  if (!payer.operators) return undefined;
  const never = neverOnOperators(kind, request);
  if (never) return words.html(never === 'operator' ? 'withdrawal-operator' : 'operator-ongoing');
  if (kind.isFree?.(request)) return undefined;
  if (estimate === undefined) return words.html('operator-no-price');
  const { operatorCap } = operations;
  const [cap, left] = await Promise.all([operatorCap.most(), operatorCap.left(payer.account)]);
  return new BigNumber(left).gte(estimate)
    ? undefined
    : words.html('operator-cap-reached', { cap, left, operator: words.plain('button-operator') });
}
