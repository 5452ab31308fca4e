/** The texts of locales/…/help.ftl. Made by `npm run texts`. */
export interface HelpTexts {
  'command-help': string;
  'button-help': string;
  'button-help-here': string;
  'button-help-commands': string;
  'button-help-return': string;
  help: string;
  'help-questions': string;
  'help-commands': string;
  'help-support': string;
  'help-question-sender': string;
  'help-question-amount': string;
  'help-question-burned': string;
  'help-question-duration': string;
  'help-question-activation': string;
  'help-question-bandwidth': string;
  'help-question-invoice': string;
  'help-question-key': string;
  'help-question-unknown': string;
  'help-question-withdrawal': string;
  'help-answer-sender': string;
  'help-answer-amount': string;
  'help-answer-burned': string;
  'help-answer-duration': string;
  'help-answer-activation': string;
  'help-answer-bandwidth': string;
  'help-answer-invoice': string;
  'help-answer-key': string;
  'help-answer-unknown': string;
  'help-answer-withdrawal': string;
  'help-quick': string;
}
