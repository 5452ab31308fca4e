/** The texts of locales/…/reports.ftl. Made by `npm run texts`. */
export interface ReportsTexts {
  'reports-ask': string;
  'reports-ask-operator': string;
  'button-reports-on': string;
  'button-reports-off': string;
  'button-reports-allow': string;
  'button-reports-later': string;
  'reports-later': string;
  'reports-on': string;
  'reports-refused': string;
  'reports-weak': string;
  'reports-unclear': string;
  'reports-unexpected': string;
  'reports-was-on': string;
  'reports-busy': string;
  'reports-off-ask': string;
  'reports-off-ask-operator': string;
  'reports-off-others': string;
  'button-reports-off-yes': string;
  'reports-off': string;
  'reports-off-shared': string;
  'reports-was-off': string;
  'reports-stays': string;
  'reports-stays-refused': string;
  'reports-stays-unclear': string;
  'reports-stays-unexpected': string;
  'reports-stays-do': string;
  'reports-left-nowhere': string;
  'reports-left-stays': string;
  'reports-operator': string;
  'reports-operator-on': string;
  'reports-operator-later': string;
  'reports-operator-unreachable': string;
}
