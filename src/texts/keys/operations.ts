/** The texts of locales/…/operations.ftl. Made by `npm run texts`. */
export interface OperationsTexts {
  'command-operations': string;
  'button-operations': string;
  'operations-title': string;
  'operations-spans': string;
  'operations-outcome': string;
  'operations-none': string;
  'operations-unresolved': string;
}
