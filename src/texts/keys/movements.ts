/** The texts of locales/…/movements.ftl. Made by `npm run texts`. */
export interface MovementsTexts {
  'button-movements': string;
  'movements-title': string;
  'movements-none': string;
  'movements-note': string;
  'movement-deposit': string;
  'movement-withdrawal': string;
  'movement-order': string;
}
