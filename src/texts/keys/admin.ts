/** The texts of locales/…/admin.ftl. Made by `npm run texts`. */
export interface AdminTexts {
  'data-lost': string;
  'continuity-unproved': string;
  'records-unreadable': string;
}
