import { readAddress } from '../../rental/address.ts';
import {
  ENERGY_MAX,
  ENERGY_MIN,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
} from '../../rental/limits.ts';
import * as cards from '../../texts/cards/buying.ts';
import { counted } from '../../texts/formats.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import { readWhole } from '../numbers.ts';
import { type BuyingDeps, type BuyState, type BuyStep, payer } from './state.ts';
import { funds, weigh } from './weighing.ts';

const LIMITS: cards.EnergyLimits = {
  min: ENERGY_MIN,
  max: ENERGY_MAX,
  perTransfer: ENERGY_PER_TRANSFER,
  perFirstTransfer: ENERGY_PER_FIRST_TRANSFER,
  maxTransfers: Math.floor(ENERGY_MAX / ENERGY_PER_TRANSFER),
};
const EXAMPLE_ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** What each purpose needs (facts.md, the chain). */
const PURPOSES: Record<string, number> = { holder: ENERGY_PER_TRANSFER, new: ENERGY_PER_FIRST_TRANSFER };

/** The questions of buying energy, in their order. *Back* and *Cancel* are understood at each. */
export function buyingSteps(deps: BuyingDeps): Partial<Record<BuyStep, Step<BuyState>>> {
  return {
    address: withWays('menu', {
      ask: async ({ words, from }) =>
        cards.addressQuestion(words, from ? await deps.addressBook.known(from.id) : []),
      take(ctx, state, answer) {
        const text = answer.kind === 'choice' ? answer.value : answer.words.replace(/\s/g, '');
        const read = readAddress(text);
        if (!read.ok) return { ...state, problem: addressProblem(ctx, read.problem, text) };
        return { ...state, address: read.address, step: 'purpose' };
      },
    }),
    purpose: withWays('address', {
      ask: ({ words }, { address = '' }) => cards.purposeQuestion(words, address, LIMITS),
      take(ctx, state, answer) {
        if (answer.kind === 'words') return withAmount(ctx, state, answer.words, 'problem-purpose');
        if (answer.value === 'several') return { ...state, step: 'count' };
        if (answer.value === 'exact') return { ...state, step: 'exact' };
        return { ...state, amount: PURPOSES[answer.value], step: 'duration' };
      },
    }),
    count: withWays('purpose', {
      ask: ({ words }, { address = '' }) => cards.countQuestion(words, address, LIMITS),
      take({ words }, state, answer) {
        const count = readWhole(answer.kind === 'choice' ? answer.value : answer.words);
        if (count === undefined || count < 1 || count > LIMITS.maxTransfers) {
          return { ...state, problem: words.html('problem-count', { max: String(LIMITS.maxTransfers) }) };
        }
        return { ...state, amount: count * ENERGY_PER_TRANSFER, step: 'duration' };
      },
    }),
    exact: withWays('purpose', {
      ask: ({ words }, { address = '' }) => cards.exactQuestion(words, address, LIMITS),
      take: (ctx, state, answer) =>
        withAmount(ctx, state, answer.kind === 'words' ? answer.words : '', 'problem-amount'),
    }),
    duration: withWays('purpose', {
      async ask(ctx, { address = '', amount = 0 }) {
        const who = await payer(deps, ctx);
        const prices = who ? await deps.quotes.prices(who.account, who.apiKey, amount) : {};
        return cards.durationQuestion(ctx.words, { address, amount, prices });
      },
      take(ctx, state, answer) {
        const hours = answer.kind === 'choice' ? Number(answer.value) : readHours(answer.words);
        if (hours === undefined) return { ...state, problem: ctx.words.html('problem-duration') };
        return weigh(deps, ctx, { ...state, hours });
      },
    }),
    funds: withWays('duration', {
      ask: (ctx, state) => funds(deps, ctx, state),
      take(ctx, state, answer) {
        if (answer.kind === 'choice') return weigh(deps, ctx, state);
        return { ...state, problem: ctx.words.html('problem-choice') };
      },
    }),
  };
}

function withWays(previous: BuyStep, step: Step<BuyState>): Step<BuyState> {
  return {
    ask: step.ask,
    take(ctx, state, answer) {
      if (answer.kind === 'choice' && answer.value === 'back') return { ...state, step: previous };
      if (answer.kind === 'choice' && answer.value === 'cancel') return { ...state, step: 'cancelled' };
      return step.take(ctx, state, answer);
    },
  };
}

function withAmount(
  { words }: BotContext,
  state: BuyState,
  text: string,
  problem: 'problem-purpose' | 'problem-amount',
): BuyState {
  const amount = readWhole(text);
  if (amount !== undefined && amount >= ENERGY_MIN && amount <= ENERGY_MAX) {
    return { ...state, amount, step: 'duration' };
  }
  const range = { min: counted(ENERGY_MIN, words.language), max: counted(ENERGY_MAX, words.language) };
  return { ...state, problem: words.html(problem, range) };
}

/** `1`, `1h`, `24 hours`, `1 day`, and the same in Russian. */
function readHours(text: string): 1 | 24 | undefined {
  const said = text.trim().toLowerCase();
  if (/^1 ?(h|hour|hr|ч|час)?\.?$/.test(said)) return 1;
  return /^(24 ?(h|hours|hrs|ч|часа|часов)?\.?|1? ?(day|d|день|сутки))$/.test(said) ? 24 : undefined;
}

function addressProblem({ words }: BotContext, problem: string, text: string): string {
  switch (problem) {
    case 'prefix':
      return words.html('problem-address-prefix', { example: EXAMPLE_ADDRESS });
    case 'length':
      return words.html('problem-address-length', { length: String(text.length) });
    case 'alphabet':
      return words.html('problem-address-alphabet');
    case 'checksum':
      return words.html('problem-address-checksum');
    default:
      return words.html('problem-address-empty');
  }
}
