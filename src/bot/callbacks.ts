import { TAP } from '../texts/taps.ts';
import type { accountButtons } from './buttons/account.ts';
import type { cardButtons } from './buttons/card.ts';
import type { eventButtons } from './buttons/events.ts';
import type { homeButtons } from './buttons/home.ts';
import type { BotContext } from './context.ts';
import type { createLinking } from './linking.ts';

/** What a tap does; `argument` is what follows the name in its data, `message` where the button is. */
export type Button = (ctx: BotContext, argument: string, message: number) => Promise<unknown>;

export interface Buttons {
  home: ReturnType<typeof homeButtons>;
  account: ReturnType<typeof accountButtons>;
  events: ReturnType<typeof eventButtons>;
  card: ReturnType<typeof cardButtons>;
  linking: ReturnType<typeof createLinking>;
}

/** Every button outside of flows, by the name in its data. A tap on any of them leaves the flow that is open. */
export function callbacks({ home, account, events, card, linking }: Buttons): Map<string, Button> {
  const nameOf = (tap: (argument: string) => string) => tap('');
  return new Map<string, Button>([
    [TAP.menu, home.menu],
    [TAP.help, home.help],
    [TAP.buy, home.buy],
    [TAP.settings, home.settings],
    [nameOf(TAP.language), home.language],
    [TAP.link, linking.ask],
    [TAP.linkCancel, home.menu],
    [TAP.account, account.account],
    [TAP.deposit, account.deposit],
    [TAP.unlink, account.unlink],
    [TAP.unlinkYes, account.unlinkYes],
    [TAP.eventsOn, events.eventsOn],
    [TAP.eventsOff, events.eventsOff],
    [TAP.eventsLater, home.menu],
    [nameOf(TAP.confirm), card.confirm],
    [nameOf(TAP.cancel), card.cancel],
    [nameOf(TAP.back), card.back],
    [nameOf(TAP.checked), card.checked],
  ]);
}

/** Finds the button of some data: by its whole, or by its name up to the colon with what follows as argument. */
export function findButton(
  buttons: Map<string, Button>,
  data: string,
): { press: Button; argument: string } | undefined {
  const whole = buttons.get(data);
  if (whole) return { press: whole, argument: '' };
  const [, name = '', argument = ''] = /^(\w+:)(\w{1,32})$/.exec(data) ?? [];
  const press = buttons.get(name);
  return press && { press, argument };
}
