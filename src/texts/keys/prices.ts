/** The texts of locales/…/prices.ftl. Made by `npm run texts`. */
export interface PricesTexts {
  'button-prices': string;
  'command-prices': string;
  'prices-card': string;
  'prices-energy': string;
  'prices-hours': string;
  'prices-burn': string;
  'prices-bandwidth': string;
  'prices-activation': string;
  'prices-unknown': string;
  'prices-without-key': string;
  'prices-guest': string;
}
