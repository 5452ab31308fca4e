import { callbackData } from '../i18n/callback-data.ts';
import type { Words } from '../i18n/texts.ts';
import { button, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';

/** Data of the operator's account that admins see. Amounts are in TRX, decimal. */
export interface OperatorSeen {
  account: number;
  /** `undefined` if the service doesn't respond in time. */
  balance: string | undefined;
  cap: string;
  taken: string;
  alert: string | undefined;
  reports: 'on' | 'off';
  /** Whether service reports can be turned on or off here. */
  canSwitch: boolean;
  /** Admins who have linked the account. */
  holders: readonly number[];
  /** Whether the admin who opened the screen has linked it. */
  isLinked: boolean;
}

/** Name of the feature that shows this screen. */
export const OPERATOR = 'operator';

/** Returns the screen of the operator's account: its data, and all actions. */
export function operatorView(words: Words, seen: OperatorSeen): View {
  const { account, balance = 'unknown', cap, taken, alert, reports, canSwitch, holders, isLinked } = seen;
  const html = paragraphs(
    words.html('operator-title'),
    lines(
      words.html('operator-account', { account: String(account) }),
      words.html('operator-balance', { balance }),
      words.html('operator-spent', { taken, cap }),
      words.html('operator-alert', { trx: alert ?? 'none' }),
      words.html('operator-reports', { reports }),
      words.html('operator-holders', { who: holders.join(', ') || 'nobody' }),
    ),
    words.html('operator-note'),
  );
  const linking = isLinked
    ? button(words, 'button-operator-unlink', callbackData('account', 'unlink'))
    : button(words, 'button-operator-link', callbackData(OPERATOR, 'link'), 'primary');
  const asks =
    reports === 'on'
      ? callbackData('reports', 'operator-off', OPERATOR)
      : callbackData('reports', 'operator');
  const switching = { text: words.plain('button-events-operator', { reports }), callback_data: asks };
  const setting = [
    button(words, 'button-operator-cap', callbackData(OPERATOR, 'cap')),
    button(words, 'button-operator-alert', callbackData(OPERATOR, 'alert')),
  ];
  return {
    html,
    keyboard: [[linking], setting, ...(canSwitch ? [[switching]] : []), refresh(words), wayUp(words)],
  };
}

/** Returns the screen if there is no operator account, or if the service can't be reached. */
export function noOperatorView(words: Words, why: 'none' | 'unreachable'): View {
  return {
    html: paragraphs(words.html('operator-title'), words.html(`operator-${why}`)),
    keyboard: [refresh(words), wayUp(words)],
  };
}

const refresh = (words: Words) => [button(words, 'button-refresh', callbackData(OPERATOR, 'open'))];

const wayUp = (words: Words) => [
  button(words, 'button-admin', callbackData('menu', 'admin')),
  menuButton(words),
];
