/** Section 8 of the specification: value limits and constants. Amounts of TRX are decimal strings. */
export const ENERGY_MIN = 32_000;
export const ENERGY_MAX = 5_000_000;
export const ENERGY_DURATIONS = [1, 24] as const;
export const ENERGY_PER_TRANSFER = 65_000;
export const ENERGY_PER_FIRST_TRANSFER = 131_000;
export const BANDWIDTH_MIN = 350;
export const BANDWIDTH_MAX = 100_000;
export const INVOICE_TRANSFERS_MIN = 1;
export const INVOICE_TRANSFERS_MAX = 100;
export const INVOICE_LIFETIME_MS = 30 * 60_000;
export const PACKAGE_SIZE_MIN = 1;
export const PACKAGE_SIZE_MAX = 10_000;
export const WITHDRAWAL_FEE_TRX = '1';
export const ACTIVATION_COST_TRX = '1.1';
export const BANDWIDTH_FEE_TRX = '0.2';
/** Price of 1,000 bandwidth for a day (section 4, endpoint 2). */
export const BANDWIDTH_TRX_PER_THOUSAND = '9.6';
export const BW_GUARANTEE_FEE_TRX = '0.3';

/** Requests allowed per minute, by endpoint (section 8). */
export const PER_MINUTE = {
  prices: 60,
  buyEnergy: 30,
  buyBandwidth: 30,
  createInvoice: 20,
  activateSmartMode: 10,
  withdraw: 1,
  others: 60,
} as const;
