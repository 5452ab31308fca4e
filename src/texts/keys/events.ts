/** The texts of locales/…/events.ftl. Made by `npm run texts`. */
export interface EventsTexts {
  'command-events': string;
  'button-events': string;
  'events-title': string;
  'events-taken': string;
  'events-missed': string;
  'events-copies': string;
  'events-refused': string;
  'events-refused-hook': string;
  'events-refused-rate': string;
  'events-refused-size': string;
  'events-refused-signature': string;
  'events-refused-body': string;
  'events-refused-old': string;
  'events-refused-storage': string;
  'events-handled': string;
  'events-told': string;
  'events-within': string;
  'events-waiting': string;
  'events-latest': string;
  'events-event': string;
  'events-account': string;
  'events-latest-refusals': string;
  'events-as-of': string;
  'button-refresh': string;
  'button-events-today': string;
  'button-events-yesterday': string;
  'events-operator': string;
  'button-events-operator': string;
}
