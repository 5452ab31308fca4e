/** The texts of locales/…/reports.ftl. Made by `npm run texts`. */
export interface ReportsTexts {
  'reports-ask': string;
  'button-reports-on': string;
  'button-reports-off': string;
  'button-reports-allow': string;
  'button-reports-later': string;
  'reports-later': string;
  'reports-on': string;
  'reports-refused': string;
  'reports-weak': string;
  'reports-unclear': string;
  'reports-off': string;
  'deposit-arrived': string;
  'deposit-arrived-bare': string;
}
