/** The texts of locales/…/people.ftl. Made by `npm run texts`. */
export interface PeopleTexts {
  'command-people': string;
  'button-people': string;
  'button-person': string;
  'people-title': string;
  'people-all': string;
  'people-linked': string;
  'people-gone': string;
  'people-barred': string;
  'people-spans': string;
  'people-met': string;
  'people-here': string;
  'people-language': string;
  'people-ask': string;
  'problem-person': string;
  'people-nobody': string;
  'person-title': string;
  'person-since': string;
  'person-language': string;
  'person-linked': string;
  'person-guest': string;
  'person-gone': string;
  'person-operations': string;
  'person-no-operations': string;
  'person-barred': string;
  'button-bar': string;
  'button-unbar': string;
  'person-bar-ask': string;
  'person-bar-admin': string;
  'button-bar-yes': string;
  barred: string;
  'toast-barred': string;
}
