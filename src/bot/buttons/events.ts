import type { EventHooks } from '../../accounts/event-hooks.ts';
import type { Rental } from '../../rental/client.ts';
import { notice } from '../../texts/cards/menu.ts';
import type { BotContext } from '../context.ts';
import { inTime } from '../in-time.ts';
import { show } from '../screen.ts';
import type { accountButtons } from './account.ts';

const WITHIN_MS = 6_000;
const REASON_LENGTH = 200;

export interface EventsDeps {
  hooks: EventHooks;
  rental: Rental;
  /** The public address of a hook; `undefined` where the bot has none. */
  hookUrl: ((hook: string) => string) | undefined;
  withAccount: ReturnType<typeof accountButtons>['withAccount'];
}

/** The service's events of the account: asked for, since they replace the one URL that an account has. */
export function eventButtons({ hooks, rental, hookUrl, withAccount }: EventsDeps) {
  return {
    eventsOn: (ctx: BotContext) =>
      withAccount(ctx, async (link, apiKey) => {
        if (hookUrl === undefined) return;
        const hook = hooks.invent();
        const configured = await inTime(rental.configureWebhook(apiKey, hookUrl(hook)), WITHIN_MS);
        if (configured?.kind === 'accepted')
          await hooks.activate(hook, link.account, configured.value.secret);
        await show(ctx, notice(ctx.words, said(ctx, configured)));
      }),
    eventsOff: (ctx: BotContext) =>
      withAccount(ctx, async (link) => {
        await hooks.deactivate(link.account);
        await show(ctx, notice(ctx.words, ctx.words.html('events-off')));
      }),
  };
}

function said(
  { words }: BotContext,
  outcome: Awaited<ReturnType<Rental['configureWebhook']>> | undefined,
): string {
  switch (outcome?.kind) {
    case 'accepted':
      return words.html('events-on');
    case 'rejected':
    case 'not-sent':
      return words.html('events-refused', { reason: outcome.message.slice(0, REASON_LENGTH) });
    default:
      return words.html('events-unclear');
  }
}
