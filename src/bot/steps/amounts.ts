import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { readAnswer } from '../../i18n/callback-data.ts';
import { counted } from '../../i18n/formats.ts';
import type { HelpTopic } from '../../i18n/help-topics.ts';
import type { TextKey } from '../../i18n/keys.ts';
import type { Words } from '../../i18n/texts.ts';
import { lines, paragraphs } from '../../i18n/view.ts';
import { formatTrx } from '../../rental-api/amounts.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { choiceStep } from './choice.ts';
import { answer, question } from './question.ts';

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
  /** Parses an answer. Default: {@link readWhole}. */
  read?(words: string): number | undefined;
  take(state: State, number: number): State;
  back: string;
  help?: HelpTopic;
}): Step<State> {
  const { min, max, read = readWhole } = about;
  const rangeIn = (language: string) => ({ min: counted(min, language), max: counted(max, language) });
  return {
    back: about.back,
    help: about.help,
    ...(about.choices && { choices: about.choices }),
    async ask(ctx, state) {
      const choices = about.choices ? await about.choices(ctx, state) : [];
      return question(ctx.words, about.ask(ctx, state, rangeIn(ctx.words.language)), choices);
    },
    take({ words }, state, given) {
      const number = read(given.kind === 'choice' ? given.value : given.words);
      if (number !== undefined && number >= min && number <= max) return about.take(state, number);
      const example = String(about.example);
      return { ...state, problem: words.html(about.problem, { ...rangeIn(words.language), example }) };
    },
  };
}

/**
 * Parses a typed whole number (`65000`, `65,000`, `65 000`). Returns `undefined` for anything else, such as `12abc`.
 */
export function readWhole(text: string): number | undefined {
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
  take(ctx: BotContext, state: State, trx: string): State | Promise<State>;
  back: string;
}): Step<State> {
  return {
    back: about.back,
    ...(about.choices && { choices: about.choices }),
    ask: (ctx, state) => question(ctx.words, about.ask(ctx, state), about.choices?.(ctx, state) ?? []),
    take(ctx, state, given) {
      const trx = readTrx(given.kind === 'choice' ? given.value : given.words);
      if (trx !== undefined) return about.take(ctx, state, trx);
      return { ...state, problem: ctx.words.html('problem-trx') };
    },
  };
}

/**
 * Parses a typed amount: `12.5`, `12,5`, `1 000.50`, `7 TRX`. Returns `undefined` for anything else, and for ambiguous
 * amounts: `1,000` can mean a thousand or one.
 */
export function readTrx(text: string): string | undefined {
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
  take(state: State, trx: string | undefined): State;
}): Step<State> {
  return choiceStep<State>({
    ask: async (ctx) => ({ html: await about.ask(ctx) }),
    choices: (ctx) => [
      about.presets.map((trx) => answer(`${trx} TRX`, trx)),
      [answer(about.none(ctx), NONE)],
    ],
    take: (_, state, value) => about.take(state, value === NONE ? undefined : readTrx(value)),
    words(ctx, state, said) {
      if (isNothing(said)) return about.take(state, undefined);
      const trx = readTrx(said);
      return trx === undefined ? { ...state, problem: about.problem(ctx) } : about.take(state, trx);
    },
  });
}

/** Creates the question for the amount of TRX that admins may spend per day; `0.00` means nothing. */
export function capStep<State extends DialogueState>(about: {
  /** Returns the current limit in TRX, decimal. */
  cap(): Promise<string>;
  take(state: State, trx: string): State;
}): Step<State> {
  return amountStep<State>({
    presets: CAPS,
    ask: async ({ words }) => words.html('operator-cap-ask', { cap: await about.cap() }),
    none: ({ words }) => words.plain('button-operator-cap-none'),
    problem: ({ words }) => words.html('problem-operator-cap'),
    take: (state, trx = '0.00') => about.take(state, trx),
  });
}

