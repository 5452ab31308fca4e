/** For how long energy is rented, as people write it: `1`, `1h`, `24 hours`, `1 day`, and the same in Russian. */
export function readHours(text: string): 1 | 24 | undefined {
  const said = text.trim().toLowerCase();
  if (/^1 ?(h|hour|hr|ч|час)?\.?$/.test(said)) return 1;
  return /^(24 ?(h|hours|hrs|ч|часа|часов)?\.?|1? ?(day|d|день|сутки))$/.test(said) ? 24 : undefined;
}
