/** The texts of locales/…/webhook-log.ftl. Made by `npm run texts`. */
export interface WebhookLogTexts {
  'command-webhook-log': string;
  'button-webhook-log': string;
  'webhook-log-title': string;
  'webhook-log-about': string;
  'webhook-log-order': string;
  'webhook-log-invoice': string;
  'webhook-log-energy': string;
  'webhook-log-bandwidth': string;
  'webhook-log-received': string;
  'webhook-log-not-received': string;
  'webhook-log-attempts': string;
  'webhook-log-none': string;
  'webhook-log-latest': string;
  'webhook-log-pick': string;
  'webhook-log-goes': string;
  'webhook-log-payload': string;
  'webhook-log-gone': string;
}
