import { limit } from '@grammyjs/ratelimiter';
import type { Middleware } from 'grammy';
import type { Log } from '../../log.ts';
import { languageOf, type Texts } from '../../texts/texts.ts';
import type { BotContext } from '../context.ts';

const WINDOW_MS = 5_000;
const UPDATES = 40;

/** Drops what one person sends beyond any use, before the storage is asked; told once a window. */
export function floodGuard({ texts, log }: { texts: Texts; log: Log }): Middleware<BotContext> {
  return limit<BotContext, never>({
    timeFrame: WINDOW_MS,
    limit: UPDATES,
    keyGenerator: (ctx) => ctx.from?.id.toString(),
    onLimitExceeded: async (ctx) => {
      const told = ctx.reply(texts.in(languageOf(ctx.from?.language_code)).plain('busy-flood'));
      await told.catch((err: unknown) => log.info({ err }, 'a flood was not answered'));
    },
  });
}
