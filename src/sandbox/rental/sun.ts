/** An amount of money in sun, the smallest unit: 1 TRX is 1,000,000 sun. */
export type Sun = bigint;

const SUN_PER_TRX = 1_000_000n;
const SUN_PER_CENT = 10_000n;
const DECIMAL = /^(\d{1,15})(?:\.(\d{1,6}))?$/;

/** Reads a decimal string of TRX with up to six decimals; `undefined` when it isn't one. */
export function sunFromTrx(text: string): Sun | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * SUN_PER_TRX + BigInt(fraction.padEnd(6, '0'));
}

/** Writes TRX as a decimal string with at least two decimals, and no more than it needs: "9.80", "2.3192". */
export function trxFromSun(sun: Sun): string {
  const absolute = sun < 0n ? -sun : sun;
  const fraction = String(absolute % SUN_PER_TRX).padStart(6, '0');
  return `${sun < 0n ? '-' : ''}${absolute / SUN_PER_TRX}.${fraction.replace(/0{1,4}$/, '')}`;
}

/** `numerator / denominator` sun, rounded to the cent of a TRX, half up. Neither may be negative. */
export function roundToCents(numerator: bigint, denominator = 1n): Sun {
  const cent = SUN_PER_CENT * denominator;
  return ((2n * numerator + cent) / (2n * cent)) * SUN_PER_CENT;
}
