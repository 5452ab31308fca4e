import type { Links } from '../../accounts/links.ts';
import type { PaymentsGate } from '../../operations/payments-gate.ts';
import { linkInvitation } from '../../texts/cards/account.ts';
import { help, menu, notice, settings } from '../../texts/cards/menu.ts';
import { LANGUAGES, type Texts } from '../../texts/texts.ts';
import type { BotContext } from '../context.ts';
import { BUY_ENERGY } from '../flows/buy-energy.ts';
import { show } from '../screen.ts';

export interface HomeDeps {
  links: Links;
  paymentsGate: PaymentsGate;
  texts: Texts;
  supportUrl: string | undefined;
}

/** The menu and what hangs directly on it. */
export function homeButtons({ links, paymentsGate, texts, supportUrl }: HomeDeps) {
  async function showMenu(ctx: BotContext, lead?: string): Promise<void> {
    const link = ctx.from && (await links.find(ctx.from.id));
    await show(ctx, menu(ctx.words, { tail: link?.tail, ...(lead !== undefined && { lead }) }));
  }

  return {
    menu: (ctx: BotContext) => showMenu(ctx),
    idle: (ctx: BotContext) => showMenu(ctx, ctx.words.html('menu-idle')),
    nothingOpen: (ctx: BotContext) => showMenu(ctx, ctx.words.html('cancelled-nothing')),
    async help(ctx: BotContext) {
      await show(ctx, help(ctx.words, supportUrl));
    },
    async settings(ctx: BotContext) {
      await show(ctx, settings(ctx.words));
    },
    async language(ctx: BotContext, chosen: string) {
      const language = LANGUAGES.find((one) => one === chosen);
      if (language === undefined) return;
      ctx.session.language = language;
      ctx.words = texts.in(language);
      await showMenu(ctx);
    },
    async buy(ctx: BotContext) {
      const link = ctx.from && (await links.find(ctx.from.id));
      if (link === undefined) {
        await show(ctx, linkInvitation(ctx.words));
        return;
      }
      if (await paymentsGate.closed()) {
        await show(ctx, notice(ctx.words, ctx.words.html('buy-off')));
        return;
      }
      ctx.entering = { name: BUY_ENERGY, start: { step: 'address' } };
    },
  };
}
