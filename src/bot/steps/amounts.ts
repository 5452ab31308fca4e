import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { formatCount } from '../../i18n/formats.ts';
import type { TextKey } from '../../i18n/keys.ts';
import type { HelpTopic } from '../../i18n/shared-views.ts';
import type { Words } from '../../i18n/texts.ts';
import { lines } from '../../i18n/view.ts';
import { ENERGY_DURATIONS, formatTrx } from '../../rental-api/amounts.ts';
import type { BotContext } from '../context.ts';
import { answerButton, type DialogueState, questionView, type Step } from '../dialogue.ts';
import type { MoneyState } from '../money-flow.ts';
import type { EnergyPrices } from '../quotes.ts';
import { choiceStep } from './choice.ts';

/** Creates the question for a whole number from `min` to `max`. Buttons may offer some numbers. */
export function wholeNumberStep<State extends DialogueState>(about: {
  min: number;
  max: number;
  /** `range` contains the limits, formatted for the user. */
  ask(ctx: BotContext, state: State, range: { min: string; max: string }): string;
  choices?(ctx: BotContext, state: State): InlineKeyboardButton[][] | Promise<InlineKeyboardButton[][]>;
  /** Text about any other answer, with `min`, `max` and `example`. */
  problem: TextKey;
  example: number;
  /** Parses an answer. Default: {@link parseWholeNumber}. */
  read?(words: string): number | undefined;
  onAnswer(state: State, number: number): State;
  back: string;
  help?: HelpTopic;
}): Step<State> {
  const { min, max, read = parseWholeNumber } = about;
  const rangeIn = (language: string) => ({
    min: formatCount(min, language),
    max: formatCount(max, language),
  });
  return {
    back: about.back,
    help: about.help,
    ...(about.choices && { choices: about.choices }),
    async ask(ctx, state) {
      const choices = about.choices ? await about.choices(ctx, state) : [];
      return questionView(ctx.words, about.ask(ctx, state, rangeIn(ctx.words.language)), choices);
    },
    onAnswer({ words }, state, given) {
      const number = read(given.kind === 'choice' ? given.value : given.text);
      if (number !== undefined && number >= min && number <= max) return about.onAnswer(state, number);
      const example = String(about.example);
      return { ...state, problem: words.html(about.problem, { ...rangeIn(words.language), example }) };
    },
  };
}

/**
 * Parses a typed whole number (`65000`, `65,000`, `65 000`). Returns `undefined` for anything else, such as `12abc`.
 */
