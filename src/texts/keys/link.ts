/** The texts of locales/…/link.ftl. Made by `npm run texts`. */
export interface LinkTexts {
  'button-link': string;
  'link-ask': string;
  'link-delete-failed': string;
  'link-not-a-key': string;
  'link-not-text': string;
  'link-question': string;
  'link-refused': string;
  'link-not-here': string;
  'link-paused': string;
  'link-unreachable': string;
  'link-unexpected': string;
  'link-done': string;
  'link-without-codes': string;
  'secret-unasked': string;
  'secret-not-here': string;
  'secret-unasked-stays': string;
}
