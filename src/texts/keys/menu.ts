/** The texts of locales/…/menu.ftl. Made by `npm run texts`. */
export interface MenuTexts {
  'command-start': string;
  'command-menu': string;
  'menu-guest': string;
  'menu-title': string;
  'menu-account': string;
  'menu-has': string;
  'menu-linked': string;
  'menu-balance': string;
  'menu-more': string;
  'menu-idle': string;
  'button-balance': string;
  'button-more': string;
  'menu-admin': string;
  'command-admin': string;
  'button-admin': string;
}
