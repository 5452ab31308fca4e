import type { Middleware } from 'grammy';
import type { People, Person } from '../../accounts/users.ts';
import type { Log } from '../../platform/log.ts';
import type { BotContext } from '../context.ts';
import { readAhead } from '../read-ahead.ts';

/** Creates the middleware that stores every user from the first update on, and which users have blocked the bot. */
export function meetPeople(deps: {
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
