/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';
/**
 * Positions at which a spreadsheet may begin a cell with a formula (OWASP, CSV injection), in full width too. One that
 * separates by semicolons also begins cells within a text, and ignores the quotes around it.
 */
const FORMULA = /(^|[,;\r\n])(?=["\s]*[=+\-@＝＋－＠]|[\t\r])/g;

/**
 * Writes rows as a file of RFC 4180 in UTF-8. An apostrophe turns each possible formula into text, whether the file is
 * read with commas or with semicolons as separators.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = text.replace(FORMULA, "$1'");
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
