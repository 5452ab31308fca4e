/** The texts of locales/…/help.ftl. Made by `npm run texts`. */
export interface HelpTexts {
  'command-help': string;
  'button-help': string;
  help: string;
  'help-commands': string;
  'help-support': string;
}
