/** The texts of locales/…/announcements.ftl. Made by `npm run texts`. */
export interface AnnouncementsTexts {
  'button-announcements-off': string;
  'button-announcements-on': string;
  'announcements-off': string;
  'announcements-on': string;
}
