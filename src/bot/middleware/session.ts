import type { Middleware } from 'grammy';
import { languageOf, type Texts } from '../../i18n/texts.ts';
import type { Log } from '../../platform/log.ts';
import type { BotContext } from '../context.ts';
import { isSession, readSession, sessionText } from '../session.ts';

/**
 * Creates the middleware that reads the session of the chat and its language. The session is written only if it has
 * changed or couldn't be read.
 */
export function session({ texts, log }: { texts: Texts; log: Log }): Middleware<BotContext> {
  return async (ctx, next) => {
    const remembered = readSession(ctx.tx.session);
    ctx.session = remembered;
    ctx.words = texts.in(remembered.language ?? languageOf(ctx.from?.language_code));
    if (ctx.tx.session !== undefined && !isSession(ctx.tx.session)) {
      log.error({ chat: ctx.chatId }, 'a session was invalid and is replaced');
    }
    await next();
    const text = sessionText(remembered);
    if (text !== ctx.tx.session) ctx.tx.saveSession(text);
  };
}
