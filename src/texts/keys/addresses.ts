/** The texts of locales/…/addresses.ftl. Made by `npm run texts`. */
export interface AddressesTexts {
  'command-addresses': string;
  'button-addresses': string;
  'addresses-title': string;
  'addresses-pick': string;
  'addresses-none': string;
  'addresses-full': string;
  'button-address-add': string;
  'button-address-manage': string;
  'button-address-save': string;
  'button-address-use': string;
  'button-address-name': string;
  'button-address-rename': string;
  'button-address-prefer': string;
  'button-address-prefer-none': string;
  'button-address-remove': string;
  'button-address-remove-yes': string;
  'button-address-save-anyway': string;
  'address-default': string;
  'address-unnamed': string;
  'address-use': string;
  'address-use-none': string;
  'address-managed': string;
  'address-remove-ask': string;
  'address-removed': string;
  'address-add-ask': string;
  'address-name-ask': string;
  'address-sure': string;
  'problem-address-name': string;
  'problem-address-name-taken': string;
  'toast-address-gone': string;
  'button-address-instead': string;
  'address-default-taken': string;
}
