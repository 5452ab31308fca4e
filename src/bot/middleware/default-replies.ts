import type { Middleware, MiddlewareFn } from 'grammy';
import type { Message } from 'grammy/types';
import type { Log } from '../../platform/log.ts';
import { callWithRetry, isTemporary } from '../../telegram/fetch.ts';
import type { BotContext } from '../context.ts';
import type { Feature, Handler } from '../feature.ts';
import { send } from '../reply.ts';

/** Time for which the answer to a tap is retried, in milliseconds. Users don't wait longer at a button. */
const ANSWER_RETRY_MS = 5_000;

/**
 * Creates the middleware that answers every tap, so that its button stops waiting. The answer has a text only if a
 * handler has set one. If it fails, the effects of the tap remain. A text that may be lost is sent again after the
 * commit.
 */
export function answerTaps({ log }: { log: Log }): Middleware<BotContext> {
  return async (ctx, next) => {
    await next();
    if (ctx.callbackQuery === undefined) return;
    const { toast: text } = ctx;
    const answer = () => ctx.answerCallbackQuery(text === undefined ? {} : { text });
    await answer().catch((err: unknown) => {
      log.info({ err }, 'a tap was not answered');
      if (text === undefined || !isTemporary(err)) return;
      const retryAnswer = () => callWithRetry(answer, { log, maxTotalWaitMs: ANSWER_RETRY_MS });
      ctx.tx.afterCommit(async () => {
        // Not awaited: the next update of the chat doesn't wait for it.
        void retryAnswer().catch((err: unknown) => log.warn({ err }, 'the text for a tap was not sent'));
      });
    });
  };
}

/**
 * Creates the middleware that handles edited messages. An edit doesn't change an answer, so the user is asked to send a
 * new message.
 */
export function replyToEdits(): Middleware<BotContext> {
  return async (ctx, next) => {
    if (ctx.editedMessage === undefined) return next();
    const isAsked = ctx.tx.conversation !== undefined || ctx.session.awaiting !== undefined;
    // A live location changes by itself.
    if (!isAsked || ctx.editedMessage.text === undefined) return;
    await send(ctx, { html: ctx.words.html('edit-unread'), keyboard: [] });
  };
}

/**
 * Creates the fallback for everything that the middleware above doesn't handle. A tap on the answer to an old question
 * gets a toast. A text is handled by what it contains, or answered with the menu.
 */
export function fallback({
  openMenu,
  onText,
}: {
  openMenu: Handler;
  onText?: Feature['onText'];
}): MiddlewareFn<BotContext> {
  return async (ctx) => {
    if (ctx.callbackQuery) ctx.toast = ctx.words.plain('toast-question-over');
    if (ctx.message === undefined) return;
    if (await onText?.(ctx, textAndLinksOf(ctx.message))) return;
    ctx.headerHtml = ctx.words.html('menu-idle');
    await openMenu(ctx);
  };
}

/** Maximum number of characters that are searched: twice the length of a message. */
const MAX_SEARCHED_LENGTH = 8_192;

/** Returns the text or the caption of a message, and the targets of its links. */
function textAndLinksOf({ text, caption, entities = [], caption_entities = [] }: Message): string {
  const links = [...entities, ...caption_entities].flatMap((one) =>
    one.type === 'text_link' ? one.url : [],
  );
  return [text ?? caption ?? '', ...links].join('\n').slice(0, MAX_SEARCHED_LENGTH);
}
