import type { Middleware } from 'grammy';
import type { Log } from '../../log.ts';
import { callWithRetry } from '../../telegram/call-with-retry.ts';
import { isPassing } from '../../telegram/fault.ts';
import type { BotContext } from '../context.ts';

/** Its person looks at the button that long. */
const PATIENCE_MS = 5_000;

/**
 * Answers every tap, so that its button stops waiting; with words only where a handler left some. When the answer fails,
 * what the tap asked for is done all the same; words that may be lost are said again, once the chat is free.
 */
export function answerTaps({ log }: { log: Log }): Middleware<BotContext> {
  return async (ctx, next) => {
    await next();
    if (ctx.callbackQuery === undefined) return;
    const { toast: text } = ctx;
    const answer = () => ctx.answerCallbackQuery(text === undefined ? {} : { text });
    await answer().catch((err: unknown) => {
      log.info({ err }, 'a tap was not answered');
      if (text === undefined || !isPassing(err)) return;
      const again = () => callWithRetry(answer, { log, patienceMs: PATIENCE_MS });
      ctx.tx.afterCommit(async () => {
        // Nobody waits for it.
        void again().catch((err: unknown) => log.warn({ err }, 'the words to a tap were not said'));
      });
    });
  };
}
