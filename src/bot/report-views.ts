import type { InlineKeyboardButton } from 'grammy/types';
import type { EventsAfterUnlink } from '../accounts/erase-user.ts';
import type { ConfigurationFailure, TurnOffResult, TurnOnResult } from '../accounts/webhook-subscriptions.ts';
import { paragraphs, type Words } from '../i18n/texts.ts';
import { otherAccountView } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, type View, withMenuButton } from '../views/view.ts';

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
      others > 0 && words.html('reports-off-others', { account: String(account), others }),
    ),
    keyboard: [
      [button(words, 'button-reports-off-yes', callbackData('reports', offButton), 'danger')],
      [button(words, 'button-back', callbackData(back, 'open'))],
    ],
  };
}

const MAX_REASON_LENGTH = 200;

export const OWN_REPORTS = {
  confirmOnButton: 'open',
  onButton: 'on',
  confirmOffButton: 'off',
  offButton: 'off-yes',
  lossText: 'reports-off-ask',
  homeFeature: 'notifications',
} as const;
export const OPERATORS_REPORTS = {
  confirmOnButton: 'operator',
  onButton: 'operator-on',
  confirmOffButton: 'operator-off',
  offButton: 'operator-off-yes',
  lossText: 'reports-off-ask-operator',
  homeFeature: 'events',
} as const;
/** Buttons and texts of service reports. `homeFeature` shows their status. */
export type ReportsTarget = typeof OWN_REPORTS | typeof OPERATORS_REPORTS;

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

export function reportsOnView(words: Words, outcome: TurnOnResult, target: ReportsTarget): View {
  const { onButton, confirmOffButton } = target;
  const again = [button(words, 'button-try-again', callbackData('reports', onButton))];
  switch (outcome.kind) {
    case 'on':
      return withMenuButton(words, words.html('reports-on'));
    case 'already-on': {
      const turnOff = button(words, 'button-reports-off', callbackData('reports', confirmOffButton));
      return withMenuButton(words, words.html('reports-was-on'), [turnOff]);
    }
    case 'refused':
      return withMenuButton(words, words.html('reports-refused', { reason: reasonOf(outcome) }), again);
    case 'weak':
    case 'busy':
      return withMenuButton(words, words.html(`reports-${outcome.kind}`), again);
    case 'other-account':
      return otherAccountView(words, { isOperators: target === OPERATORS_REPORTS });
    case 'unclear':
    case 'unexpected':
      return withMenuButton(words, words.html('reports-unclear'), again);
  }
}

/** `isShared`: other users hold the account too. */
export function reportsOffView(
  words: Words,
  outcome: TurnOffResult,
  target: ReportsTarget,
  isShared: boolean,
): View {
  const { confirmOnButton, offButton } = target;
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
        failure.kind === 'refused' && words.html('reports-stays-refused', { reason: reasonOf(failure) });
      const other =
        failure.kind === 'other-account' &&
        otherAccountView(words, { isOperators: target === OPERATORS_REPORTS }).html;
      const html = paragraphs(
        words.html('reports-stays'),
        cause,
        other,
        words.html('reports-stays-do'),
        shared,
      );
      return withMenuButton(words, html);
    }
  }
}

/** Returns where a left account's events go, if that has changed, and how many invoices aren't checked. */
export function leftAccountNote(
  words: Words,
  {
    account: left,
    events,
    unchecked: count,
  }: { account: number; events: EventsAfterUnlink; unchecked: number },
): string {
  const account = String(left);
  return paragraphs(
    events === 'off' && words.html('reports-left-nowhere', { account }),
    events === 'possibly-on' && words.html('reports-left-stays', { account }),
    count > 0 && words.html('unlinked-invoices', { account, count }),
  );
}

function reasonOf({ reason }: Extract<ConfigurationFailure, { kind: 'refused' }>): string {
  return reason.slice(0, MAX_REASON_LENGTH);
}

/**
 * Renders the question before the account's only webhook URL is replaced. `operator` is the account's id if it is the
 * operator account.
 */
export function webhookQuestion(words: Words, { operator }: { operator?: number } = {}): View {
  const isOperator = operator !== undefined;
  const allow = callbackData('reports', isOperator ? 'operator-on' : 'on');
  const later = callbackData('reports', isOperator ? 'operator-later' : 'later');
  return {
    html: paragraphs(
      isOperator && words.html('reports-operator', { account: String(operator) }),
      words.html('reports-ask'),
    ),
    keyboard: [
      [button(words, 'button-reports-allow', allow)],
      [button(words, 'button-reports-later', later)],
    ],
  };
}
