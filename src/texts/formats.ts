/** An address in groups of four, where the eye must compare it to the end. Never what is to be copied. */
export function inFours(address: string): string {
  return address.replace(/.{4}(?=.)/g, '$& ');
}

/** For lists only, where nothing is decided by it. */
export function shortened(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-6)}`;
}

const known = (language: string) => (language === 'ru' ? 'ru' : 'en');

/** Made once: making one costs a hundred times what using it does. */
const COUNTS = { en: new Intl.NumberFormat('en-US'), ru: new Intl.NumberFormat('ru-RU') };

/** A count in groups of three: `131,000`, or `131 000` in Russian. */
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

/** A time, from epoch milliseconds, as it stands in lists: `12 Nov, 09:30 UTC`. */
export function moment(at: number, language: string): string {
  return `${MOMENTS[known(language)].format(at)} UTC`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** A time of the day, from epoch milliseconds: `09:30 UTC`. */
export function clock(at: number): string {
  return `${CLOCK.format(at)} UTC`;
}

/** The same to the second, where a heading says that all of them are UTC: `09:30:05`. */
export function clockSeconds(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

const DAY = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const DAYS = { en: new Intl.DateTimeFormat('en-GB', DAY), ru: new Intl.DateTimeFormat('ru-RU', DAY) };

/** A day (UTC), from epoch milliseconds: `12 November`. */
export function dayOf(at: number, language: string): string {
  return DAYS[known(language)].format(at);
}

const EITHER = {
  en: new Intl.ListFormat('en', { type: 'disjunction' }),
  ru: new Intl.ListFormat('ru', { type: 'disjunction' }),
};

/** Names of which one is chosen: `TRX or USDT`. */
export function eitherOf(names: readonly string[], language: string): string {
  return EITHER[known(language)].format(names);
}

/** What stands for the tail of the operator's key, which nobody is shown. */
const OPERATORS = 'operators';

/** The tail by which an owner knows a key again; never more than four characters of it. */
export function keyTail(tail: string): string {
  return tail === '' ? OPERATORS : `…${tail}`;
}
