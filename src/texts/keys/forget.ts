/** The texts of locales/…/forget.ftl. Made by `npm run texts`. */
export interface ForgetTexts {
  'command-forget': string;
  'button-forget': string;
  'button-forget-yes': string;
  'forget-ask': string;
  'forget-begun': string;
  'forget-done': string;
  'forget-anew': string;
  'forget-draft': string;
  'forget-operations': string;
  'forget-subscriptions': string;
  'forget-subscription': string;
  'forget-subscriptions-unknown': string;
  'forget-invoices': string;
  'forget-more': string;
  'forget-admin': string;
  'forget-stays': string;
  'kept-money': string;
  'kept-under-way': string;
  'kept-handled': string;
  'kept-limits': string;
  'kept-account': string;
  'kept-others': string;
  'kept-admin': string;
}
