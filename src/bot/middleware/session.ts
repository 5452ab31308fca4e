import type { Middleware } from 'grammy';
import { languageOf, type Texts } from '../../texts/texts.ts';
import type { BotContext } from '../context.ts';
import { readSession } from '../session.ts';

/** What the chat remembers, and its language. Written back only where it changed. */
export function session({ texts }: { texts: Texts }): Middleware<BotContext> {
  return async (ctx, next) => {
    const remembered = readSession(ctx.tx.session);
    ctx.session = remembered;
    ctx.words = texts.in(remembered.language ?? languageOf(ctx.from?.language_code));
    await next();
    const text = JSON.stringify(remembered);
    if (text !== (ctx.tx.session ?? '{}')) ctx.tx.saveSession(text);
  };
}
