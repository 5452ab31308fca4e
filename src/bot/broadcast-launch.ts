import type { AdminLog } from '../accounts/admin-log.ts';
import type { Broadcasts } from '../broadcasts/broadcasts.ts';
import type { BroadcastDraft } from '../broadcasts/store.ts';
import { audienceNoted } from './broadcast-lines.ts';
import { broadcastIdOf } from './broadcast-making.ts';
import type { BotContext } from './context.ts';
import { send } from './reply.ts';

/**
 * Creates the function that starts or schedules a complete draft and sends its status. A draft starts only once, even
 * if its update is handled again.
 */
export function createBroadcastLaunch(deps: { broadcasts: Broadcasts; adminLog: AdminLog }) {
  const { broadcasts, adminLog } = deps;
  return async (
    ctx: BotContext,
    draft: BroadcastDraft,
    count: number,
  ): Promise<'started' | 'scheduled' | 'busy'> => {
    const { admin, audience } = draft;
    const id = broadcastIdOf(draft);
    ctx.tx.signal.throwIfAborted();
    const outcome = await broadcasts.start({ ...draft, id });
    if (outcome === 'busy') return outcome;
    const made = await broadcasts.find(id);
    if (audience && made && audience.who !== 'me') {
      const same = { id, at: made.createdAt };
      await adminLog.note(admin, `broadcast-${outcome}`, `${audienceNoted(audience)}: ${count}`, same);
    }
    const isTest = audience?.who === 'me';
    ctx.lead = ctx.words.html(isTest ? 'making-tested' : `making-${outcome}`);
    const begun = isTest ? undefined : made;
    if (begun) {
      const message = await send(ctx, broadcasts.view(ctx.words, begun));
      ctx.tx.signal.throwIfAborted();
      await broadcasts.shownIn(id, admin, message);
    }
    return outcome;
  };
}
