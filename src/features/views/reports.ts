import type { InlineKeyboardButton } from 'grammy/types';
import type { Words } from '../../i18n/texts.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button } from '../../views/view.ts';

/** Reports of the user's own account. `homeFeature` shows their status. */
export const OWN_REPORTS = {
  confirmOnButton: 'open',
  onButton: 'on',
  confirmOffButton: 'off',
  offButton: 'off-yes',
  lossText: 'reports-off-ask',
  homeFeature: 'notifications',
} as const;
/** Reports of the operator account, for admins. */
export const OPERATORS_REPORTS = {
  confirmOnButton: 'operator',
  onButton: 'operator-on',
  confirmOffButton: 'operator-off',
  offButton: 'operator-off-yes',
  lossText: 'reports-off-ask-operator',
  homeFeature: 'events',
} as const;
/** Names of the buttons, text and feature of a view about the user's own reports or the operator's. */
export type ReportsTarget = typeof OWN_REPORTS | typeof OPERATORS_REPORTS;

/** Creates the button that turns reports of the operator account on or off. `origin`: feature to which *Back* leads. */
export function operatorReportsButton(
  words: Words,
  reports: 'on' | 'off',
  origin: string,
): InlineKeyboardButton {
  const { confirmOnButton, confirmOffButton } = OPERATORS_REPORTS;
  const data =
    reports === 'on'
      ? callbackData('reports', confirmOffButton, origin)
      : callbackData('reports', confirmOnButton);
  return { text: words.plain('button-events-operator', { reports }), callback_data: data };
}

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
