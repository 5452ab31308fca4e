/** The texts of locales/…/invoices.ftl. Made by `npm run texts`. */
export interface InvoicesTexts {
  'command-invoices': string;
  'button-invoices': string;
  'button-my-invoices': string;
  'invoices-title': string;
  'invoices-totals': string;
  'invoices-totals-partial': string;
  'invoices-pick': string;
  'invoices-empty': string;
  'invoices-none-such': string;
  'invoices-further': string;
  'invoices-what': string;
  'invoices-note': string;
  'invoices-open': string;
  'invoices-ending': string;
  'invoices-over': string;
  'invoices-paid': string;
  'invoices-late': string;
  'invoices-delivered': string;
  'invoices-failed': string;
  'invoices-unchecked': string;
  'invoices-unrecognized': string;
  'invoices-unchecked-paid': string;
  'filter-all': string;
  'filter-open': string;
  'filter-paid': string;
  'filter-delivered': string;
  'filter-ended': string;
  'button-csv': string;
  'invoices-file': string;
  'invoices-file-partial': string;
  'toast-file-slow': string;
}
