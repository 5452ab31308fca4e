/** By which spreadsheets know UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';
/** What spreadsheets take for the beginning of a formula (OWASP, CSV injection), in full width too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Rows as a file of RFC 4180 in UTF-8. What would be a formula gets an apostrophe before it: it is read as text. */
export function csv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
