/** The texts of locales/…/broadcast-progress.ftl. Made by `npm run texts`. */
export interface BroadcastProgressTexts {
  'progress-title': string;
  'progress-audience': string;
  'progress-at': string;
  'progress-by': string;
  'progress-paused': string;
  'progress-all': string;
  'progress-count': string;
  'progress-speed': string;
  'progress-took': string;
  'progress-objections': string;
  'progress-retaken': string;
  'button-broadcast-pause': string;
  'button-broadcast-resume': string;
  'button-broadcast-stop': string;
  'button-broadcast-show': string;
  'broadcast-report': string;
}