export function parseWholeNumber(text: string): number | undefined {
  const trimmed = text.trim();
  const plain = /^\d{1,9}$/.test(trimmed);
  const grouped = /^\d{1,3}([ ,.'’\u00a0\u202f]\d{3}){1,2}$/.test(trimmed);
  return plain || grouped ? Number(trimmed.replace(/\D/g, '')) : undefined;
}

const SUN_DECIMALS = 6;

/** Creates the question for an amount of TRX above 0. */
export function trxAmountStep<State extends DialogueState>(about: {
  ask(ctx: BotContext, state: State): string;
  choices?(ctx: BotContext, state: State): InlineKeyboardButton[][];
  /** `trx` is a decimal without separators. If the returned state has a `problem`, the question is repeated. */
  onAnswer(ctx: BotContext, state: State, trx: string): State | Promise<State>;
  back: string;
}): Step<State> {
  return {
    back: about.back,
    ...(about.choices && { choices: about.choices }),
    ask: (ctx, state) => questionView(ctx.words, about.ask(ctx, state), about.choices?.(ctx, state) ?? []),
    onAnswer(ctx, state, given) {
      const trx = parseTrx(given.kind === 'choice' ? given.value : given.text);
      if (trx !== undefined) return about.onAnswer(ctx, state, trx);
      return { ...state, problem: ctx.words.html('problem-trx') };
    },
  };
}

/**
 * Parses a typed amount: `12.5`, `12,5`, `1 000.50`, `7 TRX`. Returns `undefined` for anything else, and for ambiguous
 * amounts: `1,000` can mean a thousand or one.
 */
export function parseTrx(text: string): string | undefined {
  const [, amount] = /^(.{1,60}?)\s*(?:trx)?$/i.exec(text.trim()) ?? [];
  const [, whole, fraction = ''] =
    /^(\d{1,12}|\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,3})(?:[.,](\d{1,6}))?$/.exec(amount ?? '') ?? [];
  if (whole === undefined || fraction.length > SUN_DECIMALS) return undefined;
  const isAmbiguous = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
  const trx = new BigNumber(`${whole.replace(/\D/g, '')}.${fraction || '0'}`);
  return isAmbiguous || !trx.gt(0) ? undefined : formatTrx(trx);
}

const CAPS = [50, 100, 500];
const ALERTS = [10, 50, 100];
const NONE = 'none';

/** Creates the question for an amount of TRX or none, tapped or typed. */
function amountStep<State extends DialogueState>(about: {
  presets: readonly number[];
  ask(ctx: BotContext): Promise<string>;
  none(ctx: BotContext): string;
  problem(ctx: BotContext): string;
  onAnswer(state: State, trx: string | undefined): State;
}): Step<State> {
  return choiceStep<State>({
    ask: async (ctx) => ({ html: await about.ask(ctx) }),
    choices: (ctx) => [
      about.presets.map((trx) => answerButton(`${trx} TRX`, trx)),
      [answerButton(about.none(ctx), NONE)],
    ],
    onChoice: (_, state, value) => about.onAnswer(state, value === NONE ? undefined : parseTrx(value)),
    onText(ctx, state, said) {
      if (isNothing(said)) return about.onAnswer(state, undefined);
      const trx = parseTrx(said);
      return trx === undefined ? { ...state, problem: about.problem(ctx) } : about.onAnswer(state, trx);
    },
  });
}

/** Creates the question for the amount of TRX that admins may spend per day; `0.00` means nothing. */
export function operatorLimitStep<State extends DialogueState>(about: {
  /** Returns the current limit in TRX, decimal. */
  cap(): Promise<string>;
  onAnswer(state: State, trx: string): State;
}): Step<State> {
  return amountStep<State>({
    presets: CAPS,
    ask: async ({ words }) => words.html('operator-cap-ask', { cap: await about.cap() }),
    none: ({ words }) => words.plain('button-operator-cap-none'),
    problem: ({ words }) => words.html('problem-operator-cap'),
    onAnswer: (state, trx = '0.00') => about.onAnswer(state, trx),
  });
}

/** Creates the question for the balance in TRX below which admins are notified; `undefined` means never. */
export function operatorAlertStep<State extends DialogueState>(about: {
  /** Returns the current balance in TRX, decimal. */
  balance(): Promise<string | undefined>;
  onAnswer(state: State, trx: string | undefined): State;
}): Step<State> {
  return amountStep<State>({
    presets: ALERTS,
    ask: async ({ words }) =>
      words.html('operator-alert-ask', { balance: (await about.balance()) ?? 'unknown' }),
    none: ({ words }) => words.plain('button-operator-alert-none'),
    problem: ({ words }) => words.html('problem-operator-cap'),
    onAnswer: about.onAnswer,
  });
}

function isNothing(said: string): boolean {
  return /^0+([.,]0+)?(\s*trx)?\.?$/i.test(said.trim().slice(0, 40));
}

const PRESETS = [10, 50, 100];
const OFF = 'off';

/** Creates the question for the balance in TRX below which the user is notified; `undefined` means never. */
export function lowBalanceStep<State extends DialogueState>(about: {
  /** Returns the current balance in TRX, or `undefined` if it isn't available quickly. */
  balance(ctx: BotContext): Promise<string | undefined>;
  onAnswer(state: State, trx: string | undefined): State;
}): Step<State> {
  return choiceStep<State>({
    ask: async (ctx) => {
      const balance = (await about.balance(ctx)) ?? 'unread';
      return { html: ctx.words.html('notifications-low-ask', { balance }) };
    },
    choices: ({ words }) => [
      PRESETS.map((trx) => answerButton(`${trx} TRX`, trx)),
      [answerButton(words.plain('button-low-balance-off'), OFF)],
    ],
    onChoice: (_, state, value) => about.onAnswer(state, value === OFF ? undefined : parseTrx(value)),
    onText({ words }, state, said) {
      if (isOff(said)) return about.onAnswer(state, undefined);
      const trx = parseTrx(said);
      return trx === undefined
        ? { ...state, problem: words.html('problem-low-balance') }
        : about.onAnswer(state, trx);
    },
  });
}

/** Returns whether an answer means zero or off: `0`, `0,00 TRX`, `off`, or the same in Russian. */
function isOff(said: string): boolean {
  return /^(0+([.,]0+)?(\s*trx)?|off|выкл(ючить)?)\.?$/iu.test(said.trim().slice(0, 40));
}

/** Skips a question for hours if the user has set a default. `next`: step after the question. */
export function withDefaultHours(
  step: Step<MoneyState>,
  next: (state: MoneyState) => string,
): Step<MoneyState> {
  return {
    ...step,
    async stateIfKnown(ctx, state) {
      const { hours } = ctx.session;
      if (hours === undefined) return undefined;
      ctx.headerHtml = lines(ctx.headerHtml, ctx.words.html('hours-default-taken', { hours }));
      return { ...state, hours, step: next(state) };
    },
  };
}

/** Returns the buttons for the hours of energy, with prices if they are known. */
export function energyHourButtons(words: Words, prices: EnergyPrices = {}): InlineKeyboardButton[][] {
  return ENERGY_DURATIONS.map((hours) => {
    const key = hours === 1 ? 'button-1-hour' : 'button-24-hours';
    const price = prices[hours];
    return [
      answerButton(price === undefined ? words.plain(key) : words.plain(`${key}-priced`, { price }), hours),
    ];
  });
}

/** Parses the hours of energy: `1`, `1h`, `24 hours`, `1 day`, and the same in Russian. */
export function parseHours(text: string): 1 | 24 | undefined {
  const said = text.trim().toLowerCase();
  if (/^1 ?(h|hour|hr|ч|час)?\.?$/.test(said)) return 1;
  return /^(24 ?(h|hours|hrs|ч|часа|часов)?\.?|1? ?(day|d|день|сутки))$/.test(said) ? 24 : undefined;
}
