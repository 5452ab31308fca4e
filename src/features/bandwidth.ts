import { answerButton } from '../bot/dialogue.ts';
import { defineFeature } from '../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../bot/money-flow.ts';
import { roundPrice } from '../bot/quotes.ts';
import { addressStep } from '../bot/steps/addresses.ts';
import { parseWholeNumber, wholeNumberStep, withDefaultHours } from '../bot/steps/amounts.ts';
import { formatCount } from '../i18n/formats.ts';
import { inRows } from '../i18n/view.ts';
import { bandwidth } from '../operations/kinds/bandwidth.ts';
import { BANDWIDTH_MAX, BANDWIDTH_MIN, estimateBandwidth } from '../rental-api/amounts.ts';

/**
 * Longest duration in hours (30 days). The specification doesn't list the allowed ones (section 4, endpoint 2), so the
 * service decides.
 */
const MAX_HOURS = 720;
/** Suggested amounts: one, three and ten transfers of USDT, and a round number. */
const AMOUNTS = [BANDWIDTH_MIN, 1_050, 3_500, 10_000];
const HOURS = [1, 24, 72];

/** Creates the feature that buys bandwidth: address, amount, hours. */
export const bandwidthFeature = defineFeature((deps) =>
  moneyFlow(deps, {
    name: 'bandwidth',
    menu: { button: 'button-bandwidth', place: 'main', for: 'linked' },
    command: { name: 'bandwidth', text: 'command-bandwidth' },
    kind: bandwidth,
    version: 1,
    lastStep: 'duration',
    request: ({ address, amount, hours }) =>
      address === undefined || amount === undefined || hours === undefined
        ? undefined
        : { kind: 'bandwidth', address, bandwidth_amount: amount, duration_hours: hours },
    answersOf: ({ address, bandwidth_amount: amount, duration_hours: hours }) => ({ address, amount, hours }),
    estimate: async (_payer, { bandwidth_amount: amount, duration_hours: hours }) =>
      roundPrice(estimateBandwidth({ amount, hours })),
    steps: {
      address: addressStep({
        addressBook: deps.addressBook,
        help: 'sender',
        ask: (words, known) => words.html('bandwidth-address', { known }),
        usesDefault: () => true,
        onAnswer: (state, address) => ({ ...state, address, step: 'amount' }),
      }),
      amount: wholeNumberStep<MoneyState>({
        help: 'bandwidth',
        min: BANDWIDTH_MIN,
        max: BANDWIDTH_MAX,
        ask: ({ words }, { address = '' }, range) => words.html('bandwidth-amount', { address, ...range }),
        choices: ({ words }) =>
          inRows(AMOUNTS.map((amount) => answerButton(formatCount(amount, words.language), amount))),
        problem: 'problem-count',
        example: BANDWIDTH_MIN,
        onAnswer: (state, amount) => ({ ...state, amount, step: 'duration' }),
        back: 'address',
      }),
      duration: withDefaultHours(
        wholeNumberStep<MoneyState>({
          help: 'duration',
          min: 1,
          max: MAX_HOURS,
          ask: ({ words }, { address = '', amount = 0 }, range) =>
            words.html('bandwidth-duration', {
              address,
              amount: formatCount(amount, words.language),
              ...range,
            }),
          choices: ({ words }, { amount = 0 }) =>
            HOURS.map((hours) => {
              const price = roundPrice(estimateBandwidth({ amount, hours }));
              return [answerButton(words.plain('button-hours-priced', { hours, price }), hours)];
            }),
          problem: 'problem-bandwidth-duration',
          example: 24,
          read: readHours,
          onAnswer: (state, hours) => ({ ...state, hours, step: CARD }),
          back: 'amount',
        }),
        () => CARD,
      ),
    },
  }),
);

/** Parses a duration in hours or days, such as `24`, `24 h`, `1 hour`, `3 days`, and the same in Russian. */
function readHours(text: string): number | undefined {
  const [, count = '', unit = ''] =
    /^([\d\s,.]{1,60}?)\s*(h|hours?|hrs?|d|days?|ч|часа?|часов|д|день|дня|дней)?\.?$/i.exec(text.trim()) ??
    [];
  const number = parseWholeNumber(count);
  return number === undefined ? undefined : number * (/^[dд]/i.test(unit) ? 24 : 1);
}
