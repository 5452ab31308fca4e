import type { BotContext } from '../../bot/context.ts';
import { type FeatureDeps, handlerOf } from '../../bot/feature.ts';

/**
 * Does what a button of another feature does; `open` opens the feature. `message`: the message of the button, if there is
 * one.
 */
export async function press(
  { features }: Pick<FeatureDeps, 'features'>,
  ctx: BotContext,
  {
    feature,
    button,
    argument = '',
    message = 0,
  }: {
    feature: string;
    button: string;
    argument?: string;
    message?: number;
  },
): Promise<void> {
  const found = features().find(({ name }) => name === feature);
  await (button === 'open'
    ? found?.open?.(ctx)
    : handlerOf(found?.buttons?.[button])?.(ctx, argument, message));
}
