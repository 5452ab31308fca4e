/** The texts of locales/…/smart-mode.ftl. Made by `npm run texts`. */
export interface SmartModeTexts {
  'command-smart-mode': string;
  'button-smart-mode': string;
  'smart-mode-title': string;
  'smart-mode-list': string;
  'smart-mode-none': string;
  'smart-mode-more': string;
  'smart-mode-entry': string;
  'button-smart-mode-start': string;
  'button-pause': string;
  'button-resume': string;
  'button-end': string;
  'toast-no-subscription': string;
  'smart-mode-address': string;
  'smart-mode-label': string;
  'button-no-label': string;
  'problem-label': string;
  'smart-mode-guarantee': string;
  'button-guarantee-on': string;
  'button-guarantee-off': string;
  'smart-mode-sure': string;
  'button-end-it': string;
  'smart-mode-terms-start': string;
  'smart-mode-terms-pause': string;
  'smart-mode-terms-resume': string;
  'smart-mode-terms-end': string;
  'smart-mode-truth': string;
  'smart-mode-going': string;
  'smart-mode-done': string;
  'smart-mode-differs': string;
  'smart-mode-refused': string;
  'smart-mode-likely': string;
  'smart-mode-again': string;
  'smart-mode-anyway': string;
  'smart-mode-filter': string;
}
