const LETTERS = /^(?:[rR]|[wWdDtT]*)$/;

/**
 * Normalizes a format of `date_time` to `r|w?[dD]?[tT]?`. Returns undefined if Telegram rejects it. Letters may be in any
 * order. If both the short and the long form are given, the short one is used.
 * https://core.telegram.org/bots/api#date-time-entity-formatting
 */
export function dateTimeFormat(given: string): string | undefined {
  if (!LETTERS.test(given)) return undefined;
  if (/^r$/i.test(given)) return 'r';
  const either = (short: string, long: string) =>
    [short, long].find((letter) => given.includes(letter)) ?? '';
  return (/w/i.test(given) ? 'w' : '') + either('d', 'D') + either('t', 'T');
}
