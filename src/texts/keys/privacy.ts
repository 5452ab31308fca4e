/** The texts of locales/…/privacy.ftl. Made by `npm run texts`. */
export interface PrivacyTexts {
  'button-privacy': string;
  'command-privacy': string;
  'button-privacy-copy': string;
  privacy: string;
  'privacy-elsewhere': string;
  'privacy-forget': string;
  'toast-privacy-wait': string;
  'privacy-file': string;
}
