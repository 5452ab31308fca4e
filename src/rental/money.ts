import { BigNumber } from 'bignumber.js';

const SUN_DECIMALS = 6;

/** Reads a decimal amount of TRX, exactly; `undefined` for anything else (exponents, commas, units, more than 40 characters). */
export function parseTrx(text: string): BigNumber | undefined {
  const trimmed = text.trim();
  return trimmed.length <= 40 && /^-?\d+(\.\d+)?$/.test(trimmed) ? new BigNumber(trimmed) : undefined;
}

/** Writes TRX in plain decimals, at least two of them: `2.32`, `9.80`, `2.3192`. */
export function formatTrx(amount: BigNumber): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces() ?? 0));
}

/** TRX of an amount of sun, exactly: 1 TRX is 1,000,000 sun. */
export function trxFromSun(sun: BigNumber.Value): BigNumber {
  return new BigNumber(sun).shiftedBy(-SUN_DECIMALS);
}

/** As many whole sun as are in it: never more than there is. */
export function downToWholeSun(trx: BigNumber): BigNumber {
  return trx.decimalPlaces(SUN_DECIMALS, BigNumber.ROUND_DOWN);
}

/** Rounds to whole sun, the smallest amount there is. */
export function toWholeSun(trx: BigNumber): BigNumber {
  return trx.decimalPlaces(SUN_DECIMALS, BigNumber.ROUND_HALF_UP);
}
