import { ANNOUNCED_BUTTONS, addressNotice } from '../../texts/address-notices.ts';
import { notice } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { leaveFlow } from '../leave-flow.ts';
import { show } from '../reply.ts';
import { linkedOf } from '../with-account.ts';
import type { CreateFeature } from './feature.ts';

/** What the buttons of announced addresses do, for those who hold the account that they are announced for. */
export const createAnnounced: CreateFeature = ({ links, announced, addressNews }) => {
  /** Looked for in the account that is linked now: nothing is found of any other. */
  async function found(ctx: BotContext, id: string) {
    const link = await linkedOf({ links }, ctx)?.find();
    const one = link && (await announced.find(link.account, id));
    if (one === undefined) ctx.toast = ctx.words.plain('toast-over');
    return one;
  }

  return {
    name: ANNOUNCED_BUTTONS,
    keepsFlow: true,
    buttons: {
      async strike(ctx, id) {
        const one = await found(ctx, id);
        if (one === undefined) return;
        ctx.tx.signal.throwIfAborted();
        const struck = await announced.strike(one.account, id);
        if (struck === undefined) return;
        // Told also where it was struck out before: an earlier try of this update may not have come so far.
        if (struck.user !== ctx.from?.id) await addressNews.struck(struck);
        const html = ctx.words.html('address-struck-by-you', { address: struck.address });
        await show(ctx, notice(ctx.words, html));
      },
      async card(ctx, id) {
        const one = await found(ctx, id);
        if (one === undefined) return;
        if (one.user !== ctx.from?.id) {
          ctx.toast = ctx.words.plain('toast-over');
          return;
        }
        const standing = await announced.standing(one);
        if (standing.kind === 'struck') {
          await show(ctx, addressNotice(ctx.words, 'struck', one));
          return;
        }
        leaveFlow(ctx);
        const { address, trx, all } = one;
        ctx.entering = {
          feature: 'withdraw',
          start: { step: 'card', address, trx, all, endsTyped: true },
        };
      },
    },
  };
};
