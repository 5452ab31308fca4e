import { BigNumber } from 'bignumber.js';
import { guestButtons, linkOf, payerOf, readProblem } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import { defineFeature } from '../../bot/feature.ts';
import { show, showText } from '../../bot/reply.ts';
import { formatAmount, formatCount, formatMoment, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { durationFor, isOffered, readEnergyOrder } from '../../input/energy-terms.ts';
import { oldPriceLine } from '../../operations/card.ts';
import { feeLines, smartMode } from '../../operations/kinds/smart-mode.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import { isKeyRefused, OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import type { Prices } from '../../rental-api/schemas.ts';
import {
  ACTIVATION_COST_TRX,
  BANDWIDTH_MIN,
  ENERGY_DURATIONS,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  estimateBandwidth,
  roundPrice,
} from '../../rental-api/tron.ts';
import { textOf } from '../../telegram/message-content.ts';
import { callbackData } from '../../views/callback-data.ts';
import { renderTable } from '../../views/tables.ts';
import { button, withMenuButton } from '../../views/view.ts';
import { priceChart } from './price-chart.ts';
import { createPriceHistory, PRICE_HISTORY, priceRanges } from './price-history.ts';

const PRICES = 'prices';
const CHART = 'chart';
/** Interval of checks whether prices are due, in milliseconds. */
const READ_INTERVAL_MS = 10 * MINUTE_MS;
const BANDWIDTH_HOURS = 1;
/** Energy of a USDT transfer to an address with USDT, and to one without (specification, section 1). */
const ENERGY_AMOUNTS = [ENERGY_PER_TRANSFER, ENERGY_PER_FIRST_TRANSFER] as const;

/**
 * Shows prices, read with the user's key or, for a guest, with the operator's. Prices may differ by account, so the chart
 * that all users see consists of the operator account's prices only.
 */
export const pricesFeature = defineFeature({ stores: { data: [PRICE_HISTORY] } }, (deps) => {
  const { quotes, operatorKey, accountUrl, renderPicture } = deps;
  const history = createPriceHistory(deps);

  /** Records prices of the operator account. Without the storage, only the chart lacks them. */
  const recordPrices = (prices: Prices) => history.add(prices).catch(() => undefined);

  /**
   * Renders a table of the energy of each transfer with its price for each duration, as on the card of an order, and the cost
   * of burning TRX instead. `isOld`: its time is below it. Returns `undefined` if no price is known.
   */
  async function energyPrices(words: Words, account: number) {
    const prices = await Promise.all(
      ENERGY_AMOUNTS.map((amount) => quotes.knownEnergyPrices(account, amount)),
    );
    const estimates = prices.flatMap((of) => ENERGY_DURATIONS.flatMap((hours) => of[hours] ?? []));
    if (estimates.length === 0) return undefined;
    const { burnTrx } = quotes.market(account) ?? {};
    const costs = ENERGY_AMOUNTS.map((amount, at) => [
      ...ENERGY_DURATIONS.map((hours) => prices[at]?.[hours]?.trx),
      burnTrx && burnCost(burnTrx, amount),
    ]);
    const times = estimates.flatMap(({ at }) => at ?? []);
    const old = times.length > 0 && oldPriceLine(words, Math.min(...times));
    return { html: lines(priceTable(words, costs), old), isOld: times.length > 0 };
  }

  /** Returns the fees on the open card of Smart Mode if a question below it means them, not the list of prices. */
  async function smartModeFees(ctx: BotContext): Promise<string | undefined> {
    const { card } = ctx.session;
    if (card === undefined || ctx.aside === undefined || textOf(ctx.message).startsWith('/'))
      return undefined;
    const draft = await deps.operations.drafts.open({ user: ctx.from.id, id: card.operation });
    const request = smartMode.request.safeParse(draft?.request).data;
    return request && feeLines(ctx.words, request);
  }

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const fees = await smartModeFees(ctx);
    if (fees !== undefined) return void (await showText(ctx, fees));
    const payer = await payerOf(deps, ctx);
    const isReadable = payer !== undefined || operatorKey !== undefined;
    const listed = await quotes.prices(payer ?? OPERATOR_ACCOUNT);
    const isOperators = payer === undefined || payer.usesOperatorAccount;
    if (isOperators && listed?.kind === 'accepted') await recordPrices(listed.value);
    const again = callbackData(PRICES, 'open');
    const isRefused = listed?.kind !== 'other-account' && isKeyRefused(listed);
    if (payer && (listed?.kind === 'other-account' || isRefused)) {
      const tail = (await linkOf(deps, ctx))?.tail ?? '';
      await show(ctx, readProblem(words, { tail, again }, listed));
      return;
    }
    const invoices = operatorKey !== undefined && !isRefused;
    const account = payer?.account ?? OPERATOR_ACCOUNT;
    const known = isReadable ? await energyPrices(words, account) : undefined;
    const unknown = words.html(isReadable ? 'prices-unknown' : 'prices-without-key');
    const html = paragraphs(
      words.html('prices-card'),
      notOffered(ctx, await quotes.knownEnergyPrices(account, ENERGY_PER_TRANSFER)),
      known?.html ?? unknown,
      lines(
        words.html('prices-bandwidth', {
          amount: BANDWIDTH_MIN,
          price: roundPrice(estimateBandwidth({ amount: BANDWIDTH_MIN, hours: BANDWIDTH_HOURS })),
          hours: BANDWIDTH_HOURS,
        }),
        words.html('prices-activation', { price: roundPrice(ACTIVATION_COST_TRX) }),
      ),
      payer === undefined &&
        (operatorKey === undefined || invoices
          ? words.html('prices-guest', { invoices: invoices ? 'yes' : 'no' })
          : words.html('invoice-unavailable')),
    );
    const invoice = button(words, 'button-energy', callbackData('invoice', 'open'), 'primary');
    const guests = [invoices ? [invoice] : [], ...guestButtons(words, accountUrl, { isPrimary: !invoices })];
    const own = [[button(words, 'button-energy', callbackData('energy', 'open'), 'primary')]];
    const isCurrent = known !== undefined && !known.isOld;
    const retry = isReadable && !isCurrent ? [button(words, 'button-try-again', again)] : [];
    const hasChart = (await history.samples()).length > 0;
    const chart = hasChart ? [button(words, 'button-prices-chart', callbackData(PRICES, CHART))] : [];
    await showText(ctx, html, retry, chart, ...(payer ? own : guests));
  }

  async function showChart(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const samples = await history.samples();
    const [earliest] = samples;
    if (earliest === undefined) return open(ctx);
    // In UTC, like the picture's axis.
    const at = formatMoment(earliest.at, words.language);
    const burnTrx = samples.findLast((sample) => sample.burnTrx !== undefined)?.burnTrx;
    const html = paragraphs(
      words.html('prices-chart', { amount: ENERGY_PER_TRANSFER, at }),
      lines(
        ...priceRanges(samples).map((range) => words.html('prices-chart-range', { ...range })),
        burnTrx !== undefined && words.html('prices-chart-burn', { latest: roundPrice(burnTrx) }),
      ),
    );
    const back = button(words, 'button-prices', callbackData(PRICES, 'open'));
    const photo = await renderPicture(priceChart(words, samples));
    await show(ctx, { ...withMenuButton(words, html, [back]), photo });
    // An open question follows below the chart, and the list stays.
    ctx.hasSentBelow = true;
  }

  /** Reads the operator account's prices, so that the chart has a price for each hour even if no user asks. */
  async function readPrices(): Promise<void> {
    if (operatorKey === undefined || !(await history.isDue())) return;
    const listed = await quotes.prices(OPERATOR_ACCOUNT);
    if (listed?.kind === 'accepted') await recordPrices(listed.value);
  }

  return {
    name: PRICES,
    menu: [
      { button: 'button-prices', place: 'main', for: 'guest' },
      { button: 'button-prices', place: 'balance', for: 'linked' },
    ],
    command: { name: 'prices', text: 'command-prices', inMenu: true },
    words: [
      ...['price', 'prices', 'how much', 'cost', 'rate', 'rates', 'tariff', 'fees', 'cheap', 'expensive'],
      ...[
        'цена',
        'цены',
        'цену',
        'сколько',
        'сколько стоит',
        'стоимость',
        'тариф',
        'тарифы',
        'курс',
        'почем',
        'почём',
      ],
    ],
    buttonWords: {
      [CHART]: [
        ...[
          'chart',
          'price chart',
          'prices chart',
          'graph',
          'price graph',
          'price history',
          'history of prices',
        ],
        ...['график', 'график цен', 'график цены', 'история цен', 'история цены', 'динамика цен'],
      ],
    },
    keepsFlow: true,
    startLinks: { prices: 'button-prices' },
    open,
    buttons: { [CHART]: showChart },
    watchers: [{ name: 'history', everyMs: READ_INTERVAL_MS, run: readPrices }],
  };
});

