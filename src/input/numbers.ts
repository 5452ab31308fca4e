import { BigNumber } from 'bignumber.js';
import { formatTrx, SUN_DECIMALS } from '../rental-api/tron.ts';

/** Parses `65000`, `65,000` or `65 000`. Returns `undefined` for anything else, such as `12abc`. */
export function parseWholeNumber(text: string): number | undefined {
  const trimmed = text.trim();
  const plain = /^\d{1,9}$/.test(trimmed);
  const grouped = /^\d{1,3}([ ,.'’\u00a0\u202f]\d{3}){1,2}$/.test(trimmed);
  return plain || grouped ? Number(trimmed.replace(/\D/g, '')) : undefined;
}

/**
 * Parses TRX as users type it: `12.5`, `12,5`, `1 000.50`, `1,000.50` or `7 TRX`. Returns `undefined` for anything else.
 * `1,000` is ambiguous.
 */
export function parseTypedTrx(text: string): string | undefined {
  const [, amount] = /^(.{1,60}?)\s*(?:trx)?$/i.exec(text.trim()) ?? [];
  const [, whole, fraction = ''] =
    /^(\d{1,12}|\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,3}|\d{1,3}(?:,\d{3}){1,3}(?=\.))(?:[.,](\d{1,6}))?$/.exec(
      amount ?? '',
    ) ?? [];
  if (whole === undefined || fraction.length > SUN_DECIMALS) return undefined;
  const isAmbiguous = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
  const trx = new BigNumber(`${whole.replace(/\D/g, '')}.${fraction || '0'}`);
  return isAmbiguous || !trx.gt(0) ? undefined : formatTrx(trx);
}
