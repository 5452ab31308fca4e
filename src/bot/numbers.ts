/** A whole number as people write it (`65000`, `65,000`, `65 000`); `undefined` for anything else, like `12abc`. */
export function readWhole(text: string): number | undefined {
  const trimmed = text.trim();
  const plain = /^\d{1,9}$/.test(trimmed);
  const grouped = /^\d{1,3}([ ,.'’\u00a0\u202f]\d{3}){1,2}$/.test(trimmed);
  return plain || grouped ? Number(trimmed.replace(/\D/g, '')) : undefined;
}
