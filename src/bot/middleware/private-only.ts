import type { Middleware } from 'grammy';
import { languageOf, type Texts } from '../../texts/texts.ts';
import type { BotContext } from '../context.ts';

/** In groups everybody reads along and anybody could answer: there the bot only points to the private chat. */
export function privateOnly({ texts }: { texts: Texts }): Middleware<BotContext> {
  return async (ctx, next) => {
    if (ctx.chat?.type === 'private') return next();
    if (!ctx.message?.text?.startsWith('/')) return;
    const words = texts.in(languageOf(ctx.from?.language_code));
    const button = {
      text: words.plain('button-open-bot'),
      url: `https://t.me/${ctx.me.username}?start=group`,
    };
    await ctx.reply(words.plain('group-only'), { reply_markup: { inline_keyboard: [[button]] } });
  };
}