/** Returns a line about hours in the message for which no energy is rented, with what is rented instead. */
function notOffered(
  { message, words }: BotContext,
  prices: Partial<Record<number, { trx: string }>>,
): string | undefined {
  const { hours: wanted } = readEnergyOrder(textOf(message), { needsUnits: true });
  if (wanted === undefined || isOffered(wanted)) return undefined;
  const hours = durationFor(wanted);
  const trx = prices[hours]?.trx ?? 'none';
  return words.html('prices-not-offered', { wanted, hours, amount: ENERGY_PER_TRANSFER, trx });
}

/** Renders costs by amount of energy: for each duration, and of burning TRX instead. */
function priceTable(words: Words, costs: readonly (readonly (string | undefined)[])[]): string {
  const amounts = ENERGY_AMOUNTS.map((amount) => formatCount(amount, words.language));
  const [holder = '', first = ''] = amounts;
  const heading = [
    words.plain('prices-amount'),
    ...ENERGY_DURATIONS.map((hours) => words.plain('prices-hours', { hours })),
    words.plain('prices-burn'),
  ];
  // A heading without prices below would be the only cell of its column.
  const isKnown = heading.map((_, at) => at === 0 || costs.some((row) => row[at - 1] !== undefined));
  const rows = costs.map((row, at) => [amounts[at] ?? '', ...markCheapest(words, row)]);
  const table = renderTable(
    ['left', ...heading.slice(1).map(() => 'right' as const)],
    [heading.map((name, at) => (isKnown[at] ? name : '')), ...rows],
  );
  return lines(
    words.html('prices-energy'),
    table,
    words.html('prices-rows', { holder, first }),
    isKnown.at(-1) && words.html('prices-rows-burn'),
  );
}

/** Formats costs, and marks the lowest if there are several. */
function markCheapest({ language }: Words, costs: readonly (string | undefined)[]): string[] {
  const known = costs.filter((cost) => cost !== undefined);
  const lowest = BigNumber.min(...known);
  return costs.map((cost) => {
    if (cost === undefined) return '';
    const mark = known.length > 1 && lowest.eq(cost) ? '*' : '';
    return mark + formatAmount(roundPrice(cost), language);
  });
}

/** The service reports the cost for the smaller transfer; the larger one costs in proportion. */
function burnCost(burnTrx: string, energy: number): string {
  return new BigNumber(burnTrx).times(energy).div(ENERGY_PER_TRANSFER).toFixed(2);
}
