import { ANNOUNCED_BUTTONS } from '../../texts/address-notices.ts';
import { notice, paragraphs } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { leaveFlow } from '../leave-flow.ts';
import { show } from '../reply.ts';
import { linkedOf } from '../with-account.ts';
import { changes, MESSAGE_TTL_MS } from './feature.ts';
import type { CreateFeature } from './feature-deps.ts';

/** One that was about to be sent may still be on its way for so long. */
const LATE_MS = 10 * 60_000;

/** What the buttons of announced addresses do, for those who hold the account that they are announced for. */
export const createAnnounced: CreateFeature = ({ links, announced, addressNews, now }) => {
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
      strike: changes(async (ctx, id) => {
        const one = await found(ctx, id);
        if (one === undefined) return;
        ctx.tx.signal.throwIfAborted();
        const struck = await announced.strike(one.account, id);
        if (struck === undefined) return;
        const isOwn = struck.user === ctx.from?.id;
        // Once, though perhaps by a later try than the one that struck it out.
        if (!isOwn && struck.isTold !== true) {
          await addressNews.struck(struck);
          await announced.told(struck);
        }
        const isLate = struck.takenAt !== undefined && now() - struck.takenAt < LATE_MS;
        const html = paragraphs(
          ctx.words.html(isOwn ? 'address-struck-own' : 'address-struck-by-you', { address: struck.address }),
          isLate && ctx.words.html('address-struck-late'),
        );
        await show(ctx, notice(ctx.words, html));
      }, MESSAGE_TTL_MS),
      async card(ctx, id) {
        const one = await found(ctx, id);
        if (one === undefined) return;
        if (one.user !== ctx.from?.id) {
          ctx.toast = ctx.words.plain('toast-over');
          return;
        }
        // Once it was made use of this offer is over: for another withdrawal its questions are asked anew.
        if (one.usedAt !== undefined || one.takenAt !== undefined) {
          await show(ctx, notice(ctx.words, ctx.words.html('address-offer-over', { address: one.address })));
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
