import type { MiddlewareFn } from 'grammy';
import type { Message } from 'grammy/types';
import type { BotContext } from '../context.ts';
import type { Feature, Handler } from '../features/feature.ts';

/**
 * What nothing above has understood: an answer to a question that is over gets a word; words get what can be done with
 * what is in them, or the menu.
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

/** Of characters: twice what a message holds. */
const MOST_READ = 8_192;

/** What was written, also below a picture, and where the links in it lead. */
function everythingIn({ text, caption, entities = [], caption_entities = [] }: Message): string {
  const links = [...entities, ...caption_entities].flatMap((one) =>
    one.type === 'text_link' ? one.url : [],
  );
  return [text ?? caption ?? '', ...links].join('\n').slice(0, MOST_READ);
}
