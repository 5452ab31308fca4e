/**
 * Parses a decimal string exactly to its smallest unit: '9.80' is 9_800_000n. TRX and USDT both have six decimals.
 * Throws if the string is malformed.
 */
export function units(decimal: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(decimal) ?? [];
  if (sign === undefined) throw new Error(`"${decimal}" is not a decimal with up to six places`);
  return BigInt(`${sign}${whole}${fraction.padEnd(6, '0')}`);
}

/** Formats the smallest unit as a decimal string: 9_800_000n is '9.800000'. */
export function decimal(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(7, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
