import { linkedOf, payerOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { answerButton } from '../bot/dialogue.ts';
import { defineFeature, type Feature, type FeatureDeps } from '../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../bot/money-flow.ts';
import type { EnergyPrices } from '../bot/quotes.ts';
import { addressStep } from '../bot/steps/addresses.ts';
import {
  energyHourButtons,
  parseHours,
  parseWholeNumber,
  wholeNumberStep,
  withDefaultHours,
} from '../bot/steps/amounts.ts';
import { choiceStep } from '../bot/steps/choice.ts';
import { formatCount } from '../i18n/formats.ts';
import { inRows, paragraphs } from '../i18n/view.ts';
import { INVOICE_BUTTONS } from '../invoices/card.ts';
import { energy } from '../operations/kinds/energy.ts';
import {
  ENERGY_MAX,
  ENERGY_MIN,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
} from '../rental-api/amounts.ts';

const MAX_TRANSFERS = Math.floor(ENERGY_MAX / ENERGY_PER_TRANSFER);
/** Energy that each purpose needs (docs/facts.md, the chain). */
const PURPOSES: Record<string, number> = { holder: ENERGY_PER_TRANSFER, new: ENERGY_PER_FIRST_TRANSFER };

/**
 * Creates the feature that buys energy: address, purpose or amount, hours. A user without an account is led to an
 * invoice if invoices are available.
 */
export const energyFeature = defineFeature((deps) => {
  const flow = ownEnergy(deps);

  async function way(ctx: BotContext): Promise<Feature> {
    const linked = linkedOf(deps, ctx);
    const isGuest = (await linked?.find()) === undefined && (await linked?.isVoid()) !== true;
    const byInvoice = deps.operatorKey !== undefined && isGuest;
    return (byInvoice && deps.features().find(({ name }) => name === INVOICE_BUTTONS)) || flow;
  }

  return {
    ...flow,
    open: async (ctx) => (await way(ctx)).open?.(ctx),
    onCommandText: async (ctx, text) => (await way(ctx)).onCommandText?.(ctx, text),
    startWithAddress: async (ctx, address) => (await way(ctx)).startWithAddress?.(ctx, address),
  };
});

const ownEnergy = (deps: FeatureDeps) =>
  moneyFlow(deps, {
    name: 'energy',
    menu: { button: 'button-energy', place: 'main', for: 'linked', style: 'primary' },
    command: { name: 'buy', text: 'command-buy' },
    kind: energy,
    version: 1,
    lastStep: 'duration',
    request: ({ address, amount, hours }) =>
      address === undefined || amount === undefined || hours === undefined
        ? undefined
        : { kind: 'energy', address, energy_amount: amount, duration_hours: hours },
    answersOf: ({ address, energy_amount: amount, duration_hours: hours }) => ({ address, amount, hours }),
    estimate: async (payer, { energy_amount: amount, duration_hours: hours }) =>
      (await deps.quotes.energy(payer, amount))[hours === 24 ? 24 : 1],
    steps: {
      address: addressStep({
        addressBook: deps.addressBook,
        help: 'sender',
        ask: (words, known) => words.html('energy-address', { known }),
        usesDefault: () => true,
        onAnswer: (state, address) => ({ ...state, address, step: 'purpose' }),
      }),
      purpose: purposeStep(),
      count: wholeNumberStep<MoneyState>({
        help: 'amount',
        min: 1,
        max: MAX_TRANSFERS,
        ask: ({ words }, { address = '' }, { max }) =>
          words.html('energy-count', {
            address,
            each: formatCount(ENERGY_PER_TRANSFER, words.language),
            max,
          }),
        choices: () => [[2, 3, 5, 10].map((count) => answerButton(String(count), count))],
        problem: 'problem-count',
        example: 5,
        onAnswer: (state, count) => ({ ...state, amount: count * ENERGY_PER_TRANSFER, step: 'duration' }),
        back: 'purpose',
      }),
      exact: wholeNumberStep<MoneyState>({
        help: 'amount',
        min: ENERGY_MIN,
        max: ENERGY_MAX,
        ask: ({ words }, { address = '' }, range) => words.html('energy-exact', { address, ...range }),
        problem: 'problem-count',
        example: 65_000,
        onAnswer: (state, amount) => ({ ...state, amount, step: 'duration' }),
        back: 'purpose',
      }),
      duration: withDefaultHours(durationStep(deps), () => CARD),
    },
  });

function purposeStep() {
  return choiceStep<MoneyState>({
    help: 'amount',
    ask: ({ words }, { address = '' }) => ({
      html: words.html('energy-purpose', { address, ...rangeIn(words.language) }),
    }),
    choices({ words }) {
      const amount = (energyAmount: number) => ({ amount: formatCount(energyAmount, words.language) });
      return inRows(
        [
          answerButton(words.plain('button-one-holder', amount(ENERGY_PER_TRANSFER)), 'holder'),
          answerButton(words.plain('button-one-new', amount(ENERGY_PER_FIRST_TRANSFER)), 'new'),
          answerButton(words.plain('button-several'), 'several'),
          answerButton(words.plain('button-exact'), 'exact'),
        ],
        1,
      );
    },
    onChoice(_ctx, state, value) {
      if (value === 'several') return { ...state, step: 'count' };
      if (value === 'exact') return { ...state, step: 'exact' };
      return { ...state, amount: PURPOSES[value], step: 'duration' };
    },
    onText({ words }, state, written) {
      const amount = parseWholeNumber(written);
      if (amount !== undefined && amount >= ENERGY_MIN && amount <= ENERGY_MAX) {
        return { ...state, amount, step: 'duration' };
      }
      return { ...state, problem: words.html('problem-energy-purpose', rangeIn(words.language)) };
    },
    back: 'address',
  });
}

function durationStep(deps: FeatureDeps) {
  async function pricesFor(ctx: BotContext, { amount = 0 }: MoneyState): Promise<EnergyPrices> {
    const payer = await payerOf(deps, ctx);
    return payer ? deps.quotes.energy(payer, amount) : {};
  }
  return choiceStep<MoneyState>({
    help: 'duration',
    choices: ({ words }) => energyHourButtons(words),
    async ask(ctx, state) {
      const { words } = ctx;
      const { address = '', amount = 0 } = state;
      const prices = await pricesFor(ctx, state);
      const isUnknown = prices[1] === undefined && prices[24] === undefined;
      return {
        html: paragraphs(
          words.html('energy-duration', { address, amount: formatCount(amount, words.language) }),
          isUnknown && words.html('energy-no-prices'),
        ),
        buttons: energyHourButtons(words, prices),
      };
    },
    onChoice: (_ctx, state, value) => ({ ...state, hours: Number(value), step: CARD }),
    onText({ words }, state, written) {
      const hours = parseHours(written);
      if (hours !== undefined) return { ...state, hours, step: CARD };
      return { ...state, problem: words.html('problem-energy-duration') };
    },
    back: 'purpose',
  });
}

function rangeIn(language: string): { min: string; max: string } {
  return { min: formatCount(ENERGY_MIN, language), max: formatCount(ENERGY_MAX, language) };
}
