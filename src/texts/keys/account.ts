/** The texts of locales/…/account.ftl. Made by `npm run texts`. */
export interface AccountTexts {
  'command-account': string;
  'button-account': string;
  'account-card': string;
  'button-unlink': string;
  'button-unlink-yes': string;
  'unlink-ask': string;
  'unlink-reports': string;
  'unlink-invoices': string;
  'unlink-invoice': string;
  'unlink-invoices-more': string;
  'unlink-invoices-after': string;
  unlinked: string;
  'unlinked-operators': string;
  'unlinked-invoices': string;
  'unlink-none': string;
}
