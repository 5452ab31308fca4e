import type { Middleware } from 'grammy';
import type { Person } from '../../accounts/users.ts';
import { paragraphs } from '../../i18n/view.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import type { BotContext } from '../context.ts';
import { deleteMessage } from '../delete-message.ts';
import { holdsKey } from '../key-like.ts';
import { send } from '../reply.ts';

/**
 * Creates the middleware that rejects users whom an admin has banned, whatever they write or tap. Operations that they
 * confirmed before continue, and they are notified about them. Admins are never rejected.
 */
export function turnAway(deps: {
  known: (ctx: BotContext) => Promise<Person | undefined>;
  isAdmin: (user: number) => boolean;
  supportUrl: string | undefined;
}): Middleware<BotContext> {
  const { known, isAdmin, supportUrl } = deps;
  return async (ctx, next) => {
    // If the record can't be read, the user isn't rejected.
    const person = await known(ctx).catch(() => undefined);
    if (!person?.isBarred || isAdmin(person.user)) return next();
    if (ctx.callbackQuery) {
      ctx.toast = ctx.words.plain('toast-barred');
      return;
    }
    const message = messageOf(ctx.update);
    if (message === undefined) return;
    const { words } = ctx;
    const isDeleted = !holdsKey(message.text ?? message.caption ?? '') || (await deleteMessage(ctx));
    const html = paragraphs(
      !isDeleted && words.html('secret-unasked-stays'),
      words.html('barred', { support: supportUrl ?? 'none' }),
    );
    await send(ctx, { html, keyboard: [] });
  };
}
