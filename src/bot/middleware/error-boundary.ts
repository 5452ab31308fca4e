import { GrammyError, type Middleware } from 'grammy';
import type { TextKey } from '../../i18n/keys.ts';
import { languageOf, type Texts } from '../../i18n/texts.ts';
import { notice } from '../../i18n/view.ts';
import type { Closed } from '../../operations/confirm.ts';
import type { Log } from '../../platform/log.ts';
import { isPassing } from '../../telegram/fetch.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import type { BotContext, Flow } from '../context.ts';
import type { FeatureDeps } from '../feature-deps.ts';
import { CODE_INPUT } from '../open-card.ts';
import { show } from '../reply.ts';
import { holdsKey } from '../secrets.ts';
import { readSession, sessionText } from '../session.ts';

/** Maximum number of attempts at an update before it is dropped. */
export const ATTEMPTS = 3;

/**
 * Creates the error boundary. If a handler fails, nothing is committed (no claim above all), and the update is tried
 * again. After the third failure the update is dropped together with the open flow, and its author is notified, so that
 * no chat is stuck. A call that Telegram refuses temporarily, or can't receive, isn't the handler's failure. Such an
 * update is tried again for as long as `receive.ts` allows.
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
      log.warn({ err }, 'the author of a dropped update was not notified');
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
      // A user who has blocked the bot can't be reached by another attempt.
      if (err instanceof GrammyError && err.error_code === 403) return ctx.tx.discard();
      if (attempt < ATTEMPTS) throw err;
      await drop(ctx);
    }
  };
}

/**
 * Returns the text for a dropped update. If its message may contain a secret and wasn't deleted, the text warns of that
 * instead.
 */
function lastWords({ update }: BotContext, awaited: string | undefined): TextKey {
  const message = messageOf(update);
  if (message && awaited !== undefined) return awaited === CODE_INPUT ? 'code-exposed' : 'link-delete-failed';
  return holdsKey(message?.text ?? message?.caption ?? '') ? 'secret-unasked-stays' : 'fault-dropped';
}

type Says = Record<Closed['by'], TextKey>;

const BY_STORAGE = { storage: 'gate-closed', 'data-lost': 'gate-closed' } as const;
/**
 * Texts while no operations are accepted, by reason: at the start of a flow, at a card's *Confirm*, and for a one-time
 * code.
 */
export const CLOSED: Says = { ...BY_STORAGE, maintenance: 'maintenance' };
export const CLOSED_CARD: Says = { ...BY_STORAGE, maintenance: 'maintenance-card' };
export const CLOSED_CODE: Says = { ...BY_STORAGE, maintenance: 'maintenance-code' };

type Deps = Pick<FeatureDeps, 'maintenance'>;

/** Returns whether maintenance is on. The update reads it once, together with its transaction. */
export async function isMaintained({ maintenance }: Deps, ctx: BotContext): Promise<boolean> {
  ctx.maintenance ??= maintenance.ahead();
  return (await ctx.maintenance()) !== undefined;
}

/** Wraps a flow so that it can't be entered during maintenance. A flow that is already open continues. */
export function unlessMaintained(deps: Deps, flow: Flow): Flow {
  return {
    ...flow,
    async begin(ctx, start) {
      if (ctx.entering?.goesOn || !(await isMaintained(deps, ctx))) return flow.begin(ctx, start);
      await show(ctx, notice(ctx.words, ctx.words.html('maintenance')));
      return { kind: 'over' };
    },
  };
}
