import { GrammyError, type Middleware } from 'grammy';
import type { Log } from '../../log.ts';
import { isPassing } from '../../telegram/fault.ts';
import { messageOf } from '../../telegram/updates.ts';
import type { TextKey } from '../../texts/keys.ts';
import { languageOf, type Texts } from '../../texts/texts.ts';
import { CODE_INPUT } from '../await-code.ts';
import type { BotContext } from '../context.ts';
import { holdsKey } from '../key-like.ts';
import { readSession, sessionText } from '../session.ts';

/** How often an update is tried before it is dropped. */
export const ATTEMPTS = 3;

/**
 * A handler that fails leaves the chat as it was, and the update comes again. The third time it is dropped with
 * what was open, and its author is told: nobody is stuck behind one update. What a failed handler had wanted to
 * commit, a claim above all, is never committed. What Telegram refuses for now, or can't be asked, is no fault of the
 * handler's: the update comes again and finds the chat as it was, for as long as `receive.ts` has patience.
 */
export function boundary({ texts, log }: { texts: Texts; log: Log }): Middleware<BotContext> {
  async function drop(ctx: BotContext): Promise<void> {
    const { language, awaiting, codesUntil } = readSession(ctx.tx.session);
    ctx.tx.discard();
    ctx.tx.conversation = undefined;
    ctx.tx.saveSession(sessionText({ language, codesUntil }));
    const words = texts.in(language ?? languageOf(ctx.from?.language_code));
    const html = words.html(lastWords(ctx, awaiting));
    const told = ctx.reply(html, { parse_mode: 'HTML' });
    await told.catch((err: unknown) => {
      if (isPassing(err)) throw err;
      log.warn({ err }, 'nobody was told');
    });
  }

  return async (ctx, next) => {
    const { attempt } = ctx.tx;
    if (attempt > ATTEMPTS) return drop(ctx);
    try {
      await next();
    } catch (err) {
      if (isPassing(err)) throw err;
      log.error({ update: ctx.update.update_id, attempt, err }, 'a handler failed');
      // Who blocked the bot can't be answered, however often it is tried.
      if (err instanceof GrammyError && err.error_code === 403) return ctx.tx.discard();
      if (attempt < ATTEMPTS) throw err;
      await drop(ctx);
    }
  };
}

/** A message that may hold a secret was perhaps not deleted: nothing else matters then. */
function lastWords({ update }: BotContext, awaited: string | undefined): TextKey {
  const message = messageOf(update);
  if (message && awaited !== undefined) return awaited === CODE_INPUT ? 'code-exposed' : 'link-delete-failed';
  return holdsKey(message?.text ?? message?.caption ?? '') ? 'secret-unasked-stays' : 'fault-dropped';
}
