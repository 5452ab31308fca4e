import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { formatTrx } from '../../rental-api/amounts.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

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
