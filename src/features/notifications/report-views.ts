import type {
  ConfigurationFailure,
  TurnOffResult,
  TurnOnResult,
} from '../../accounts/webhook-subscriptions.ts';
import { paragraphs, type Words } from '../../i18n/texts.ts';
import { otherAccountView } from '../../views/account-views.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withMenuButton } from '../../views/view.ts';
import { OPERATORS_REPORTS, OWN_REPORTS, type ReportsTarget } from '../views/reports.ts';

/** Features with a button that turns service reports off. *Back* leads there. */
const BACK_TARGETS = ['account', 'notifications', 'webhook-log', 'events', 'operator'];

/**
 * Returns the question before service reports are turned off. `others`: number of the account's other
 * holders. `origin`: feature with the tapped button.
 */
export function reportsOffQuestion(
  words: Words,
  target: ReportsTarget,
  { account, others, origin }: { account: number; others: number; origin: string },
): View {
  const { offButton, lossText, homeFeature } = target;
  const back = BACK_TARGETS.includes(origin) ? origin : homeFeature;
  return {
    html: paragraphs(
      target === OPERATORS_REPORTS && words.html('reports-operator', { account: String(account) }),
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
        failure.kind === 'other-account'
          ? otherAccountView(words, { isOperators: target === OPERATORS_REPORTS })
          : undefined;
      const html = paragraphs(
        words.html('reports-stays'),
        cause,
        other?.html,
        words.html('reports-stays-do'),
        shared,
      );
      return other ? { ...other, html } : withMenuButton(words, html);
    }
  }
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
  const allow = callbackData('reports', (isOperator ? OPERATORS_REPORTS : OWN_REPORTS).onButton);
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
