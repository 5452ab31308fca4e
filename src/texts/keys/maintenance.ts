/** The texts of locales/…/maintenance.ftl. Made by `npm run texts`. */
export interface MaintenanceTexts {
  maintenance: string;
  'maintenance-card': string;
  'maintenance-code': string;
  'maintenance-link': string;
  'button-maintenance-ask-on': string;
  'button-maintenance-ask-off': string;
  'button-maintenance-on': string;
  'button-maintenance-off': string;
  'maintenance-ask-on': string;
  'maintenance-ask-off': string;
  'maintenance-turned-on': string;
  'maintenance-turned-off': string;
  'maintenance-news-on': string;
  'maintenance-news-off': string;
}
