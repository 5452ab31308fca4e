/** The texts of locales/…/activation.ftl. Made by `npm run texts`. */
export interface ActivationTexts {
  'command-activate': string;
  'button-activation': string;
  'activation-title': string;
  'activation-address': string;
  'problem-activation-done': string;
  'activation-truth': string;
  'activation-going': string;
  'activation-done': string;
  'activation-refused': string;
  'activation-likely': string;
  'activation-again': string;
  'activation-anyway': string;
  'activation-filter': string;
}
