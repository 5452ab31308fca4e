/** The texts of locales/…/notifications.ftl. Made by `npm run texts`. */
export interface NotificationsTexts {
  'command-notifications': string;
  'button-notifications': string;
  'notifications-title': string;
  'notifications-reports': string;
  'notifications-muting': string;
  'notifications-low': string;
  'button-notice': string;
  'button-low-balance': string;
  'notifications-low-ask': string;
  'button-low-balance-off': string;
  'problem-low-balance': string;
  'notifications-low-set': string;
}
