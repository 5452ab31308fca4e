/** The texts of locales/…/history.ftl. Made by `npm run texts`. */
export interface HistoryTexts {
  'command-history': string;
  'button-history': string;
  'history-title': string;
  'history-open': string;
  'history-empty': string;
  'history-unreadable': string;
  'history-none-of-kind': string;
  'history-all': string;
  'button-older': string;
  'button-newest': string;
  'history-further': string;
}
