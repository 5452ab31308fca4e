import type { Middleware } from 'grammy';
import type { Person } from '../../accounts/people.ts';
import { messageOf } from '../../telegram/updates.ts';
import { paragraphs } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { deleteMessage } from '../delete-message.ts';
import { holdsKey } from '../key-like.ts';
import { send } from '../reply.ts';

/**
 * Whom an admin has shut out is told so, whatever they write or tap. What they confirmed before goes on, and they are told
 * of it. Admins aren't shut out by each other.
 */
export function turnAway(deps: {
  known: (ctx: BotContext) => Promise<Person | undefined>;
  isAdmin: (user: number) => boolean;
  supportUrl: string | undefined;
}): Middleware<BotContext> {
  const { known, isAdmin, supportUrl } = deps;
  return async (ctx, next) => {
    // Where it can't be read, whether they were shut out isn't known: then nobody is turned away.
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
