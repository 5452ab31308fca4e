/** The texts of locales/…/maintenance.ftl. Made by `npm run texts`. */
export interface MaintenanceTexts {
  maintenance: string;
  'maintenance-card': string;
  'maintenance-code': string;
  'maintenance-link': string;
}
