/** The texts of locales/…/state.ftl. Made by `npm run texts`. */
export interface StateTexts {
  'command-state': string;
  'button-state': string;
  'state-title': string;
  'state-money': string;
  'state-maintenance': string;
  'state-rental': string;
  'state-telegram': string;
  'state-last-answer': string;
  'state-last-failure': string;
  'state-calls': string;
  'state-storage': string;
  'state-ping': string;
  'state-durability': string;
  'state-fsync': string;
  'state-replicas': string;
  'state-waits': string;
  'state-under-way': string;
  'state-outbox-unread': string;
  'state-overdue': string;
  'state-process': string;
  'state-span': string;
  'admin-uncertain': string;
  'admin-maintenance': string;
  'admin-no-money': string;
  'admin-rental-away': string;
  'admin-unread': string;
}
