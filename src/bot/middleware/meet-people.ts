import type { Middleware } from 'grammy';
import type { People, Person } from '../../accounts/people.ts';
import type { Log } from '../../log.ts';
import type { BotContext } from '../context.ts';
import { readAhead } from '../read-ahead.ts';

/** Everybody who writes is known from their first update on, and who has blocked the bot until they are back. */
export function meetPeople(deps: {
  people: Pick<People, 'find' | 'met' | 'gone'>;
  /** They are back, who may have been gone: what waits for them may be told. */
  returned: (chat: number) => Promise<unknown>;
  log: Log;
}): {
  ahead: (ctx: BotContext) => void;
  meet: Middleware<BotContext>;
  /** Who this is, as far as they were known before. */
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
      // Nobody waits for it, and nobody's update fails by it: who isn't noted now is by the next.
      const noted = note(ctx, id).catch((err: unknown) =>
        log.warn({ user: id, err }, 'somebody could not be noted'),
      );
      await next();
      await noted;
    },
  };
}
