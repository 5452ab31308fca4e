import type { TextKey } from '../i18n/keys.ts';
import type { BotContext, FlowResult } from './context.ts';
import type { Command, Feature, FeatureDeps } from './feature.ts';
import { fallback } from './middleware/default-replies.ts';

/** Returns whether the update comes from an admin. The chat is always private (`guards.ts`). */
export function isByAdmin({ isAdmin }: Pick<FeatureDeps, 'isAdmin'>, { from }: BotContext): boolean {
  return from !== undefined && isAdmin(from.id);
}

/**
 * Wraps a feature below *Admin*. Only admins see its command in the list of commands, and for other users it doesn't
 * exist. This is checked at every tap, command and answer, because buttons and open flows outlive an admin's
 * permission.
 *
 * @example
 * export const peopleFeature = defineFeature((deps) =>
 *   adminsOnly(deps, {
 *     ...{ name: 'people', button: 'button-people', command: { name: 'people', text: 'command-people' } },
 *     open: (ctx) => show(ctx, people(ctx)),
 *   });
 */
export function adminsOnly(
  deps: Pick<FeatureDeps, 'isAdmin' | 'openMenu'>,
  about: Omit<Feature, 'menu' | 'command' | 'isAvailable'> & { button: TextKey; command: Command },
): Feature {
  const { button, command, flow, ...feature } = about;
  const isAvailable = (ctx: BotContext) => isByAdmin(deps, ctx);
  const showFallback = fallback(deps);

  const forAdminsOnly =
    (go: (ctx: BotContext, state: unknown) => Promise<FlowResult>): typeof go =>
    async (ctx, state) => {
      if (isAvailable(ctx)) return go(ctx, state);
      await showFallback(ctx, async () => {});
      return { kind: 'ended' };
    };

  return {
    ...feature,
    isAvailable: isAvailable,
    menu: { button, place: 'admin', for: 'admin' },
    command: { ...command, admins: true },
    ...(flow && { flow: { ...flow, begin: forAdminsOnly(flow.begin), answer: forAdminsOnly(flow.answer) } }),
  };
}
