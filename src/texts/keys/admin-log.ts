/** The texts of locales/…/admin-log.ftl. Made by `npm run texts`. */
export interface AdminLogTexts {
  'command-admin-log': string;
  'button-admin-log': string;
  'admin-log-title': string;
  'admin-log-empty': string;
  'admin-log-entry': string;
  'admin-act-broadcast-started': string;
  'admin-act-broadcast-scheduled': string;
  'admin-act-broadcast-paused': string;
  'admin-act-broadcast-resumed': string;
  'admin-act-broadcast-stopped': string;
  'admin-act-person-barred': string;
  'admin-act-person-let-in': string;
  'admin-act-operation-asked': string;
  'admin-act-operation-done': string;
  'admin-act-operation-not-done': string;
  'admin-act-operator-linked': string;
  'admin-act-operator-unlinked': string;
  'admin-act-operator-cap': string;
  'admin-act-operator-alert': string;
  'admin-act-operator-reports': string;
  'admin-act-maintenance-on': string;
  'admin-act-maintenance-off': string;
}
