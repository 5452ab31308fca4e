import { Composer, type Middleware } from 'grammy';
import { notice } from '../../texts/cards/menu.ts';
import type { Buttons } from '../callbacks.ts';
import type { BotContext } from '../context.ts';
import { leave } from '../leave.ts';
import { retire, show } from '../screen.ts';

/** Telegram's menu shows these, each with the text `command-…`. */
export const COMMANDS = ['start', 'buy', 'account', 'settings', 'help', 'cancel'] as const;

type Command = (typeof COMMANDS)[number];

/** Commands work at any time, and leave what is open. */
export function takeCommands({ home, account, card }: Buttons): Middleware<BotContext> {
  async function cancel(ctx: BotContext): Promise<void> {
    const { session, tx } = ctx;
    const waiting = session.card;
    const open = tx.conversation !== undefined || session.awaitingKey === true;
    leave(ctx);
    if (waiting) await retire(ctx, waiting.message);
    if (waiting && (await card.cancel(ctx, waiting.operation, waiting.message))) return;
    if (open) await show(ctx, notice(ctx.words, ctx.words.html('cancelled')));
    else await home.nothingOpen(ctx);
  }

  const handlers: Record<Command, (ctx: BotContext) => Promise<void>> = {
    start: home.menu,
    buy: home.buy,
    account: account.account,
    settings: home.settings,
    help: home.help,
    cancel,
  };

  const commands = new Composer<BotContext>();
  for (const name of COMMANDS) {
    commands.command(name, async (ctx, next) => {
      if (name !== 'cancel') leave(ctx);
      await handlers[name](ctx);
      if (ctx.entering) await next();
    });
  }
  return commands;
}
