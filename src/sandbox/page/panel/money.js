const UNITS = 1_000_000n;

/** Parses a decimal string of TRX or USDT. Returns the smallest unit. */
function parseAmount(text = '0') {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const absolute = BigInt(whole) * UNITS + BigInt(fraction.padEnd(6, '0'));
  return text.startsWith('-') ? -absolute : absolute;
}

/** Formats an amount with at least two decimals: "9.80", "2.3192". */
function formatAmount(amount) {
  const absolute = amount < 0n ? -amount : amount;
  const fraction = String(absolute % UNITS).padStart(6, '0');
  return `${amount < 0n ? '-' : ''}${absolute / UNITS}.${fraction.replace(/0{1,4}$/, '')}`;
}

export const isZeroAmount = (text) => parseAmount(text) === 0n;
export const half = (text) => formatAmount(parseAmount(text) / 2n);
export const total = (texts) => formatAmount(texts.reduce((sum, text) => sum + parseAmount(text), 0n));
