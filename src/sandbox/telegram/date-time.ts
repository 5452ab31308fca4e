const LETTERS = /^(?:[rR]|[wWdDtT]*)$/;

/**
 * A format of `date_time` as Telegram keeps it, `r|w?[dD]?[tT]?`; undefined for what it refuses. It reads the letters in any
 * order, and of a short and a long form keeps the short one.
 * https://core.telegram.org/bots/api#date-time-entity-formatting
 */
export function dateTimeFormat(given: string): string | undefined {
  if (!LETTERS.test(given)) return undefined;
  if (/^r$/i.test(given)) return 'r';
  const either = (short: string, long: string) =>
    [short, long].find((letter) => given.includes(letter)) ?? '';
  return (/w/i.test(given) ? 'w' : '') + either('d', 'D') + either('t', 'T');
}
