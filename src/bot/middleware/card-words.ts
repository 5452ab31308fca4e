import type { Middleware } from 'grammy';
import type { TextKey } from '../../texts/keys.ts';
import { says } from '../answers.ts';
import type { Buttons } from '../callbacks.ts';
import type { BotContext } from '../context.ts';
import { retire } from '../screen.ts';

/** *Confirm*, *Back* and *Cancel* in words, for the card that was shown last. */
export function answerCards({ card }: Pick<Buttons, 'card'>): Middleware<BotContext> {
  const answers: [TextKey, Buttons['card']['confirm']][] = [
    ['button-confirm', card.confirm],
    ['button-back', card.back],
    ['button-cancel', card.cancel],
  ];
  return async (ctx, next) => {
    const waiting = ctx.session.card;
    const text = ctx.message?.text;
    if (waiting === undefined || text === undefined) return next();
    const said = answers.find(([key]) => says(ctx.words, text, key));
    if (said === undefined) {
      await ctx.reply(ctx.words.plain('problem-choice'), {
        reply_parameters: { message_id: waiting.message },
      });
      return;
    }
    const [key, answer] = said;
    await answer(ctx, waiting.operation, waiting.message);
    if (key !== 'button-confirm') await retire(ctx, waiting.message);
    if (ctx.entering) await next();
  };
}
