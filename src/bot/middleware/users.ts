import type { Middleware } from 'grammy';
import type { People, Person } from '../../accounts/users.ts';
import { paragraphs } from '../../i18n/view.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import type { BotContext } from '../context.ts';
import { deleteMessage } from '../delete-message.ts';
import { readAhead } from '../read-ahead.ts';
import { send } from '../reply.ts';
import { holdsKey } from '../secrets.ts';

/** Creates the middleware that stores every user from the first update on, and which users have blocked the bot. */
export function trackUsers(deps: {
  people: Pick<People, 'find' | 'met' | 'gone'>;
  /** Called when a user who was gone is back, so that pending notifications can be sent. */
  returned: (chat: number) => Promise<unknown>;
  log: Log;
}): {
  ahead: (ctx: BotContext) => void;
  meet: Middleware<BotContext>;
  /** Returns the record of the user from before this update. */
  known: (ctx: BotContext) => Promise<Person | undefined>;
} {
  const { people, returned, log } = deps;
  const known = readAhead(async ({ from }) => (from ? people.find(from.id) : undefined));

  async function note(ctx: BotContext, user: number): Promise<void> {
    if (ctx.myChatMember?.new_chat_member.status === 'kicked') return people.gone(user, 'blocked');
    const person = await known.of(ctx, '');
    await people.met(user, ctx.words.language, person);
    if (person?.gone) await returned(user);
  }

  return {
    ahead: (ctx) => known.begin(ctx, ''),
    known: (ctx) => known.of(ctx, ''),
    async meet(ctx, next) {
      if (ctx.from === undefined) return next();
      const { id } = ctx.from;
      // Runs beside the other middleware. A failure doesn't affect the update, and the user's next update tries again.
      const noted = note(ctx, id).catch((err: unknown) =>
        log.warn({ user: id, err }, 'a user was not recorded'),
      );
      await next();
      await noted;
    },
  };
}

/**
 * Creates the middleware that rejects users whom an admin has banned, whatever they write or tap. Operations that they
 * confirmed before continue, and they are notified about them. Admins are never rejected.
 */
export function rejectBannedUsers(deps: {
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
