/** Amount in sun, the smallest unit: 1 TRX is 1,000,000 sun. */
export type Sun = bigint;

const SUN_PER_TRX = 1_000_000n;
/** A hundredth of a TRX, in sun. */
export const SUN_PER_CENT = 10_000n;
const DECIMAL = /^(\d{1,15})(?:\.(\d{1,6}))?$/;

/** Parses a decimal string of TRX with up to six decimals. Returns `undefined` if it is invalid. */
export function sunFromTrx(text: string): Sun | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * SUN_PER_TRX + BigInt(fraction.padEnd(6, '0'));
}

/** Formats TRX as a decimal string with at least two decimals and no needless zeros: "9.80", "2.3192". */
export function trxFromSun(sun: Sun): string {
  const absolute = sun < 0n ? -sun : sun;
  const fraction = String(absolute % SUN_PER_TRX).padStart(6, '0');
  return `${sun < 0n ? '-' : ''}${absolute / SUN_PER_TRX}.${fraction.replace(/0{1,4}$/, '')}`;
}

/** Rounds `numerator / denominator` sun half up to a hundredth of a TRX. Neither may be negative. */
export function roundToCents(numerator: bigint, denominator = 1n): Sun {
  const cent = SUN_PER_CENT * denominator;
  return ((2n * numerator + cent) / (2n * cent)) * SUN_PER_CENT;
}
