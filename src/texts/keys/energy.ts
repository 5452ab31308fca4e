/** The texts of locales/…/energy.ftl. Made by `npm run texts`. */
export interface EnergyTexts {
  'command-buy': string;
  'button-energy': string;
  'energy-title': string;
  'energy-address': string;
  'energy-purpose': string;
  'energy-count': string;
  'energy-exact': string;
  'energy-duration': string;
  'energy-no-prices': string;
  'problem-energy-purpose': string;
  'problem-energy-duration': string;
  'button-one-holder': string;
  'button-one-new': string;
  'button-several': string;
  'button-exact': string;
  'button-1-hour': string;
  'button-24-hours': string;
  'button-1-hour-priced': string;
  'button-24-hours-priced': string;
  'energy-truth': string;
  'energy-going': string;
  'energy-done': string;
  'energy-refused': string;
  'energy-likely': string;
  'energy-again': string;
  'energy-anyway': string;
  'energy-filter': string;
}
