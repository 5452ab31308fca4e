import { orTimeout } from '../../or-timeout.ts';
import { estimateBandwidth, estimateEnergy } from '../../rental/estimate.ts';
import {
  ACTIVATION_COST_TRX,
  BANDWIDTH_MIN,
  ENERGY_DURATIONS,
  ENERGY_PER_TRANSFER,
} from '../../rental/limits.ts';
import type { Prices } from '../../rental/resources/prices.ts';
import { callbackData } from '../../texts/callback-data.ts';
import { counted } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import { button, lines, notice, paragraphs } from '../../texts/view.ts';
import { asShown } from '../quotes.ts';
import { show } from '../reply.ts';
import { guestButtons } from '../with-account.ts';
import type { CreateFeature } from './feature-deps.ts';

const WITHIN_MS = 3_000;
const BANDWIDTH_HOURS = 1;

/** What it costs, for who has no account yet: read with the operator's key, where there is one. */
export const createPrices: CreateFeature = ({ rental, operatorKey, accountUrl }) => ({
  name: 'prices',
  menu: { button: 'button-prices', place: 'main', for: 'guest' },
  async open(ctx) {
    const { words } = ctx;
    const listed = operatorKey ? await orTimeout(rental.prices(operatorKey), WITHIN_MS) : undefined;
    const prices = listed?.kind === 'accepted' ? listed.value : {};
    const html = paragraphs(
      words.html('prices-card'),
      lines(energy(words, prices), prices.burnTrx && words.html('prices-burn', { burn: prices.burnTrx })),
      lines(bandwidth(words), words.html('prices-activation', { price: asShown(ACTIVATION_COST_TRX) })),
      words.html('prices-guest'),
    );
    const buy = button(words, 'button-buy-by-invoice', callbackData('invoice', 'open'), 'primary');
    await show(ctx, notice(words, html, ...(operatorKey ? [[buy]] : []), ...guestButtons(words, accountUrl)));
  },
});

function energy(words: Words, prices: Prices): string {
  const amount = counted(ENERGY_PER_TRANSFER, words.language);
  const known = ENERGY_DURATIONS.flatMap((hours) => {
    const price = estimateEnergy({ amount: ENERGY_PER_TRANSFER, hours }, prices);
    return price === undefined ? [] : words.html('prices-energy', { amount, hours, price: asShown(price) });
  });
  return known.length > 0 ? lines(...known) : words.html('prices-unknown');
}

function bandwidth(words: Words): string {
  const price = estimateBandwidth({ amount: BANDWIDTH_MIN, hours: BANDWIDTH_HOURS });
  const amount = counted(BANDWIDTH_MIN, words.language);
  return words.html('prices-bandwidth', { amount, price: asShown(price), hours: BANDWIDTH_HOURS });
}
