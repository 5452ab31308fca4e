import type { Left } from '../accounts/erase-user.ts';
import type { NotConfigured, TurnedOff, TurnedOn } from '../accounts/webhook-subscriptions.ts';
import { callbackData } from '../i18n/callback-data.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { button, notice, paragraphs, type View } from '../i18n/view.ts';

/** Features with a button that turns service reports off. *Back* leads there. */
const ORIGINS = ['account', 'notifications', 'webhook-log', 'events', 'operator'];

/**
 * Returns the question before service reports are turned off, which affects all holders of the account. `others`:
 * number of its other holders. `origin`: feature with the tapped button.
 */
export function reportsOffQuestion(
  words: Words,
  { off, offNow, saysLoss, home }: WhoseReports,
  { account, others, origin }: { account: number; others: number; origin: string },
): View {
  const back = ORIGINS.includes(origin) ? origin : home;
  return {
    html: paragraphs(
      off === 'operator-off' && words.html('reports-operator', { account: String(account) }),
      words.html(saysLoss),
      words.html('reports-off-others', { account: String(account), others }),
    ),
    keyboard: [
      [button(words, 'button-reports-off-yes', callbackData('reports', offNow), 'danger')],
      [button(words, 'button-back', callbackData(back, 'open'))],
    ],
  };
}

const REASON_LENGTH = 200;

/** Buttons and texts of service reports, either of the user's own account or of the operator's. */
export interface WhoseReports {
  /** Button that asks before the reports are turned on. */
  ask: string;
  on: string;
  /** Button that asks before the reports are turned off. */
  off: string;
  offNow: string;
  /** Texts after the reports were turned on, and about what is lost without them. */
  saysOn: TextKey;
  saysLoss: TextKey;
  /** Feature whose screen shows the status of the reports. */
  home: string;
}

export const OWN_REPORTS: WhoseReports = {
  ask: 'open',
  on: 'on',
  off: 'off',
  offNow: 'off-yes',
  saysOn: 'reports-on',
  saysLoss: 'reports-off-ask',
  home: 'notifications',
};
export const OPERATORS_REPORTS: WhoseReports = {
  ask: 'operator',
  on: 'operator-on',
  off: 'operator-off',
  offNow: 'operator-off-yes',
  saysOn: 'reports-operator-on',
  saysLoss: 'reports-off-ask-operator',
  home: 'events',
};

/** Returns the view of what happened when service reports were turned on. */
export function turnedOn(words: Words, outcome: TurnedOn, { on, off, saysOn }: WhoseReports): View {
  const again = [button(words, 'button-try-again', callbackData('reports', on))];
  switch (outcome.kind) {
    case 'on':
      return notice(words, words.html(saysOn));
    case 'was-on':
      return notice(words, words.html('reports-was-on'), [
        button(words, 'button-reports-off', callbackData('reports', off)),
      ]);
    case 'weak':
      return notice(words, words.html('reports-weak'), again);
    case 'busy':
      return notice(words, words.html('reports-busy'), again);
    case 'refused':
      return notice(words, words.html('reports-refused', { reason: reasonOf(outcome) }), again);
    case 'unexpected':
      return notice(words, words.html('reports-unexpected'), again);
    case 'unclear':
      return notice(words, words.html('reports-unclear'), again);
  }
}

/**
 * Returns the view of what happened when service reports were turned off. `isShared`: other users hold the account too.
 */
export function turnedOff(
  words: Words,
  outcome: TurnedOff,
  { ask, offNow }: WhoseReports,
  isShared: boolean,
): View {
  const shared = isShared && words.html('reports-off-shared');
  switch (outcome.kind) {
    case 'off':
      return notice(words, paragraphs(words.html('reports-off'), shared), [
        button(words, 'button-reports-on', callbackData('reports', ask)),
      ]);
    case 'was-off':
      return notice(words, words.html('reports-was-off'));
    case 'busy':
      return notice(words, words.html('reports-busy'), [
        button(words, 'button-try-again', callbackData('reports', offNow)),
      ]);
    case 'stays': {
      const { why } = outcome;
      const cause =
        why.kind === 'refused'
          ? words.html('reports-stays-refused', { reason: reasonOf(why) })
          : words.html(`reports-stays-${why.kind}`);
      return notice(
        words,
        paragraphs(words.html('reports-stays'), cause, words.html('reports-stays-do'), shared),
      );
    }
  }
}

/** Returns where an account's events go after a user has left it, or `false` if that hasn't changed. */
export function leftAccount(words: Words, account: number, left: Left): string | false {
  if (left === 'as-before') return false;
  return words.html(left === 'nowhere' ? 'reports-left-nowhere' : 'reports-left-stays', {
    account: String(account),
  });
}

function reasonOf({ reason }: Extract<NotConfigured, { kind: 'refused' }>): string {
  return reason.slice(0, REASON_LENGTH);
}
