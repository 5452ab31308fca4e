import { GrammyError, type Middleware } from 'grammy';
import type { TextKey } from '../../i18n/keys.ts';
import { languageOf, type Texts } from '../../i18n/texts.ts';
import type { Log } from '../../platform/log.ts';
import { isTemporary } from '../../telegram/fetch.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import type { BotContext } from '../context.ts';
import { CODE_INPUT } from '../operation-card.ts';
import { containsKey } from '../secrets.ts';
import { readSession, sessionText } from '../session.ts';
import { MAX_ATTEMPTS } from './transaction.ts';

/**
 * Creates the error boundary. If a handler fails, nothing is committed (no claim above all), and the update is tried
 * again. After the third failure the update is dropped together with the open flow, and its author is notified, so that
 * no chat is stuck. A call that Telegram refuses temporarily, or can't receive, isn't the handler's failure. Such an
 * update is tried again for as long as `receive.ts` allows.
 */
export function errorBoundary({ texts, log }: { texts: Texts; log: Log }): Middleware<BotContext> {
  async function drop(ctx: BotContext): Promise<void> {
    const { language, awaiting, codesUntil } = readSession(ctx.tx.session);
    ctx.tx.discard();
    ctx.tx.conversation = undefined;
    ctx.tx.saveSession(sessionText({ language, codesUntil }));
    const words = texts.in(language ?? languageOf(ctx.from?.language_code));
    const html = words.html(droppedUpdateText(ctx, awaiting));
    const sending = ctx.reply(html, { parse_mode: 'HTML' });
    await sending.catch((err: unknown) => {
      if (isTemporary(err)) throw err;
      log.warn({ err }, 'the author of a dropped update was not notified');
    });
  }

  return async (ctx, next) => {
    const { attempt } = ctx.tx;
    if (attempt > MAX_ATTEMPTS) return drop(ctx);
    try {
      await next();
    } catch (err) {
      if (isTemporary(err)) throw err;
      log.error({ update: ctx.update.update_id, attempt, err }, 'a handler failed');
      // A user who has blocked the bot can't be reached by another attempt.
      if (err instanceof GrammyError && err.error_code === 403) return ctx.tx.discard();
      if (attempt < MAX_ATTEMPTS) throw err;
      await drop(ctx);
    }
  };
}

/**
 * Returns the text for a dropped update. If its message may contain a secret and wasn't deleted, the text warns of that
 * instead.
 */
function droppedUpdateText({ update }: BotContext, awaited: string | undefined): TextKey {
  const message = messageOf(update);
  if (message && awaited !== undefined) return awaited === CODE_INPUT ? 'code-exposed' : 'link-delete-failed';
  return containsKey(message?.text ?? message?.caption ?? '') ? 'secret-unasked-stays' : 'fault-dropped';
}
