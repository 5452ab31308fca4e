import type { TextKey } from '../i18n/keys.ts';
import { withMenuButton } from '../i18n/view.ts';
import type { Closed } from '../operations/payments-gate.ts';
import type { BotContext, Flow } from './context.ts';
import type { FeatureDeps } from './feature.ts';
import { show } from './reply.ts';

type ClosedTexts = Record<Closed['by'], TextKey>;

const BY_STORAGE = { storage: 'gate-closed', 'data-lost': 'gate-closed' } as const;
/**
 * Texts while no operations are accepted, by reason: at the start of a flow, at a card's *Confirm*, and for a one-time
 * code.
 */
export const CLOSED_FLOW: ClosedTexts = { ...BY_STORAGE, maintenance: 'maintenance' };
export const CLOSED_CARD: ClosedTexts = { ...BY_STORAGE, maintenance: 'maintenance-card' };
export const CLOSED_CODE: ClosedTexts = { ...BY_STORAGE, maintenance: 'maintenance-code' };

type Deps = Pick<FeatureDeps, 'maintenance'>;

/** Returns whether maintenance is on. The update reads it once, together with its transaction. */
export async function isInMaintenance({ maintenance }: Deps, ctx: BotContext): Promise<boolean> {
  ctx.maintenance ??= maintenance.readAhead();
  return (await ctx.maintenance()) !== undefined;
}

/** Wraps a flow so that it can't be entered during maintenance. A flow that is already open continues. */
export function unlessInMaintenance(deps: Deps, flow: Flow): Flow {
  return {
    ...flow,
    async begin(ctx, start) {
      if (ctx.flowToEnter?.isContinued || !(await isInMaintenance(deps, ctx))) return flow.begin(ctx, start);
      await show(ctx, withMenuButton(ctx.words, ctx.words.html('maintenance')));
      return { kind: 'ended' };
    },
  };
}
