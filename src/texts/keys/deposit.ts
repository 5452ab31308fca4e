/** The texts of locales/…/deposit.ftl. Made by `npm run texts`. */
export interface DepositTexts {
  'button-deposit': string;
  'deposit-card': string;
  'deposit-unreadable': string;
}
