import type { MiddlewareFn } from 'grammy';
import type { Message } from 'grammy/types';
import type { BotContext } from '../context.ts';
import type { Feature, Handler } from '../feature.ts';

/**
 * Creates the fallback for everything that the middleware above doesn't handle. A tap on the answer to an old question
 * gets a toast. A text is handled by what it contains, or answered with the menu.
 */
export function idle({
  openMenu,
  hears,
}: {
  openMenu: Handler;
  hears?: Feature['hears'];
}): MiddlewareFn<BotContext> {
  return async (ctx) => {
    if (ctx.callbackQuery) ctx.toast = ctx.words.plain('toast-question-over');
    if (ctx.message === undefined) return;
    if (await hears?.(ctx, everythingIn(ctx.message))) return;
    ctx.lead = ctx.words.html('menu-idle');
    await openMenu(ctx);
  };
}

/** Maximum number of characters that are searched: twice the length of a message. */
const MAX_READ = 8_192;

/** Returns the text or the caption of a message, and the targets of its links. */
function everythingIn({ text, caption, entities = [], caption_entities = [] }: Message): string {
  const links = [...entities, ...caption_entities].flatMap((one) =>
    one.type === 'text_link' ? one.url : [],
  );
  return [text ?? caption ?? '', ...links].join('\n').slice(0, MAX_READ);
}
