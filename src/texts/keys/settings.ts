/** The texts of locales/…/settings.ftl. Made by `npm run texts`. */
export interface SettingsTexts {
  'command-settings': string;
  'button-settings': string;
  'language-en': string;
  'language-ru': string;
  'settings-card': string;
  'settings-default': string;
  'hours-default-taken': string;
  'button-settings-hours': string;
  'button-settings-address': string;
  'settings-selling': string;
  'button-sells': string;
  'button-sells-not': string;
  'settings-news': string;
  'button-settings-news': string;
  'button-settings-news-not': string;
}