/** Creates the question for the balance in TRX below which admins are notified; `undefined` means never. */
export function alertStep<State extends DialogueState>(about: {
  /** Returns the current balance in TRX, decimal. */
  balance(): Promise<string | undefined>;
  take(state: State, trx: string | undefined): State;
}): Step<State> {
  return amountStep<State>({
    presets: ALERTS,
    ask: async ({ words }) =>
      words.html('operator-alert-ask', { balance: (await about.balance()) ?? 'unknown' }),
    none: ({ words }) => words.plain('button-operator-alert-none'),
    problem: ({ words }) => words.html('problem-operator-cap'),
    take: about.take,
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
  take(state: State, trx: string | undefined): State;
}): Step<State> {
  return choiceStep<State>({
    ask: async (ctx) => {
      const balance = (await about.balance(ctx)) ?? 'unread';
      return { html: ctx.words.html('notifications-low-ask', { balance }) };
    },
    choices: ({ words }) => [
      PRESETS.map((trx) => answer(`${trx} TRX`, trx)),
      [answer(words.plain('button-low-balance-off'), OFF)],
    ],
    take: (_, state, value) => about.take(state, value === OFF ? undefined : readTrx(value)),
    words({ words }, state, said) {
      if (isOff(said)) return about.take(state, undefined);
      const trx = readTrx(said);
      return trx === undefined
        ? { ...state, problem: words.html('problem-low-balance') }
        : about.take(state, trx);
    },
  });
}

/** Returns whether an answer means zero or off: `0`, `0,00 TRX`, `off`, or the same in Russian. */
function isOff(said: string): boolean {
  return /^(0+([.,]0+)?(\s*trx)?|off|выкл(ючить)?)\.?$/iu.test(said.trim().slice(0, 40));
}

const AGAIN: TextKey = 'button-check-again';
const CHECK = 'again';

/**
 * Returns how much TRX is missing for `estimate`. Returns `undefined` if the balance is enough, or if either isn't
 * known.
 */
export function missingFunds(balance: string | undefined, estimate: string | undefined): string | undefined {
  if (balance === undefined || estimate === undefined) return undefined;
  const short = new BigNumber(estimate).minus(balance);
  return short.gt(0) ? formatTrx(short) : undefined;
}

interface FundsState extends DialogueState {
  estimate?: string | undefined;
  balance?: string | undefined;
}

/**
 * Creates the message before the card that shows how much is missing and where to send it. *Check again* compares
 * again.
 */
export function fundsStep<State extends FundsState>(about: {
  /** Returns what the money is for, in Telegram's HTML. */
  title(words: Words, state: State): string;
  depositAddress(ctx: BotContext): Promise<string | undefined>;
  back: string;
}): Step<State> {
  return {
    back: about.back,
    choices: ({ words }) => [[answer(words.plain(AGAIN), CHECK)]],
    async ask(ctx, state) {
      const { words } = ctx;
      const { estimate = '0', balance = '0' } = state;
      const address = await about.depositAddress(ctx);
      const again = words.plain(AGAIN);
      const missing = missingFunds(balance, estimate) ?? '0';
      // The text of the message may not have changed, so a toast says so.
      if (readAnswer(ctx.callbackQuery?.data) === CHECK) ctx.toast = words.plain('toast-funds', { missing });
      const html = paragraphs(
        words.html('funds-short'),
        lines(about.title(words, state), words.html('funds-price', { estimate, balance, missing })),
        address ? words.html('funds-deposit', { again, address }) : words.html('funds-elsewhere', { again }),
      );
      const copy = address
        ? [[{ text: words.plain('button-copy-address'), copy_text: { text: address } }]]
        : [];
      return question(words, html, [...copy, [answer(again, CHECK)]]);
    },
    take: ({ words }, state, given) =>
      given.kind === 'choice' ? state : { ...state, problem: words.html('problem-choice') },
  };
}
