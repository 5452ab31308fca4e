/** By which spreadsheets know UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';
/**
 * Where a cell could begin that a spreadsheet takes for a formula (OWASP, CSV injection), in full width too. A spreadsheet
 * that separates by the other one of `,` and `;` also begins a cell within a text, and ignores quotes there.
 */
const FORMULA = /(^|[,;\r\n])(?=["\s]*[=+\-@＝＋－＠]|[\t\r])/g;

/**
 * Writes rows as a file of RFC 4180 in UTF-8. An apostrophe before whatever would begin a formula makes it text, whether
 * the file is read with commas or with semicolons as separators.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = text.replace(FORMULA, "$1'");
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
