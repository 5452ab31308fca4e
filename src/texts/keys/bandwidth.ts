/** The texts of locales/…/bandwidth.ftl. Made by `npm run texts`. */
export interface BandwidthTexts {
  'command-bandwidth': string;
  'button-bandwidth': string;
  'bandwidth-title': string;
  'bandwidth-address': string;
  'bandwidth-amount': string;
  'bandwidth-duration': string;
  'problem-bandwidth-duration': string;
  'button-hours-priced': string;
  'bandwidth-truth': string;
  'bandwidth-going': string;
  'bandwidth-done': string;
  'bandwidth-refused': string;
  'bandwidth-likely': string;
  'bandwidth-again': string;
  'bandwidth-anyway': string;
  'bandwidth-filter': string;
}
