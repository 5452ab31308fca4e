import type { TextKey } from '../i18n/keys.ts';
import type { BotContext, FlowStanding } from './context.ts';
import type { Command, Feature } from './feature.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { idle } from './middleware/fallback.ts';

/** Returns whether the update comes from an admin. The chat is always private (`private-only.ts`). */
export function isByAdmin({ isAdmin }: Pick<FeatureDeps, 'isAdmin'>, { from }: BotContext): boolean {
  return from !== undefined && isAdmin(from.id);
}

/**
 * Wraps a feature below *Admin*. Only admins see its command in the list of commands, and for other users it doesn't
 * exist. This is checked at every tap, command and answer, because buttons and open flows outlive an admin's
 * permission.
 *
 * @example
 * export const createPeople: CreateFeature = (deps) =>
 *   adminsOnly(deps, {
 *     ...{ name: 'people', button: 'button-people', command: { name: 'people', text: 'command-people' } },
 *     open: (ctx) => show(ctx, people(ctx)),
 *   });
 */
export function adminsOnly(
  deps: Pick<FeatureDeps, 'isAdmin' | 'openMenu'>,
  about: Omit<Feature, 'menu' | 'command' | 'isThere'> & { button: TextKey; command: Command },
): Feature {
  const { button, command, flow, ...feature } = about;
  const isThere = (ctx: BotContext) => isByAdmin(deps, ctx);
  const ended = idle(deps);

  const guarded =
    (go: (ctx: BotContext, state: unknown) => Promise<FlowStanding>): typeof go =>
    async (ctx, state) => {
      if (isThere(ctx)) return go(ctx, state);
      await ended(ctx, async () => {});
      return { kind: 'over' };
    };

  return {
    ...feature,
    isThere,
    menu: { button, place: 'admin', for: 'admin' },
    command: { ...command, admins: true },
    ...(flow && { flow: { ...flow, begin: guarded(flow.begin), answer: guarded(flow.answer) } }),
  };
}
