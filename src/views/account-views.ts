import type { InlineKeyboardButton } from 'grammy/types';
import type { Words } from '../i18n/texts.ts';
import type { DepositRecord } from '../rental-api/schemas.ts';
import { callbackData } from './callback-data.ts';
import { button, type View, withMenuButton } from './view.ts';

/** Renders what a user reads instead of an account's data if the key now opens another account. */
export function otherAccountView(words: Words, { isOperators }: { isOperators: boolean }): View {
  const html = words.html('account-other', { whose: isOperators ? 'operators' : 'own' });
  return withMenuButton(words, html, isOperators ? [] : [linkButton(words)]);
}

export function linkButton(words: Words): InlineKeyboardButton {
  return button(words, 'button-link', callbackData('link', 'open'));
}

/** Returns the button below the receipt of an operation that turns instant alerts on, in one tap. */
export const alertsButton = (words: Words, operation: string) =>
  button(words, 'button-tell-arrival', callbackData('reports', 'on', operation));

/** Renders the deposits that the service has noticed, but not credited yet. */
export function waitingDeposits(words: Words, deposits: readonly DepositRecord[]): string[] {
  return deposits
    .filter(({ status }) => status === 'pending')
    .map(({ amount = 'none', currency = '' }) => words.html('waiting-deposit', { amount, currency }));
}
