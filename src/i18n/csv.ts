/** Marks the file as UTF-8 for spreadsheets. */
const BYTE_ORDER_MARK = '\uFEFF';
/**
 * Positions at which a spreadsheet may read a formula (OWASP, CSV injection), also with full-width characters. A spreadsheet
 * with semicolons as separators also starts cells within a text and ignores its quotes.
 */
const FORMULA = /(^|[,;\r\n])(?=["\s]*[=+\-@＝＋－＠]|[\t\r])/g;

/**
 * Formats rows as CSV (RFC 4180) in UTF-8. Adds an apostrophe to each possible formula, so that spreadsheets treat it as text,
 * with commas or semicolons as separators.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = text.replace(FORMULA, "$1'");
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
