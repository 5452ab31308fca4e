import type { Middleware } from 'grammy';
import { languageOf, type Texts } from '../../i18n/texts.ts';
import type { Log } from '../../platform/log.ts';
import type { BotContext } from '../context.ts';
import { createSecretInGroup } from '../secrets.ts';

/**
 * Creates the middleware that restricts the bot to private chats. In a group all members can read and answer, so the
 * bot only links to the private chat there.
 */
export function privateOnly({ texts, log }: { texts: Texts; log: Log }): Middleware<BotContext> {
  const secretInGroup = createSecretInGroup({ texts, log });
  return async (ctx, next) => {
    if (ctx.chat?.type === 'private') return next();
    if (ctx.callbackQuery) {
      // The bot sends no buttons there, but every tap needs an answer.
      const answered = ctx.answerCallbackQuery();
      await answered.catch((err: unknown) => log.info({ err }, 'a tap in a group was not answered'));
      return;
    }
    if (ctx.chat && (await secretInGroup(ctx))) return;
    const [, addressee = ctx.me.username] = /^\/\w+(?:@(\w+))?/.exec(ctx.message?.text ?? '') ?? [
      undefined,
      '',
    ];
    if (addressee.toLowerCase() !== ctx.me.username.toLowerCase()) return;
    const words = texts.in(languageOf(ctx.from?.language_code));
    const button = {
      text: words.plain('button-open-bot'),
      url: `https://t.me/${ctx.me.username}?start=group`,
    };
    const pointed = ctx.reply(words.plain('group-only'), { reply_markup: { inline_keyboard: [[button]] } });
    // In some groups a bot may not write.
    await pointed.catch((err: unknown) => log.info({ err }, 'the reply to a group was not sent'));
  };
}
