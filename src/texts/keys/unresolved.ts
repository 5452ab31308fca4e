/** The texts of locales/…/unresolved.ftl. Made by `npm run texts`. */
export interface UnresolvedTexts {
  'command-unresolved': string;
  'button-unresolved': string;
  'unresolved-title': string;
  'unresolved-open': string;
  'unresolved-none': string;
  'unresolved-unreadable': string;
  'unresolved-whose': string;
  'unresolved-state': string;
  'button-unresolved-older': string;
  'button-unresolved-newer': string;
  'unresolved-one': string;
  'unresolved-address': string;
  'unresolved-confirmed': string;
  'unresolved-sent': string;
  'unresolved-evidence': string;
  'unresolved-balance': string;
  'unresolved-reports': string;
  'unresolved-listed': string;
  'unresolved-looks': string;
  'unresolved-next': string;
  'unresolved-no-key': string;
  'unresolved-decided': string;
  'button-unresolved-ask': string;
  'toast-unresolved-asked': string;
  'toast-unresolved-late': string;
  'button-went-through': string;
  'button-did-not': string;
  'unresolved-why': string;
  'problem-reason': string;
  'unresolved-check': string;
  'unresolved-reason': string;
  'unresolved-truth': string;
  'button-decide': string;
  'unresolved-ended': string;
}
