import { createHash } from 'node:crypto';
import type { Middleware } from 'grammy';
import type { BotCommand } from 'grammy/types';
import type { People, Person } from '../../accounts/people.ts';
import type { Log } from '../../log.ts';
import { setChatCommands } from '../../telegram/setup.ts';
import { isByAdmin } from '../admins-only.ts';
import type { BotContext } from '../context.ts';
import type { Feature } from '../features/feature.ts';
import { commandList } from '../listed-commands.ts';

interface OwnList {
  commands: BotCommand[];
  mark: string;
}

/**
 * The commands that Telegram lists in somebody's own chat, in place of those for everybody: admins have theirs among them, and
 * who has chosen a language has them in that. Which list was set is kept, so that it is set anew as soon as it is to be
 * another: by another language, for who has become an admin or is none any more, in a version with other commands.
 */
export function ownCommands(deps: {
  features: readonly Feature[];
  isAdmin: (user: number) => boolean;
  people: Pick<People, 'listed'>;
  /** Who this is, as far as they were known before. */
  known: (ctx: BotContext) => Promise<Person | undefined>;
  log: Log;
}): Middleware<BotContext> {
  const { features, people, known, log } = deps;
  const lists = new Map<string, OwnList>();

  /** Who has none of their own sees those for everybody, in the language of their Telegram. */
  function listFor(ctx: BotContext): OwnList | undefined {
    const isAdmin = isByAdmin(deps, ctx);
    if (!isAdmin && ctx.session.language === undefined) return undefined;
    const key = `${ctx.words.language} ${isAdmin}`;
    const made = lists.get(key);
    if (made) return made;
    const commands = commandList(ctx.words, features, { isAdmin });
    const mark = createHash('sha256').update(JSON.stringify(commands)).digest('base64url').slice(0, 8);
    const list = { commands, mark };
    lists.set(key, list);
    return list;
  }

  async function set({ api }: BotContext, user: number, list: OwnList | undefined): Promise<void> {
    // Somebody's private chat has their number.
    const isOver = await setChatCommands(api, { chat: user, commands: list?.commands }, { log });
    if (isOver) await people.listed(user, list?.mark);
  }

  return async (ctx, next) => {
    await next();
    const { from, message, callbackQuery } = ctx;
    if (from === undefined || (message ?? callbackQuery) === undefined) return;
    const list = listFor(ctx);
    // Where it can't be read, they are set once more.
    const person = await known(ctx).catch(() => undefined);
    if (list?.mark === person?.commands) return;
    ctx.tx.afterCommit(async () => {
      // Nobody waits for it.
      void set(ctx, from.id, list).catch((err: unknown) =>
        log.info({ user: from.id, err }, 'which commands are listed for somebody was not noted'),
      );
    });
  };
}
