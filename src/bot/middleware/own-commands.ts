import { createHash } from 'node:crypto';
import type { Middleware } from 'grammy';
import type { BotCommand } from 'grammy/types';
import type { People, Person } from '../../accounts/users.ts';
import type { Log } from '../../platform/log.ts';
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
 * Creates the middleware that sets the commands that Telegram lists in a user's own chat. Admins have additional ones,
 * and users who have chosen a language have them in that language. The stored mark of the list shows when it must be
 * set again. That is after a change of language or admin rights, or in a version with other commands.
 */
export function ownCommands(deps: {
  features: readonly Feature[];
  isAdmin: (user: number) => boolean;
  people: Pick<People, 'listed'>;
  /** Returns the record of the user from before this update. */
  known: (ctx: BotContext) => Promise<Person | undefined>;
  log: Log;
}): Middleware<BotContext> {
  const { features, people, known, log } = deps;
  const lists = new Map<string, OwnList>();

  /** Returns `undefined` for a user without a list, who sees the default commands in the language of Telegram. */
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
    // A private chat has the same number as its user.
    const isOver = await setChatCommands(api, { chat: user, commands: list?.commands }, { log });
    if (isOver) await people.listed(user, list?.mark);
  }

  return async (ctx, next) => {
    await next();
    const { from, message, callbackQuery } = ctx;
    if (from === undefined || (message ?? callbackQuery) === undefined) return;
    const list = listFor(ctx);
    // If the record can't be read, the commands are set again.
    const person = await known(ctx).catch(() => undefined);
    if (list?.mark === person?.commands) return;
    ctx.tx.afterCommit(async () => {
      // Not awaited: the next update of the chat doesn't wait for it.
      void set(ctx, from.id, list).catch((err: unknown) =>
        log.info({ user: from.id, err }, 'the list of commands of a chat was not recorded'),
      );
    });
  };
}
