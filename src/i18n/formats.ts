/** Formats an address in groups of four for visual comparison. Not for copying. */
export function inFours(address: string): string {
  return address.replace(/.{4}(?=.)/g, '$& ');
}

/** Shortens an address. Only for lists, not for decisions. */
export function shortened(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-6)}`;
}

const known = (language: string) => (language === 'ru' ? 'ru' : 'en');

/** Cached, because creating a formatter costs a hundred times as much as using it. */
const COUNTS = { en: new Intl.NumberFormat('en-US'), ru: new Intl.NumberFormat('ru-RU') };

/** Formats a count in groups of three: `131,000`, or `131 000` in Russian. */
export function counted(count: number, language: string): string {
  return COUNTS[known(language)].format(count);
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
export function moment(at: number, language: string): string {
  return `${MOMENTS[known(language)].format(at)} UTC`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** Formats epoch milliseconds as a time of day: `09:30 UTC`. */
export function clock(at: number): string {
  return `${CLOCK.format(at)} UTC`;
}

/** Formats epoch milliseconds as `09:30:05` in UTC. For lists whose heading states the zone. */
export function clockSeconds(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

const DAY = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const DAYS = { en: new Intl.DateTimeFormat('en-GB', DAY), ru: new Intl.DateTimeFormat('ru-RU', DAY) };

/** Formats epoch milliseconds as a day in UTC: `12 November`. */
export function dayOf(at: number, language: string): string {
  return DAYS[known(language)].format(at);
}

const EITHER = {
  en: new Intl.ListFormat('en', { type: 'disjunction' }),
  ru: new Intl.ListFormat('ru', { type: 'disjunction' }),
};

/** Joins alternatives: `TRX or USDT`. */
export function eitherOf(names: readonly string[], language: string): string {
  return EITHER[known(language)].format(names);
}

/** Placeholder for the tail of the operator's key, which is never shown. */
const OPERATORS = 'operators';

/** Formats the tail by which an owner recognizes a key. Returns a placeholder for an empty tail. */
export function keyTail(tail: string): string {
  return tail === '' ? OPERATORS : `…${tail}`;
}
