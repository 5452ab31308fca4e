import type { InlineKeyboardButton } from 'grammy/types';
import type { EventsAfterUnlink } from '../accounts/erase-user.ts';
import type { ConfigurationFailure, TurnOffResult, TurnOnResult } from '../accounts/webhook-subscriptions.ts';
import type { TextKey } from '../i18n/keys.ts';
import { button, callbackData, paragraphs, type View, type Words, withMenuButton } from '../i18n/texts.ts';

/** Features with a button that turns service reports off. *Back* leads there. */
const BACK_TARGETS = ['account', 'notifications', 'webhook-log', 'events', 'operator'];

/**
 * Returns the question before service reports are turned off. `others`: number of the account's other
 * holders. `origin`: feature with the tapped button.
 */
export function reportsOffQuestion(
  words: Words,
  { confirmOffButton, offButton, lossText, homeFeature }: ReportsTarget,
  { account, others, origin }: { account: number; others: number; origin: string },
): View {
  const back = BACK_TARGETS.includes(origin) ? origin : homeFeature;
  return {
    html: paragraphs(
      confirmOffButton === 'operator-off' && words.html('reports-operator', { account: String(account) }),
      words.html(lossText),
      words.html('reports-off-others', { account: String(account), others }),
    ),
    keyboard: [
      [button(words, 'button-reports-off-yes', callbackData('reports', offButton), 'danger')],
      [button(words, 'button-back', callbackData(back, 'open'))],
    ],
  };
}

const MAX_REASON_LENGTH = 200;

/** Buttons and texts of service reports, either of the user's own account or of the operator's. */
export interface ReportsTarget {
  confirmOnButton: string;
  onButton: string;
  confirmOffButton: string;
  offButton: string;
  /** Texts after the reports were turned on, and about what is lost without them. */
  onText: TextKey;
  lossText: TextKey;
  /** Feature whose screen shows the status of the reports. */
  homeFeature: string;
}

export const OWN_REPORTS: ReportsTarget = {
  confirmOnButton: 'open',
  onButton: 'on',
  confirmOffButton: 'off',
  offButton: 'off-yes',
  onText: 'reports-on',
  lossText: 'reports-off-ask',
  homeFeature: 'notifications',
};
export const OPERATORS_REPORTS: ReportsTarget = {
  confirmOnButton: 'operator',
  onButton: 'operator-on',
  confirmOffButton: 'operator-off',
  offButton: 'operator-off-yes',
  onText: 'reports-operator-on',
  lossText: 'reports-off-ask-operator',
  homeFeature: 'events',
};

/** Returns the row that turns service reports on or off, or none. `origin`: feature to which *Back* leads. */
export function reportsRow(
  words: Words,
  status: 'on' | 'off' | 'none',
  origin: string,
  { confirmOnButton, confirmOffButton }: ReportsTarget = OWN_REPORTS,
): InlineKeyboardButton[] {
  if (status === 'none') return [];
  return status === 'on'
    ? [button(words, 'button-reports-off', callbackData('reports', confirmOffButton, origin))]
    : [button(words, 'button-reports-on', callbackData('reports', confirmOnButton))];
}

export function reportsOnView(
  words: Words,
  outcome: TurnOnResult,
  { onButton, confirmOffButton, onText }: ReportsTarget,
): View {
  const again = [button(words, 'button-try-again', callbackData('reports', onButton))];
  switch (outcome.kind) {
    case 'on':
      return withMenuButton(words, words.html(onText));
    case 'already-on': {
      const turnOff = button(words, 'button-reports-off', callbackData('reports', confirmOffButton));
      return withMenuButton(words, words.html('reports-was-on'), [turnOff]);
    }
    case 'refused':
      return withMenuButton(words, words.html('reports-refused', { reason: reasonOf(outcome) }), again);
    default:
      return withMenuButton(words, words.html(`reports-${outcome.kind}`), again);
  }
}

/** `isShared`: other users hold the account too. */
export function reportsOffView(
  words: Words,
  outcome: TurnOffResult,
  { confirmOnButton, offButton }: ReportsTarget,
  isShared: boolean,
): View {
  const shared = isShared && words.html('reports-off-shared');
  switch (outcome.kind) {
    case 'off': {
      const turnOn = button(words, 'button-reports-on', callbackData('reports', confirmOnButton));
      return withMenuButton(words, paragraphs(words.html('reports-off'), shared), [turnOn]);
    }
    case 'already-off':
      return withMenuButton(words, words.html('reports-was-off'));
    case 'busy': {
      const again = button(words, 'button-try-again', callbackData('reports', offButton));
      return withMenuButton(words, words.html('reports-busy'), [again]);
    }
    case 'possibly-on': {
      const { failure } = outcome;
      const cause =
        failure.kind === 'refused'
          ? words.html('reports-stays-refused', { reason: reasonOf(failure) })
          : words.html(`reports-stays-${failure.kind}`);
      const html = paragraphs(words.html('reports-stays'), cause, words.html('reports-stays-do'), shared);
      return withMenuButton(words, html);
    }
  }
}

/** Returns where an account's events go after a user has left it, or `false` if that hasn't changed. */
export function leftAccountNote(words: Words, account: number, left: EventsAfterUnlink): string | false {
  if (left === 'unchanged') return false;
  return words.html(left === 'off' ? 'reports-left-nowhere' : 'reports-left-stays', {
    account: String(account),
  });
}

function reasonOf({ reason }: Extract<ConfigurationFailure, { kind: 'refused' }>): string {
  return reason.slice(0, MAX_REASON_LENGTH);
}
