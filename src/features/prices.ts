import { BigNumber } from 'bignumber.js';
import { guestButtons, linkedOf, payerOf, readProblem } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { roundPrice } from '../bot/quotes.ts';
import { show } from '../bot/reply.ts';
import { formatCount } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, lines, paragraphs, withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import {
  ACTIVATION_COST_TRX,
  BANDWIDTH_MIN,
  ENERGY_DURATIONS,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  estimateBandwidth,
  estimateEnergy,
} from '../rental-api/amounts.ts';
import { isKeyRefused } from '../rental-api/http.ts';
import type { Prices } from '../rental-api/schemas.ts';

const NAME = 'prices';
const WITHIN_MS = 3_000;
const BANDWIDTH_HOURS = 1;
/**
 * Energy of a transfer to an address that holds USDT already, and to one that doesn't (section 1 of the specification).
 */
const TRANSFERS = [
  ['holder', ENERGY_PER_TRANSFER],
  ['new', ENERGY_PER_FIRST_TRANSFER],
] as const;

/**
 * Creates the feature that shows current prices. They are read with the user's own key or, for a guest, with the
 * operator's key if there is one.
 */
export const pricesFeature = defineFeature((deps) => {
  const { rental, operatorKey, accountUrl } = deps;

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const payer = await payerOf(deps, ctx);
    const apiKey = payer?.apiKey ?? operatorKey;
    const listed = apiKey ? await orTimeout(rental.prices(apiKey), WITHIN_MS) : undefined;
    const again = callbackData(NAME, 'open');
    if (payer && isKeyRefused(listed)) {
      const tail = (await linkedOf(deps, ctx)?.find())?.tail ?? '';
      await show(ctx, readProblem(words, { tail, again }, listed));
      return;
    }
    const known = listed?.kind === 'accepted' ? energy(words, listed.value) : [];
    const unknown = words.html(apiKey ? 'prices-unknown' : 'prices-without-key');
    const html = paragraphs(
      words.html('prices-card'),
      ...(known.length > 0 ? known : [unknown]),
      lines(bandwidth(words), words.html('prices-activation', { price: roundPrice(ACTIVATION_COST_TRX) })),
      payer === undefined && words.html('prices-guest', { invoices: operatorKey ? 'yes' : 'no' }),
    );
    const buy = button(words, 'button-buy-by-invoice', callbackData('invoice', 'open'), 'primary');
    const guests = [...(operatorKey ? [[buy]] : []), ...guestButtons(words, accountUrl)];
    const own = [[button(words, 'button-energy', callbackData('energy', 'open'), 'primary')]];
    const retry = apiKey && known.length === 0 ? [[button(words, 'button-try-again', again)]] : [];
    await show(ctx, withMenuButton(words, html, ...retry, ...(payer ? own : guests)));
  }

  return {
    name: NAME,
    menu: [
      { button: 'button-prices', place: 'main', for: 'guest' },
      { button: 'button-prices', place: 'balance', for: 'linked' },
    ],
    command: { name: 'prices', text: 'command-prices' },
    open,
  };
});

/** Returns a paragraph for each transfer: the price of its energy, and the cost of burning TRX instead. */
function energy(words: Words, prices: Prices): string[] {
  return TRANSFERS.flatMap(([to, needed]) => {
    const each = ENERGY_DURATIONS.flatMap((hours) => {
      const price = estimateEnergy({ amount: needed, hours }, prices);
      return price === undefined ? [] : words.html('prices-hours', { hours, price: roundPrice(price) });
    });
    if (each.length === 0) return [];
    const amount = formatCount(needed, words.language);
    return [lines(words.html('prices-energy', { to, amount }), ...each, burnt(words, prices, needed))];
  });
}

/**
 * Returns the cost of burning TRX. The service reports it for the smaller transfer; the larger one costs more in
 * proportion to its energy.
 */
function burnt(words: Words, { burnTrx }: Prices, needed: number): string | false {
  if (burnTrx === undefined) return false;
  const burn = new BigNumber(burnTrx).times(needed).div(ENERGY_PER_TRANSFER).toFixed(2);
  return words.html('prices-burn', { burn });
}

function bandwidth(words: Words): string {
  const price = estimateBandwidth({ amount: BANDWIDTH_MIN, hours: BANDWIDTH_HOURS });
  const amount = formatCount(BANDWIDTH_MIN, words.language);
  return words.html('prices-bandwidth', { amount, price: roundPrice(price), hours: BANDWIDTH_HOURS });
}
