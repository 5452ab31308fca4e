import { linkedOf, linkOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { answerButton } from '../bot/dialogue.ts';
import { defineFeature, type Feature } from '../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../bot/money-flow.ts';
import { addHeader } from '../bot/reply.ts';
import { addressStep } from '../bot/steps/addresses.ts';
import { wholeNumberStep, withDefaultHours } from '../bot/steps/amounts.ts';
import { AMOUNT, acceptOrders, energyOrders } from '../bot/steps/energy-order.ts';
import { formatCount } from '../i18n/texts.ts';
import { readEnergyOrder } from '../input/energy-terms.ts';
import { parseWholeNumber } from '../input/numbers.ts';
import { isOwnPurchase, readNotedOrder } from '../input/order-text.ts';
import { INVOICE_BUTTONS } from '../invoices/card.ts';
import { orderProblem } from '../operations/kinds/energy-order.ts';
import { activation, bandwidth, energy } from '../operations/kinds/purchases.ts';
import {
  ACTIVATION_COST_TRX,
  BANDWIDTH_MAX,
  BANDWIDTH_MIN,
  estimateBandwidth,
  findAddressInput,
  roundPrice,
} from '../rental-api/tron.ts';
import { textOf } from '../telegram/message-content.ts';
import { inRows } from '../views/view.ts';

const orders = energyOrders();

/** Buys energy. A user without an account is led to an invoice if invoices are available. */
export const energyFeature = defineFeature((deps) => {
  const flow = moneyFlow(deps, {
    name: 'energy',
    menu: { button: 'button-energy', place: 'main', for: 'linked', style: 'primary' },
    command: { name: 'buy', text: 'command-buy', inMenu: true },
    kind: energy,
    version: 2,
    lastStep: 'address',
    readText(ctx, state, text) {
      const { rest, amount, hours } = readEnergyOrder(text);
      if (rest !== '') addHeader(ctx, ctx.words.html('order-said-left', { left: rest }));
      return { ...state, amount, hours };
    },
    nextStep: async (ctx, _payer, state) => orders.completed(ctx, state),
    request: ({ address, amount, hours }) =>
      address === undefined || amount === undefined || hours === undefined
        ? undefined
        : { kind: 'energy', address, energy_amount: amount, duration_hours: hours },
    answersOf: ({ address, energy_amount: amount, duration_hours: hours }) => ({ address, amount, hours }),
    estimate: async (payer, { energy_amount: amount, duration_hours: hours }) =>
      (await deps.quotes.energy(payer, amount, { mustBeFresh: true }))[hours === 24 ? 24 : 1],
    isSuppliedBy: () => true,
    prepare: (_ctx, payer) => deps.quotes.prefetch(payer),
    steps: {
      address: acceptOrders(
        addressStep({
          addressBook: deps.addressBook,
          help: 'energy',
          ask: (words) => words.html('energy-address'),
          usesDefault: () => true,
          onAnswer: (state, address) => ({ ...state, address, step: CARD }),
        }),
      ),
      [AMOUNT]: orders.amountStep,
    },
  });

  /** Returns the feature with which this user buys energy: this flow, or invoices for a guest. */
  async function featureFor(ctx: BotContext): Promise<Feature> {
    const link = linkedOf(deps, ctx);
    const isGuest = (await link.find()) === undefined && !(await link.isVoid());
    const byInvoice = deps.operatorKey !== undefined && isGuest;
    return (byInvoice && deps.features().find(({ name }) => name === INVOICE_BUTTONS)) || flow;
  }

  /**
   * Starts an invoice if a seller's answer to a question about a purchase is an address with a customer's name, with what was
   * ordered before. Returns whether it is.
   */
  async function startWithCustomer(ctx: BotContext, before: unknown): Promise<boolean> {
    const text = textOf(ctx.message);
    const given = findAddressInput(text);
    const isOwn = ctx.message?.forward_origin !== undefined || isOwnPurchase(text);
    const noted = given?.kind !== 'address' || isOwn ? undefined : readNotedOrder(text);
    if (given?.kind !== 'address' || noted === undefined || noted.isNoteUnclear) return false;
    const isSeller = (await linkOf(deps, ctx))?.isMerchant === true;
    const start = deps.features().find(({ name }) => name === INVOICE_BUTTONS)?.startWithAddress;
    if (!isSeller || start === undefined) return false;
    addHeader(ctx, ctx.words.html('flow-left'));
    const { amount, hours } = before as MoneyState;
    await start(ctx, given.address, { ...(amount && { amount }), ...(hours && { hours }), ...noted });
    return true;
  }

  return {
    ...flow,
    flow: {
      ...flow.flow,
      answer: async (ctx, before) =>
        (await startWithCustomer(ctx, before)) ? { kind: 'ended' } : flow.flow.answer(ctx, before),
    },
    alias: { name: 'energy', text: 'command-buy' },
    words: [
      ...['buy', 'buy energy', 'energy', 'rent', 'rent energy', 'need energy', 'order'],
      ...[
        'купить',
        'куплю',
        'купить энергию',
        'энергия',
        'энергию',
        'аренда',
        'арендовать',
        'заказать',
        'нужна энергия',
      ],
    ],
    startLinks: { buy: 'button-energy', 'buy-65000-1h': 'button-energy-transfer' },
    linkProblem: (words, text) => (text === '' ? undefined : orderProblem(words, text)),
    open: async (ctx) => (await featureFor(ctx)).open?.(ctx),
    onCommandText: async (ctx, text) => (await featureFor(ctx)).onCommandText?.(ctx, text),
    startWithAddress: async (ctx, ...order) => (await featureFor(ctx)).startWithAddress?.(ctx, ...order),
  };
});

/** 30 days. The specification lists no allowed durations (section 4, endpoint 2), so the service decides. */
const MAX_BANDWIDTH_HOURS = 720;
/** One, three and ten transfers of USDT, and a round number. */
const BANDWIDTH_AMOUNTS = [BANDWIDTH_MIN, 1_050, 3_500, 10_000];
const BANDWIDTH_HOURS = [1, 24, 72];

export const bandwidthFeature = defineFeature((deps) =>
  moneyFlow(deps, {
    name: 'bandwidth',
    menu: { button: 'button-bandwidth', place: 'main', for: 'linked' },
    command: { name: 'bandwidth', text: 'command-bandwidth', inMenu: true, linked: true },
    kind: bandwidth,
    version: 1,
    lastStep: 'duration',
    request: ({ address, amount, hours }) =>
      address === undefined || amount === undefined || hours === undefined
        ? undefined
        : { kind: 'bandwidth', address, bandwidth_amount: amount, duration_hours: hours },
    answersOf: ({ address, bandwidth_amount: amount, duration_hours: hours }) => ({ address, amount, hours }),
    estimate: async (_payer, { bandwidth_amount: amount, duration_hours: hours }) => ({
      trx: roundPrice(estimateBandwidth({ amount, hours })),
    }),
    isSuppliedBy: ({ bw_guarantee: hasBandwidth }) => hasBandwidth,
    steps: {
      address: addressStep({
        addressBook: deps.addressBook,
        help: 'bandwidth',
        ask: (words) => words.html('bandwidth-address'),
        usesDefault: () => true,
        onAnswer: (state, address) => ({ ...state, address, step: 'amount' }),
      }),
      amount: wholeNumberStep<MoneyState>({
        help: 'bandwidth',
        min: BANDWIDTH_MIN,
        max: BANDWIDTH_MAX,
        ask: ({ words }, { address = '' }, range) => words.html('bandwidth-amount', { address, ...range }),
        choices: ({ words }) =>
          inRows(
            BANDWIDTH_AMOUNTS.map((amount) => answerButton(formatCount(amount, words.language), amount)),
          ),
        problem: 'problem-count',
        example: BANDWIDTH_MIN,
        read: (text) => parseWholeNumber(text.replace(/\s*bandwidth\.?$/i, '')),
        onAnswer: (state, amount) => ({ ...state, amount, step: 'duration' }),
        back: 'address',
      }),
      duration: withDefaultHours(
        wholeNumberStep<MoneyState>({
          help: 'duration',
          min: 1,
          max: MAX_BANDWIDTH_HOURS,
          ask: ({ words }, { address = '', amount = 0 }, range) =>
            words.html('bandwidth-duration', { address, amount, ...range }),
          choices: ({ words }, { amount = 0 }) =>
            BANDWIDTH_HOURS.map((hours) => {
              const price = roundPrice(estimateBandwidth({ amount, hours }));
              return [answerButton(words.plain('button-hours-priced', { hours, price }), hours)];
            }),
          problem: 'problem-bandwidth-duration',
          example: 24,
          read: parseBandwidthHours,
          onAnswer: (state, hours) => ({ ...state, hours, step: CARD }),
          back: 'amount',
        }),
      ),
    },
  }),
);

/** Parses a duration in hours or days, in English or Russian: `24`, `24 h`, `1 hour`, `3 days`. */
function parseBandwidthHours(text: string): number | undefined {
  const [, count = '', unit = ''] =
    /^([\d\s,.]{1,60}?)\s*(h|hours?|hrs?|d|days?|ч|часа?|часов|д|день|дня|дней)?\.?$/i.exec(text.trim()) ??
    [];
  const number = parseWholeNumber(count);
  return number === undefined ? undefined : number * (/^[dд]/i.test(unit) ? 24 : 1);
}

const ACTIVATION_PRICE = roundPrice(ACTIVATION_COST_TRX);

export const activationFeature = defineFeature((deps) => {
  const isActive = (address: string) => {
    const request = { kind: activation.name, address };
    return deps.operations.completedOnce.has(request);
  };

  return moneyFlow(deps, {
    name: 'activation',
    menu: { button: 'button-activation', place: 'main', for: 'linked' },
    command: { name: 'activate', text: 'command-activate', linked: true },
    kind: activation,
    version: 1,
    lastStep: 'address',
    request: ({ address }) => (address === undefined ? undefined : { kind: 'activation', address }),
    answersOf: ({ address }) => ({ address }),
    estimate: async () => ({ trx: ACTIVATION_PRICE }),
    steps: {
      address: addressStep({
        addressBook: deps.addressBook,
        help: 'bandwidth',
        async offered(_ctx, known) {
          const active = await Promise.all(known.map(({ address }) => isActive(address)));
          return known.filter((_, at) => !active[at]);
        },
        ask: (words) => words.html('activation-address', { price: ACTIVATION_PRICE }),
        async rejectionOf({ words }, address) {
          return (await isActive(address)) ? words.html('problem-activation-done', { address }) : undefined;
        },
        onAnswer: (state, address) => ({ ...state, address, step: CARD }),
      }),
    },
  });
});
