import type { Middleware } from 'grammy';
import type { BotUser, Users } from '../../accounts/users.ts';
import { paragraphs } from '../../i18n/view.ts';
import type { Operations } from '../../operations/operations.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import type { BotContext } from '../context.ts';
import { createPrefetch } from '../feature.ts';
import { send } from '../reply.ts';
import { containsKey, deleteMessage } from '../secrets.ts';

/** Creates the middleware that stores every user from the first update on, and which users have blocked the bot. */
export function trackUsers(deps: {
  users: Pick<Users, 'find' | 'recordActivity' | 'setUnreachable'>;
  /** Called when a user who was gone is back, so that pending notifications can be sent. */
  onReturn: (chat: number) => Promise<unknown>;
  log: Log;
}): {
  prefetch: (ctx: BotContext) => void;
  track: Middleware<BotContext>;
  /** Returns the record of the user from before this update. */
  storedUser: (ctx: BotContext) => Promise<BotUser | undefined>;
} {
  const { users, onReturn, log } = deps;
  const known = createPrefetch(async ({ from }) => (from ? users.find(from.id) : undefined));

  async function recordUser(ctx: BotContext, user: number): Promise<void> {
    if (ctx.myChatMember?.new_chat_member.status === 'kicked') return users.setUnreachable(user, 'blocked');
    const person = await known.get(ctx, '');
    await users.recordActivity(user, ctx.words.language, person);
    if (person?.unreachable) await onReturn(user);
  }

  return {
    prefetch: (ctx) => known.start(ctx, ''),
    storedUser: (ctx) => known.get(ctx, ''),
    async track(ctx, next) {
      if (ctx.from === undefined) return next();
      const { id } = ctx.from;
      // Runs beside the other middleware. A failure doesn't affect the update, and the user's next update tries again.
      const recording = recordUser(ctx, id).catch((err: unknown) =>
        log.warn({ user: id, err }, 'a user was not recorded'),
      );
      await next();
      await recording;
    },
  };
}

/**
 * Creates the middleware that rejects users whom an admin has banned, whatever they write or tap. Operations that they
 * confirmed before continue, and they are notified about them. Admins are never rejected.
 */
export function rejectBannedUsers(deps: {
  storedUser: (ctx: BotContext) => Promise<BotUser | undefined>;
  isAdmin: (user: number) => boolean;
  supportUrl: string | undefined;
}): Middleware<BotContext> {
  const { storedUser, isAdmin, supportUrl } = deps;
  return async (ctx, next) => {
    // If the record can't be read, the user isn't rejected.
    const person = await storedUser(ctx).catch(() => undefined);
    if (!person?.isBanned || isAdmin(person.user)) return next();
    if (ctx.callbackQuery) {
      ctx.toast = ctx.words.plain('toast-barred');
      return;
    }
    const message = messageOf(ctx.update);
    if (message === undefined) return;
    const { words } = ctx;
    const isDeleted = !containsKey(message.text ?? message.caption ?? '') || (await deleteMessage(ctx));
    const html = paragraphs(
      !isDeleted && words.html('secret-unasked-stays'),
      words.html('barred', { support: supportUrl ?? 'none' }),
    );
    await send(ctx, { html, keyboard: [] });
  };
}

/**
 * Creates the middleware that notifies users who had blocked the bot about their operations. It does so as soon as they
 * are back, before anything else.
 */
export function notifyUndelivered({
  operations,
}: {
  operations: Pick<Operations, 'undelivered' | 'notifyUndelivered'>;
}): {
  prefetch: (ctx: BotContext) => void;
  notify: Middleware<BotContext>;
} {
  const undelivered = createPrefetch(async ({ from }) => (from ? operations.undelivered.of(from.id) : []));
  return {
    prefetch(ctx) {
      if (mayHaveReturned(ctx)) undelivered.start(ctx, '');
    },
    async notify(ctx, next) {
      if (mayHaveReturned(ctx)) await operations.notifyUndelivered(await undelivered.get(ctx, ''));
      await next();
    },
  };
}

function mayHaveReturned({ myChatMember, message }: BotContext): boolean {
  const hasUnblocked = myChatMember?.new_chat_member.status === 'member';
  return hasUnblocked || message?.text?.startsWith('/start') === true;
}

/**
 * Stores whether the user wants broadcasts. Creates the record of an unknown user first, so that an opt-out is never
 * lost.
 */
export async function changeBroadcastOptOut(
  { users }: { users: Pick<Users, 'recordActivity' | 'setBroadcastOptOut'> },
  ctx: BotContext,
  isQuiet: boolean,
): Promise<void> {
  if (ctx.from === undefined) return;
  const { id } = ctx.from;
  ctx.tx.signal.throwIfAborted();
  if (await users.setBroadcastOptOut(id, isQuiet)) return;
  await users.recordActivity(id, ctx.words.language, undefined);
  await users.setBroadcastOptOut(id, isQuiet);
}
