/** The texts of locales/…/packages.ftl. Made by `npm run texts`. */
export interface PackagesTexts {
  'button-packages': string;
  'command-packages': string;
  'packages-title': string;
  'packages-tier': string;
  'packages-none': string;
  'packages-single': string;
  'packages-bw': string;
  'packages-buying': string;
  'button-packages-custom': string;
  'button-packages-site': string;
  'packages-ask': string;
  'problem-packages': string;
  'packages-size': string;
  'packages-exact': string;
  'packages-about': string;
  'packages-cheaper': string;
  'packages-most': string;
  'packages-fees': string;
  'packages-not-said': string;
}
