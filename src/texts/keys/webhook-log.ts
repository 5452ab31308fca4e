/** The texts of locales/…/webhook-log.ftl. Made by `npm run texts`. */
export interface WebhookLogTexts {
  'command-webhook-log': string;
  'button-webhook-log': string;
  'webhook-log-title': string;
  'webhook-log-about': string;
  'webhook-log-entry': string;
  'webhook-log-none': string;
  'webhook-log-latest': string;
  'webhook-log-goes': string;
  'button-webhook-here': string;
  'button-webhook-stop': string;
}
