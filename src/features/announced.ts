import { linkedOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { endFlow } from '../bot/conversations.ts';
import { changes, defineFeature, MESSAGE_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { ANNOUNCED_ADDRESS_FEATURE } from '../i18n/shared-views.ts';
import { paragraphs, withMenuButton } from '../i18n/view.ts';

/** Time during which a withdrawal that was about to be sent may still be executed, in milliseconds. */
const LATE_MS = 10 * 60_000;

/** Creates the feature with the buttons of announced addresses, for the holders of the account. */
export const announcedFeature = defineFeature(
  ({ links, addressAnnouncements, addressNotifications, now }) => {
    /** Finds an announced address of the account that is linked now. Those of other accounts aren't found. */
    async function found(ctx: BotContext, id: string) {
      const link = await linkedOf({ links }, ctx)?.find();
      const one = link && (await addressAnnouncements.find(link.account, id));
      if (one === undefined) ctx.toast = ctx.words.plain('toast-over');
      return one;
    }

    return {
      name: ANNOUNCED_ADDRESS_FEATURE,
      keepsFlow: true,
      buttons: {
        strike: changes(async (ctx, id) => {
          const one = await found(ctx, id);
          if (one === undefined) return;
          ctx.tx.signal.throwIfAborted();
          const struck = await addressAnnouncements.cancel(one.account, id);
          if (struck === undefined) return;
          const isOwn = struck.user === ctx.from?.id;
          // Notifies once, even if an earlier attempt at this update has already rejected the address.
          if (!isOwn && struck.isUserNotified !== true) {
            await addressNotifications.struck(struck);
            await addressAnnouncements.markUserNotified(struck);
          }
          const isLate = struck.reservedAt !== undefined && now() - struck.reservedAt < LATE_MS;
          const html = paragraphs(
            ctx.words.html(isOwn ? 'address-struck-own' : 'address-struck-by-you', {
              address: struck.address,
            }),
            isLate && ctx.words.html('address-struck-late'),
          );
          await show(ctx, withMenuButton(ctx.words, html));
        }, MESSAGE_TTL_MS),
        async card(ctx, id) {
          const one = await found(ctx, id);
          if (one === undefined) return;
          if (one.user !== ctx.from?.id) {
            ctx.toast = ctx.words.plain('toast-over');
            return;
          }
          // A used address can't be offered again. Another withdrawal begins with its questions.
          if (one.usedAt !== undefined || one.reservedAt !== undefined) {
            await show(
              ctx,
              withMenuButton(ctx.words, ctx.words.html('address-offer-over', { address: one.address })),
            );
            return;
          }
          endFlow(ctx);
          const { address, trx, all } = one;
          ctx.flowToEnter = {
            feature: 'withdraw',
            start: { step: 'card', address, trx, all, endsTyped: true },
          };
        },
      },
    };
  },
);
