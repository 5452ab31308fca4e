/** Formats an address in groups of four for visual comparison. Not for copying. */
export function groupInFours(address: string): string {
  return address.replace(/.{4}(?=.)/g, '$& ');
}

/** Shortens an address. Only for lists, not for decisions. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-6)}`;
}

const localeOf = (language: string) => (language === 'ru' ? 'ru' : 'en');

/** Cached, because creating a formatter costs a hundred times as much as using it. */
const COUNTS = { en: new Intl.NumberFormat('en-US'), ru: new Intl.NumberFormat('ru-RU') };

/** Formats a count in groups of three: `131,000`, or `131 000` in Russian. */
export function formatCount(count: number, language: string): string {
  return COUNTS[localeOf(language)].format(count);
}

const MOMENT = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
} as const;
const MOMENTS = {
  en: new Intl.DateTimeFormat('en-GB', MOMENT),
  ru: new Intl.DateTimeFormat('ru-RU', MOMENT),
};

/** Formats epoch milliseconds for lists: `12 Nov, 09:30 UTC`. */
export function formatMoment(at: number, language: string): string {
  return `${MOMENTS[localeOf(language)].format(at)} UTC`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** Formats epoch milliseconds as a time of day: `09:30 UTC`. */
export function formatTime(at: number): string {
  return `${CLOCK.format(at)} UTC`;
}

/** Formats epoch milliseconds as `09:30:05` in UTC. For lists whose heading states the zone. */
export function formatTimeWithSeconds(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

const DAY = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const DAYS = { en: new Intl.DateTimeFormat('en-GB', DAY), ru: new Intl.DateTimeFormat('ru-RU', DAY) };

/** Formats epoch milliseconds as a day in UTC: `12 November`. */
export function formatDay(at: number, language: string): string {
  return DAYS[localeOf(language)].format(at);
}

const EITHER = {
  en: new Intl.ListFormat('en', { type: 'disjunction' }),
  ru: new Intl.ListFormat('ru', { type: 'disjunction' }),
};

/** Joins alternatives: `TRX or USDT`. */
export function formatAlternatives(names: readonly string[], language: string): string {
  return EITHER[localeOf(language)].format(names);
}

/** Placeholder for the tail of the operator's key, which is never shown. */
const OPERATOR_KEY_PLACEHOLDER = 'operators';

/** Formats the tail by which an owner recognizes a key. Returns a placeholder for an empty tail. */
export function formatKeyTail(tail: string): string {
  return tail === '' ? OPERATOR_KEY_PLACEHOLDER : `…${tail}`;
}

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
export function formatCsv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

function formatCell(text: string): string {
  const withoutFormulas = text.replace(FORMULA, "$1'");
  return /[",;\r\n]/.test(withoutFormulas) ? `"${withoutFormulas.replaceAll('"', '""')}"` : withoutFormulas;
}
