/** The texts of locales/…/deposit.ftl. Made by `npm run texts`. */
export interface DepositTexts {
  'command-deposit': string;
  'button-deposit': string;
  'button-deposit-history': string;
  'deposit-card': string;
  'deposit-unreadable': string;
  'deposit-history': string;
  'deposit-none': string;
  'deposit-latest': string;
}
