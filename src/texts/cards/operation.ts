import type { InlineKeyboardButton } from 'grammy/types';
import { TAP } from '../taps.ts';
import type { Words } from '../texts.ts';
import { lines, paragraphs, type View } from '../view.ts';
import { energyConditions, energyResult, energyTitle } from './energy.ts';
import { menuButton } from './menu.ts';
import type { OperationFacts, Refusal } from './operation-facts.ts';

export interface CardSurroundings {
  /** Whether the service reports deliveries of this account to the bot. */
  reported: boolean;
  supportUrl?: string | undefined;
  /** Above the card: a warning about the address. */
  warning?: string | undefined;
}

/** The one card of an operation, through its whole life: the same message is edited as it goes on. */
export function operationCard(words: Words, facts: OperationFacts, about: CardSurroundings): View {
  const number = words.html('operation-number', { id: facts.id });
  if (facts.state === 'draft') {
    return {
      html: paragraphs(about.warning, energyConditions(words, facts), number),
      keyboard: draftButtons(words, facts.id),
    };
  }
  const news = {
    cancelled: () => words.html('energy-cancelled'),
    claimed: () => words.html('energy-going'),
    sent: () => words.html('energy-going'),
    done: () => energyResult(words, facts, about.reported),
    refused: () => lines(words.html('energy-refused'), facts.refusal && refusal(words, facts.refusal)),
    unknown: () => paragraphs(words.html('energy-unknown'), searched(words, facts)),
    likely: () => words.html('energy-likely'),
    closed: () => words.html('energy-closed'),
  }[facts.state]();
  const uncertain = facts.state === 'unknown' || facts.state === 'likely';
  const person =
    uncertain && about.supportUrl ? words.html('energy-support', { url: about.supportUrl }) : undefined;
  return {
    html: paragraphs(energyTitle(words, facts), news, lines(number, person)),
    keyboard: afterButtons(words, facts),
  };
}

/** The card of a draft whose time has passed. */
export function expiredCard(words: Words): View {
  const again = { text: words.plain('button-buy'), callback_data: TAP.buy };
  return { html: words.html('energy-expired'), keyboard: [[again], [menuButton(words)]] };
}

function draftButtons(words: Words, id: string): InlineKeyboardButton[][] {
  return [
    [{ text: words.plain('button-confirm'), callback_data: TAP.confirm(id), style: 'success' }],
    [
      { text: words.plain('button-back'), callback_data: TAP.back(id) },
      { text: words.plain('button-cancel'), callback_data: TAP.cancel(id) },
    ],
  ];
}

function afterButtons(words: Words, facts: OperationFacts): InlineKeyboardButton[][] {
  switch (facts.state) {
    case 'claimed':
    case 'sent':
      return [];
    case 'unknown':
    case 'likely':
      return [
        [{ text: words.plain('button-i-checked'), callback_data: TAP.checked(facts.id) }],
        [menuButton(words)],
      ];
    case 'done':
      return [[{ text: words.plain('button-again'), callback_data: TAP.buy }, menuButton(words)]];
    default:
      return [[menuButton(words)]];
  }
}

function refusal(words: Words, { reason, code, seconds }: Refusal): string {
  return words.html(`refusal-${reason}`, { code, seconds });
}

function searched(words: Words, { search }: OperationFacts): string | undefined {
  if (search?.over) return words.html('energy-unknown-over', { checked: words.plain('button-i-checked') });
  return search && words.html('energy-unknown-checked', { count: search.count, balance: search.balance });
}
